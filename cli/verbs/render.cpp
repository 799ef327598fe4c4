// tessera render: a picture of a mesh, with or without a screen.
#include <fmt/format.h>
#include <vtkObject.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <tessera/mesh/triangulate.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/fields.h"
#include "data/files.h"
#include "render/display.h"
#include "render/picture.h"
#include "render/vtk_data.h"

namespace tessera::cli {
namespace {

struct RenderOptions {
  InputOptions input;
  std::filesystem::path output;
  std::string style = "auto";
  std::string field;
  std::string component = "magnitude";
  std::string range;
  std::string colormap = "viridis";
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
  std::filesystem::path critical_points;
  std::filesystem::path separatrices;
  bool no_connectors = false;
  double mark_size = 1;
  double opacity = -1;  ///< chosen
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

/// Grows the box to what has finite coordinates of the mesh.
void add_to_box(Box& box, const AnyMesh& mesh) {
  const auto add = [&](Vec3d p) {
    if (!std::isfinite(p.x + p.y + p.z)) return;
    box.low = {std::min(box.low.x, p.x), std::min(box.low.y, p.y), std::min(box.low.z, p.z)};
    box.high = {std::max(box.high.x, p.x), std::max(box.high.y, p.y), std::max(box.high.z, p.z)};
  };
  std::visit(
      [&](const auto& m) {
        if constexpr (requires { m.points; }) {
          m.points.visit([&](auto points) {
            for (const auto& p : points) add(vec_cast<double>(p));
          });
        } else {
          for (unsigned c = 0; c < 8; ++c) {
            add(m.point((c & 1u) * (m.dims[0] - 1), (c >> 1 & 1u) * (m.dims[1] - 1),
                        (c >> 2) * (m.dims[2] - 1)));
          }
        }
      },
      mesh);
}

Box find_box(const AnyMesh& mesh) {
  Box box = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
  add_to_box(box, mesh);
  return box;
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

/// The component of the field that --component names, or -1 for its magnitude.
int parse_component(const std::string& text, const Field& field) {
  if (field.components() == 1 && text == "magnitude") return 0;
  if (text == "magnitude") return -1;
  int component = 0;
  const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), component);
  const bool is_number = status == std::errc{} && stop == text.data() + text.size();
  if (!is_number || component < 0 || component >= static_cast<int>(field.components())) {
    throw_bad_value(
        "--component", text,
        fmt::format("'{}' has components 0 to {}, or write magnitude", field.name(), field.components() - 1));
  }
  return component;
}

/// A scalar as it is drawn. Infinite numbers have no place among the colours and become NaN.
template <class T>
Field make_scalar(const Field& field) {
  Array<T> scalars(field.size());
  field.visit([&](auto numbers) {
    std::transform(numbers.begin(), numbers.end(), scalars.begin(), [](auto number) {
      const auto value = static_cast<T>(number);
      return std::isfinite(value) ? value : std::numeric_limits<T>::quiet_NaN();
    });
  });
  return Field(drawn_field, std::move(scalars));
}

/// A component, or the magnitude with -1.
Field make_drawn_field(const Field& field, int component) {
  const Field scalar = component < 0
                           ? take_magnitude(field, drawn_field)
                           : take_component(field, static_cast<std::size_t>(component), drawn_field);
  const bool fits_float = scalar.type() == ScalarType::f32 || size_of(scalar.type()) <= 2;
  return fits_float ? make_scalar<float>(scalar) : make_scalar<double>(scalar);
}

/// Leaves the mesh with nothing but the scalar that is drawn, so that nothing else is carried through the
/// filters.
void keep_only(AnyMesh& mesh, std::optional<Field> drawn, Association association) {
  std::visit(
      [&](auto& m) {
        m.point_data = {};
        m.cell_data = {};
        m.field_data = {};
        if (drawn) (association == Association::points ? m.point_data : m.cell_data).add(std::move(*drawn));
      },
      mesh);
}

void check_field_length(const AnyMesh& mesh, const FieldChoice& choice) {
  const std::size_t wanted =
      choice.association == Association::points ? vertex_count(mesh) : cell_count(mesh);
  if (choice.field->size() == wanted) return;
  throw Error(
      ErrorCode::bad_mesh,
      fmt::format("the field '{}' has {} for {} {}; see 'tessera doctor'", choice.field->name(),
                  counted(choice.field->size(), "value", "values"), wanted, to_string(choice.association)));
}

std::pair<double, double> choose_range(const RenderOptions& options, const Field& drawn) {
  if (!options.range.empty()) {
    const auto range = parse_pair<double>(options.range, ',');
    if (!range || !(range->first < range->second)) {
      throw_bad_value("--range", options.range, "write two numbers, the lower one first, such as -1,1");
    }
    return *range;
  }
  const FieldRange found = compute_range(drawn);
  const double low = found.lowest.is_number() ? found.lowest.get<double>() : 0;
  const double high = found.highest.is_number() ? found.highest.get<double>() : 0;
  return {low, high > low ? high : low + 1};
}

/// Replaces the mesh's fields by the one to draw and says how to colour it.
std::optional<Coloring> choose_coloring(Session& session, const RenderOptions& options, Input& input) {
  if (options.field.empty()) {
    keep_only(input.mesh, std::nullopt, Association::points);
    return std::nullopt;
  }
  const FieldChoice choice = choose_field(session, input, options.field, {.average_cells = false});
  check_field_length(input.mesh, choice);
  const int component = parse_component(options.component, *choice.field);
  Coloring coloring;
  coloring.colormap = options.colormap;
  coloring.has_bar = !options.no_bar;
  const std::string& name = choice.field->name();
  coloring.title = choice.field->components() == 1 ? name
                   : component < 0                 ? fmt::format("|{}|", name)
                                                   : fmt::format("{}[{}]", name, component);
  session.result()["field"] = name;
  Field drawn = make_drawn_field(*choice.field, component);
  std::tie(coloring.lowest, coloring.highest) = choose_range(options, drawn);
  keep_only(input.mesh, std::move(drawn), choice.association);
  return coloring;
}

PictureOptions make_picture_options(const RenderOptions& options) {
  PictureOptions picture;
  picture.style = entry_named(styles, options.style).style;
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
  Camera camera = make_camera(options.camera, options.up.empty() ? default_up(format) : options.up, box);
  camera.azimuth += options.azimuth;
  camera.elevation += options.elevation;
  camera.zoom = options.zoom;
  return camera;
}

void check_style(const RenderOptions& options, const AnyMesh& mesh) {
  if (options.style != "slices") return;
  if (!std::holds_alternative<Grid>(mesh)) {
    throw Error(ErrorCode::bad_option,
                fmt::format("--style slices is for grids, but this is a {}; use --clip to look inside",
                            kind_name(mesh)));
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
  app.add_option("--up", options.up, "what is up; y in obj, ply, off and glb files if left out, otherwise z")
      ->is_member(up_names());
  app.add_option("--azimuth", options.azimuth, "degrees to turn the camera to the right")
      ->type_name("DEGREES");
  app.add_option("--elevation", options.elevation, "degrees to raise the camera")->type_name("DEGREES");
  app.add_option("--zoom", options.zoom, "above 1 is nearer")->in_range(0.01, 1000.0)->type_name("FACTOR");
  app.add_option("--size", options.size, "of the picture in pixels")->capture_default_str()->type_name("WxH");
  app.add_option("--background", options.background, "white, black, gray or #rrggbb")
      ->capture_default_str()
      ->type_name("COLOUR");
  app.add_option("--clip", options.clip, "take away the half before a plane: x=0.5, or z=50% of the extent")
      ->type_name("AXIS=PLACE");
  app.add_flag("--crinkle", options.crinkle, "with --clip: keep whole tetrahedra instead of cutting them");
}

void declare_marks(OptionList& app, RenderOptions& options) {
  app.add_option("--critical-points", options.critical_points,
                 "draw the points of a .vtp file that critical-points or morse-smale wrote as spheres")
      ->type_name("FILE");
  app.add_option("--separatrices", options.separatrices,
                 "draw the lines of a .vtp file that morse-smale wrote as tubes")
      ->type_name("FILE");
  app.add_flag("--no-connectors", options.no_connectors, "leave paths between saddles out of the picture");
  app.add_option("--mark-size", options.mark_size, "spheres and tubes that many times as thick")
      ->in_range(0.01, 100.0)
      ->type_name("FACTOR");
  app.add_option("--opacity", options.opacity,
                 "of the mesh: 1 hides what is inside; less where marks are inside a solid, else 1")
      ->in_range(0.0, 1.0)
      ->type_name("X");
}

void declare_render(OptionList& app, RenderOptions& options) {
  add_input_options(app, options.input);
  app.add_option("-o,--output", options.output, "the .png file to write")->required()->type_name("FILE");
  app.add_option("--style", options.style, "auto draws surfaces, and grids as slices")
      ->is_member(names_in(styles))
      ->capture_default_str();
  app.add_option("--field", options.field,
                 "colour by this field of the points or cells, such as f, v:x, v:magnitude or :z")
      ->type_name("NAME");
  app.add_option("--component", options.component, "which one of a vector: 0, 1, ... or magnitude")
      ->capture_default_str()
      ->type_name("K");
  app.add_option("--range", options.range,
                 "numbers at the two ends of the colours; the field's own if left out")
      ->type_name("LO,HI");
  app.add_option("--colormap", options.colormap,
                 "colours; cold-hot and categories give each whole number its own")
      ->is_member(colormap_names())
      ->capture_default_str();
  app.add_flag("--no-bar", options.no_bar, "leave the colour bar out");
  declare_marks(app, options);
  declare_view(app, options);
}

void check_picture_output(Session& session, const std::filesystem::path& file) {
  if (extension_of(file) != "png") {
    throw Error(ErrorCode::unsupported,
                fmt::format("pictures are written as PNG; name '{}' with .png at the end", file.string()));
  }
  check_folder(session, file);
}

bool is_solid(const AnyMesh& mesh) {
  const Grid* grid = std::get_if<Grid>(&mesh);
  return std::holds_alternative<TetMesh>(mesh) || (grid != nullptr && dimension(*grid) == 3);
}

/// Reads the files of critical points and separatrices.
MarkFiles read_marks(Session& session, const RenderOptions& options) {
  MarkFiles files;
  session.in_phase(Phase::read, [&] {
    const ReadOptions reading = {.monitor = &session.monitor()};
    if (!options.critical_points.empty()) files.critical_points = read_poly(options.critical_points, reading);
    if (!options.separatrices.empty()) files.separatrices = read_poly(options.separatrices, reading);
  });
  for (const auto& file : {options.critical_points, options.separatrices}) {
    if (!file.empty()) session.add_input(file);
  }
  return files;
}

/// Marks inside a solid are seen through it, or in the half that was cut away.
void add_marks(const RenderOptions& options, const MarkFiles& files, const AnyMesh& mesh, const Box& box,
               PictureOptions& picture) {
  const bool is_inside = !files.empty() && is_solid(mesh);
  picture.opacity = options.opacity >= 0 ? options.opacity : is_inside && options.clip.empty() ? 0.2 : 1;
  if (is_inside && picture.style == Style::automatic) picture.style = Style::surface;
  if (files.empty()) return;
  picture.marks = make_marks(files, {.dimension = is_solid(mesh) ? 3 : 2,
                                     .diagonal = length(box.high - box.low),
                                     .size = options.mark_size,
                                     .has_connectors = !options.no_connectors});
}

int run_render(Session& session, const RenderOptions& options) {
  check_picture_output(session, options.output);
  PictureOptions picture = make_picture_options(options);
  picture.monitor = &session.monitor();
  Input input = read_input(session, options.input);
  check_style(options, input.mesh);
  for (const std::string& note : input.report.notes) session.note(note);
  const MarkFiles marks = read_marks(session, options);
  const Geometry geometry = session.in_phase(Phase::prepare, [&] {
    picture.coloring = choose_coloring(session, options, input);
    const Box box = find_box(input.mesh);
    picture.camera = make_camera(options, input.report.format, box);
    add_marks(options, marks, input.mesh, box, picture);
    Geometry made = make_geometry(input.mesh, picture.style, parse_clip(options, box, picture.camera));
    if (!marks.empty() && std::holds_alternative<TetMesh>(input.mesh)) add_box(made, box.low, box.high);
    return made;
  });
  const std::string png = session.in_phase(Phase::compute, [&] {
    const Display display(session.monitor().stop);
    vtkObject::GlobalWarningDisplayOff();
    return draw_png(geometry, picture);
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
       "  tessera render kuhn64.vtu --critical-points c.vtp --separatrices s.vtp -o complex.png"},
      declare_render, run_render);
}

}  // namespace tessera::cli
