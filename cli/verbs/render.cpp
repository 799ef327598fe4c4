// tessera render: a picture of a mesh, with or without a screen.
#include <fmt/format.h>
#include <vtkObject.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "application/text.h"
#include "application/verb.h"
#include "data/files.h"
#include "render/display.h"
#include "render/scene.h"
#include "render/vtk_data.h"

namespace tessera::cli {
namespace {

struct RenderOptions {
  SceneFiles input;
  std::filesystem::path output;
  std::string style = "auto";
  ColorOptions color;
  std::string range;
  bool no_bar = false;
  std::string camera = "auto";
  std::string up;  ///< empty: that of the format
  double azimuth = 0;
  double elevation = 0;
  double zoom = 1;
  std::string size = "1200x900";
  std::string background = "white";
  std::string clip;
  bool crinkle = false;
  bool no_connectors = false;
  std::optional<double> mark_size, opacity;
};

struct NamedStyle {
  std::string_view name;
  Style style;
};
constexpr std::array<NamedStyle, 6> styles = {{{"auto", Style::automatic},
                                               {"surface", Style::surface},
                                               {"wireframe", Style::wireframe},
                                               {"surface-with-edges", Style::surface_with_edges},
                                               {"points", Style::points},
                                               {"slices", Style::slices}}};

template <class Table>
std::vector<std::string> names_in(const Table& table) {
  std::vector<std::string> names;
  for (const auto& entry : table) names.emplace_back(entry.name);
  return names;
}

template <class Table>
const auto& entry_named(const Table& table, const std::string& name) {
  return *std::ranges::find_if(table, [&](const auto& entry) { return entry.name == name; });
}

[[noreturn]] void throw_bad_value(std::string_view option, const std::string& value,
                                  std::string_view advice) {
  throw Error(ErrorCode::bad_option, fmt::format("'{}' does not suit {}; {}", value, option, advice));
}

/// "a,b" or "axb" as two numbers.
template <class T>
std::optional<std::pair<T, T>> parse_pair(const std::string& text, char separator) {
  const std::size_t middle = text.find(separator);
  if (middle == std::string::npos) return std::nullopt;
  std::pair<T, T> pair;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), text.data() + middle, pair.first);
  const auto second = std::from_chars(text.data() + middle + 1, end, pair.second);
  const bool is_whole = first.ptr == text.data() + middle && second.ptr == end;
  if (first.ec != std::errc{} || second.ec != std::errc{} || !is_whole) return std::nullopt;
  return pair;
}

/// "x=0.5" is a coordinate, "x=50%" a part of the mesh's extent. The half nearer to the eye is taken away.
std::optional<ClipPlane> parse_clip(const RenderOptions& options, const Box& box, const Camera& camera) {
  const std::string& text = options.clip;
  if (text.empty()) return std::nullopt;
  constexpr std::string_view advice = "write an axis and a place, such as x=0.5 or z=50%";
  const std::size_t axis = std::string_view("xyz").find(text[0]);
  if (text.size() < 3 || axis == std::string_view::npos || text[1] != '=')
    throw_bad_value("--clip", text, advice);
  ClipPlane clip;
  clip.axis = static_cast<int>(axis);
  const auto along = [&](Vec3d v) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; };
  const bool is_part = text.back() == '%';
  const char* end = text.data() + text.size() - (is_part ? 1 : 0);
  const auto [stop, status] = std::from_chars(text.data() + 2, end, clip.position);
  if (status != std::errc{} || stop != end) throw_bad_value("--clip", text, advice);
  if (is_part) {
    clip.position = std::lerp(along(box.low), along(box.high), clip.position / 100);
  }
  clip.keeps_below = along(camera.direction()) > -1e-9;
  clip.is_crinkled = options.crinkle;
  return clip;
}

PictureOptions make_picture_options(const RenderOptions& options) {
  PictureOptions picture;
  picture.style = entry_named(styles, options.style).style;
  picture.mark_size = options.mark_size.value_or(1);
  picture.background = parse_color(options.background);
  const auto size = parse_pair<int>(options.size, 'x');
  if (!size || std::min(size->first, size->second) < 16 || std::max(size->first, size->second) > 8192) {
    throw_bad_value("--size", options.size,
                    "write width x height in pixels, 16 to 8192 each, such as 1200x900");
  }
  std::tie(picture.width, picture.height) = *size;
  return picture;
}

Camera make_camera(const RenderOptions& options, std::string_view format, const Box& box) {
  Camera camera = cli::make_camera(options.camera, options.up.empty() ? default_up(format) : options.up, box);
  camera.azimuth += options.azimuth;
  camera.elevation += options.elevation;
  camera.zoom = options.zoom;
  return camera;
}

std::optional<std::pair<double, double>> parse_range(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto range = parse_pair<double>(text, ',');
  if (!range || !(range->first < range->second) || !std::isnormal(range->second - range->first))
    throw_bad_value("--range", text, "write two numbers, the lower one first, such as -1,1");
  return range;
}

void check_clip(const RenderOptions& options, const Scene& scene) {
  const auto has_solids = [](const Source& source) {
    return source.is_solid() && !std::holds_alternative<Grid>(source.input.mesh);
  };
  if (options.crinkle && std::ranges::none_of(scene.sources, has_solids))
    throw Error(ErrorCode::bad_option, "--crinkle is for meshes of solids, and this is none; leave it out");
  if (!options.clip.empty() && scene.sources.empty())
    throw Error(ErrorCode::bad_option, "critical points and separatrices are not clipped; leave out --clip");
}

/// Fields of cells have no colours for points.
void check_points_style(const RenderOptions& options, const Scene& scene) {
  const auto is_on_cells = [](const Source& source) {
    return std::visit([](const auto& mesh) { return mesh.cell_data.has(drawn_field); }, source.input.mesh);
  };
  if (options.style != "points" || std::ranges::none_of(scene.sources, is_on_cells)) return;
  throw Error(ErrorCode::bad_option,
              fmt::format("--style points draws the points, but '{}' is a field of the cells; leave it out",
                          options.color.field));
}

void check_slices(const RenderOptions& options, const Scene& scene) {
  if (options.style != "slices") return;
  const auto is_grid = [](const Source& s) { return std::holds_alternative<Grid>(s.input.mesh); };
  if (std::ranges::none_of(scene.sources, is_grid)) {
    throw Error(ErrorCode::bad_option,
                fmt::format("--style slices is for grids, but this is a {}; use --clip to look inside",
                            scene.sources.empty() ? "set of marks" : scene.sources[0].kind()));
  }
  if (!options.clip.empty()) {
    throw Error(ErrorCode::bad_option, "slices are not clipped; leave out --style slices or --clip");
  }
}

void declare_view(OptionList& app, RenderOptions& options) {
  app.add_option("--camera", options.camera,
                 "where to look from; auto looks straight at what is flat, and is iso otherwise")
      ->is_member(camera_names())
      ->capture_default_str();
  app.add_option("--up", options.up, "what is up; if left out, y in obj, ply and off files and z in others")
      ->is_member(up_names());
  app.add_option("--azimuth", options.azimuth, "degrees to turn the camera to the right")
      ->type_name("DEGREES");
  app.add_option("--elevation", options.elevation, "degrees to raise the camera")->type_name("DEGREES");
  app.add_option("--zoom", options.zoom, "above 1 is nearer")->in_range(0.01, 1000.0)->type_name("FACTOR");
  app.add_option("--size", options.size, "of the picture in pixels")->capture_default_str()->type_name("WxH");
  app.add_option("--background", options.background, "white, black, gray or #rrggbb")
      ->capture_default_str()
      ->type_name("COLOUR");
  const Option clip = app.add_option("--clip", options.clip,
                                     "take away the half before a plane: x=0.5, or z=50% of the extent")
                          ->type_name("AXIS=PLACE");
  app.add_flag("--crinkle", options.crinkle, "with --clip: keep whole cells instead of cutting them")
      ->needs(clip);
}

void declare_marks(OptionList& app, RenderOptions& options) {
  app.add_option("--critical-points", options.input.critical_points,
                 "draw the points of a .vtp file that critical-points or morse-smale wrote as spheres")
      ->type_name("FILE");
  app.add_option("--separatrices", options.input.separatrices,
                 "draw the lines of a .vtp file that morse-smale wrote as tubes")
      ->type_name("FILE");
  app.add_flag("--no-connectors", options.no_connectors, "leave paths between saddles out of the picture");
  app.add_option("--mark-size", options.mark_size,
                 "spheres, tubes, lines and points that many times as thick")
      ->in_range(0.01, 100.0)
      ->type_name("FACTOR");
  app.add_option("--opacity", options.opacity,
                 "of the first mesh and of solids: 1 hides what is inside; less for solids with other things "
                 "in the picture, else 1")
      ->in_range(0.0, 1.0)
      ->type_name("X");
}

void declare_render(OptionList& app, RenderOptions& options) {
  app.add_option("input", options.input.files,
                 "the mesh files to draw; critical points and separatrices become marks")
      ->required()
      ->type_name("FILE");
  add_reading_options(app, options.input.reading);
  app.add_option("-o,--output", options.output, "the .png file to write")->required()->type_name("FILE");
  app.add_option("--style", options.style, "auto draws surfaces, and grids as slices")
      ->is_member(names_in(styles))
      ->capture_default_str();
  const Option field =
      app.add_option("--field", options.color.field,
                     "colour by this field of the points or cells, such as f, v:x, v:magnitude or :z")
          ->type_name("NAME");
  app.add_option("--component", options.color.component, "which one of a vector: 0, 1, ... or magnitude")
      ->capture_default_str()
      ->type_name("K")
      ->needs(field);
  app.add_option("--range", options.range,
                 "numbers at the two ends of the colours; the field's own if left out")
      ->type_name("LO,HI")
      ->needs(field);
  app.add_option("--colormap", options.color.colormap,
                 "colours; cold-hot and categories give each whole number its own")
      ->is_member(colormap_names())
      ->capture_default_str()
      ->needs(field);
  app.add_flag("--no-bar", options.no_bar, "leave the colour bar out")->needs(field);
  declare_marks(app, options);
  declare_view(app, options);
}

/// Is there something that solids would hide?
bool has_insides(const Scene& scene) {
  return !scene.marks.empty() || !std::ranges::all_of(scene.sources, &Source::is_solid);
}

/// The colours of the layers without a field; those of the first are the layer's own.
constexpr std::array<Color, 6> layer_colors = {{{0.95, 0.56, 0.17},
                                                {0.35, 0.63, 0.31},
                                                {0.88, 0.34, 0.35},
                                                {0.69, 0.48, 0.63},
                                                {0.93, 0.79, 0.28},
                                                {0.46, 0.72, 0.70}}};

/// Solids are seen through if there is something else that may be inside, unless they are cut open.
double choose_opacity(const RenderOptions& options, const Scene& scene, const Source& source) {
  if (options.opacity && (source.is_solid() || &source == &scene.sources.front())) return *options.opacity;
  return source.is_solid() && has_insides(scene) && options.clip.empty() ? 0.2 : 1;
}

bool is_thin(const Piece& piece) {
  return piece.role == Role::lines || piece.role == Role::points;
}

bool has_colored_surface(const Scene& scene) {
  return std::ranges::any_of(scene.sources, [](const Source& source) {
    const bool has_area = source.cells ? source.cells->dimension() > 1 : source.cell_count() > 0;
    return source.is_colored && has_area;
  });
}

Layer make_layer(const RenderOptions& options, const Scene& scene, const Source& source, Style style,
                 const std::optional<ClipPlane>& clip) {
  const bool shows_inside = source.is_solid() && has_insides(scene);
  if (shows_inside && style == Style::automatic) style = Style::surface;
  Layer layer;
  layer.geometry = source.cells
                       ? make_geometry(std::get<TriMesh>(source.input.mesh), *source.cells, style, clip)
                       : make_geometry(source.input.mesh, style, clip);
  if (shows_inside && !std::holds_alternative<Grid>(source.input.mesh)) {
    const Box box = extent_of(source.input.mesh).box;
    add_box(layer.geometry, box.low, box.high);
  }
  layer.is_colored = source.is_colored;
  layer.opacity = choose_opacity(options, scene, source);
  const std::size_t number = static_cast<std::size_t>(&source - scene.sources.data());
  if (number > 0) layer.color = layer.line_color = layer_colors[(number - 1) % layer_colors.size()];
  // Isolines have the colour of the surface that they lie on, and would not be seen.
  if (layer.is_colored && std::ranges::all_of(layer.geometry.pieces, is_thin) && has_colored_surface(scene)) {
    layer.is_colored = false;
    layer.color = layer.line_color = {0.1, 0.11, 0.14};
  }
  if (scene.sources.size() > 1 && !layer.is_colored) layer.name = printable(source.file.filename().string());
  return layer;
}

/// Options that nothing in the picture could show.
void check_use(const RenderOptions& options, const Scene& scene, const PictureOptions& picture) {
  const auto refuse = [](const char* option, const char* what) {
    throw Error(ErrorCode::bad_option,
                fmt::format("{} is about {}, and there are none; leave it out", option, what));
  };
  if (options.no_connectors && scene.marks.separatrices.empty()) refuse("--no-connectors", "separatrices");
  if (options.style != "auto" && scene.sources.empty()) refuse("--style", "meshes");
  bool has_thin = !picture.marks.empty();
  bool has_clear = false;
  for (std::size_t i = 0; i < picture.layers.size(); ++i) {
    const std::vector<Piece>& pieces = picture.layers[i].geometry.pieces;
    has_thin = has_thin || std::ranges::any_of(pieces, is_thin);
    has_clear =
        has_clear || ((i == 0 || scene.sources[i].is_solid()) && !std::ranges::all_of(pieces, is_thin));
  }
  if (options.mark_size && !has_thin) refuse("--mark-size", "marks, lines and points");
  if (options.opacity && !has_clear) refuse("--opacity", "surfaces of the first mesh or solids");
}

/// OpenGL computes with the squares of floats: what is much larger or smaller is not seen.
void check_size(const Box& box) {
  constexpr double largest = 1e18;
  const double size = length(box.high - box.low);
  double farthest = 0;
  for (const double x : {box.low.x, box.low.y, box.low.z, box.high.x, box.high.y, box.high.z})
    farthest = std::max(farthest, std::abs(x));
  if (farthest <= largest && (size == 0 || size >= 1 / largest)) return;
  throw Error(ErrorCode::bad_mesh,
              farthest > largest
                  ? fmt::format("coordinates up to {:g} are too large to be drawn; scale the mesh", farthest)
                  : fmt::format("a mesh of the size {:g} is too small to be drawn; scale it", size));
}

/// Everything that is drawn, in the memory of the scene.
void add_scene(const RenderOptions& options, const Scene& scene, PictureOptions& picture) {
  const Box box = extent_of(scene).box;
  check_size(box);
  picture.camera =
      make_camera(options, scene.sources.empty() ? "vtp" : scene.sources.front().input.report.format, box);
  const auto clip = parse_clip(options, box, picture.camera);
  for (const Source& source : scene.sources)
    picture.layers.push_back(make_layer(options, scene, source, picture.style, clip));
  const bool has_solid = std::ranges::any_of(scene.sources, &Source::is_solid);
  picture.marks = make_marks(scene.marks, {.dimension = has_solid               ? 3
                                                        : scene.sources.empty() ? guess_dimension(scene.marks)
                                                                                : 2,
                                           .diagonal = length(box.high - box.low),
                                           .size = picture.mark_size,
                                           .has_connectors = !options.no_connectors});
  const auto is_empty = [](const Layer& layer) { return layer.geometry.pieces.empty(); };
  if (picture.marks.empty() && std::ranges::all_of(picture.layers, is_empty)) {
    throw Error(ErrorCode::bad_mesh,
                "there is nothing to draw; is the mesh empty, or all of it clipped away?");
  }
  check_use(options, scene, picture);
}

int run_render(Session& session, const RenderOptions& options) {
  check_sole_format(session, options.output, "png");
  PictureOptions picture = make_picture_options(options);
  picture.monitor = &session.monitor();
  ColorOptions color = options.color;
  color.range = parse_range(options.range);
  color.has_bar = !options.no_bar;
  SceneFiles files = options.input;
  files.colors_first = !color.field.empty();
  Scene scene = read_scene(session, files);
  check_slices(options, scene);
  check_clip(options, scene);
  session.lift_memory_bound();  // VTK does not survive it
  session.in_phase(Phase::prepare, [&] {
    picture.coloring = color_scene(session, color, scene);
    check_points_style(options, scene);
    add_scene(options, scene, picture);
  });
  const Reservation room(session.memory(), drawing_bytes(picture), "the picture");
  const std::string png = session.in_phase(Phase::compute, [&] {
    const Display display(session.monitor().stop);
    vtkObject::GlobalWarningDisplayOff();
    return draw_png(picture);
  });
  session.in_phase(Phase::write, [&] { write_file(options.output, png); });
  session.result()["output"] = {{"file", options.output.string()},
                                {"width", picture.width},
                                {"height", picture.height},
                                {"bytes", png.size()}};
  if (picture.coloring) session.result()["range"] = {picture.coloring->lowest, picture.coloring->highest};
  session.print("wrote {}: {} x {} pixels, {} in {}\n", options.output.string(), picture.width,
                picture.height, format_bytes(png.size()), format_seconds(session.total_seconds()));
  return 0;
}

}  // namespace

Verb render_verb() {
  return define_verb<RenderOptions>(
      {"render", Group::look, "draw a mesh to a PNG file, with or without a screen",
       "  tessera render kuhn64.vtu --field rough --clip y=50% -o kuhn64.png\n"
       "  tessera render ico6.ply --style surface-with-edges --camera front -o ico6.png\n"
       "  tessera render scan.vti --field mri --colormap gray -o slices.png\n"
       "  tessera render torus.vtp separatrices.vtp critical_points.vtp --field smooth -o complex.png"},
      declare_render, run_render, {.mesh = 3, .grid = 3});
}

}  // namespace tessera::cli
