#include "render/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <tessera/mesh/triangulate.h>

#include "application/text.h"
#include "data/fields.h"
#include "render/cell_parts.h"
#include "render/vtk_data.h"

namespace tessera::cli {
namespace {

constexpr Box no_box = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};

void add_to_box(Box& box, Vec3d p) {
  if (!std::isfinite(p.x + p.y + p.z)) return;
  box.low = {std::min(box.low.x, p.x), std::min(box.low.y, p.y), std::min(box.low.z, p.z)};
  box.high = {std::max(box.high.x, p.x), std::max(box.high.y, p.y), std::max(box.high.z, p.z)};
}

void add_to_box(Box& box, const Points& points) {
  points.visit([&](auto values) {
    for (const auto& p : values) add_to_box(box, vec_cast<double>(p));
  });
}

void add_to_box(Box& box, const AnyMesh& mesh) {
  std::visit(
      [&](const auto& m) {
        if constexpr (requires { m.points; }) {
          add_to_box(box, m.points);
        } else {
          for (unsigned c = 0; c < 8; ++c) {
            add_to_box(box, m.point((c & 1u) * (m.dims[0] - 1), (c >> 1 & 1u) * (m.dims[1] - 1),
                                    (c >> 2) * (m.dims[2] - 1)));
          }
        }
      },
      mesh);
}

/// The component of the field that --component names, or -1 for its magnitude.
int parse_component(const std::string& text, const Field& field) {
  if (field.components() == 1 && text == "magnitude") return 0;
  if (text == "magnitude") return -1;
  int component = 0;
  const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), component);
  const bool is_number = status == std::errc{} && stop == text.data() + text.size();
  if (!is_number || component < 0 || component >= static_cast<int>(field.components())) {
    throw Error(ErrorCode::bad_option,
                fmt::format("'{}' does not suit --component; '{}' has components 0 to {}, or write magnitude",
                            text, field.name(), field.components() - 1));
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

void check_field_length(const Source& source, const FieldChoice& choice) {
  const std::size_t wanted =
      choice.association == Association::points ? vertex_count(source.input.mesh) : source.cell_count();
  if (choice.field->size() == wanted) return;
  throw Error(
      ErrorCode::bad_mesh,
      fmt::format("the field '{}' has {} for {} {}; see 'tessera doctor'", choice.field->name(),
                  counted(choice.field->size(), "value", "values"), wanted, to_string(choice.association)));
}

/// The field's name with what is drawn of it.
std::string title_of(const Field& field, int component) {
  return field.components() == 1 ? field.name()
         : component < 0         ? fmt::format("|{}|", field.name())
                                 : fmt::format("{}[{}]", field.name(), component);
}

void note_grey(Session& session, const Source& source, const std::string& name, std::uint64_t count) {
  if (count == 0) return;
  session.note(fmt::format("{} of '{}' in '{}' {} drawn in grey, being NaN or infinite",
                           counted(count, "value", "values"), name, source.file.string(),
                           count == 1 ? "is" : "are"));
}

/// Makes the field the only one of the source and grows the coloring's range to it.
void color_source(Session& session, const ColorOptions& options, Source& source, Coloring& coloring) {
  const FieldChoice choice = choose_field(session, source.input, options.field, {.average_cells = false});
  check_field_length(source, choice);
  const int component = parse_component(options.component, *choice.field);
  const std::string name = choice.field->name();
  coloring.title = title_of(*choice.field, component);
  session.result()["field"] = name;
  Field drawn = make_drawn_field(*choice.field, component);
  const FieldRange range = compute_range(drawn);
  note_grey(session, source, name, range.nan_count);
  if (range.lowest.is_number()) {
    coloring.lowest = std::fmin(coloring.lowest, range.lowest.get<double>());
    coloring.highest = std::fmax(coloring.highest, range.highest.get<double>());
  }
  keep_only(source.input.mesh, std::move(drawn), choice.association);
  source.is_colored = true;
}

/// Reads a file with its cells as they are; those of simplices alone are in the mesh.
Source read_source(Session& session, InputOptions reading, const std::filesystem::path& file) {
  reading.file = file;
  CellMesh cells;
  Source source = {file, read_input(session, reading, &cells), std::nullopt};
  for (const std::string& note : source.input.report.notes) session.note(note);
  if (cells.cell_count() == 0) return source;
  const std::string hidden = cells.dimension() == 3 ? list_types(cells.types, 0, 2) : "";
  if (!hidden.empty())
    session.note(fmt::format("Not drawn, being of a lower dimension than the mesh: {}.", hidden));
  TriMesh points;
  points.points = std::move(cells.points);
  points.point_data = std::move(cells.point_data);
  points.cell_data = std::move(cells.cell_data);
  source.input.mesh = std::move(points);
  source.cells = std::move(cells);
  return source;
}

/// Points, lines and polygons of a source that are marks, or are said to be.
PolyData take_poly(Source source, Scene& scene) {
  scene.mark_room.push_back(std::move(source.input.reservation));
  CellMesh cells = source.cells ? std::move(*source.cells) : CellMesh{};
  if (TriMesh* points = std::get_if<TriMesh>(&source.input.mesh)) {
    cells.points = std::move(points->points);
    cells.point_data = std::move(points->point_data);
    cells.cell_data = source.cells ? std::move(points->cell_data) : FieldSet{};
  }
  return make_poly(std::move(cells));
}

/// Points alone that have a CriticalType or CellDimension.
bool are_critical_points(const Source& source) {
  if (!source.cells || source.cells->dimension() != 0) return false;
  const FieldSet& fields = std::get<TriMesh>(source.input.mesh).point_data;
  return fields.has("CriticalType") || fields.has("CellDimension");
}

/// Lines that have a SeparatrixType.
bool are_separatrices(const Source& source) {
  return source.cells && source.cells->dimension() == 1 &&
         std::get<TriMesh>(source.input.mesh).cell_data.has("SeparatrixType");
}

}  // namespace

bool Source::is_solid() const {
  if (cells) return cells->dimension() == 3;
  const Grid* grid = std::get_if<Grid>(&input.mesh);
  return std::holds_alternative<TetMesh>(input.mesh) || (grid != nullptr && dimension(*grid) == 3);
}

std::size_t Source::cell_count() const {
  return cells ? cells->cell_count() : cli::cell_count(input.mesh);
}

std::string_view Source::kind() const {
  return cells ? kind_name(*cells) : kind_name(input.mesh);
}

Scene read_scene(Session& session, const SceneFiles& files) {
  Scene scene;
  bool may_be_mark = !files.colors_first;
  InputOptions reading = files.reading;
  for (const std::filesystem::path& file : files.files) {
    Source source = read_source(session, reading, file);
    reading.raw = {};
    reading.format.clear();
    if (may_be_mark && are_critical_points(source)) {
      scene.marks.critical_points.push_back(take_poly(std::move(source), scene));
    } else if (may_be_mark && are_separatrices(source)) {
      scene.marks.separatrices.push_back(take_poly(std::move(source), scene));
    } else {
      scene.sources.push_back(std::move(source));
    }
    may_be_mark = true;
  }
  const auto read_marks = [&](const std::filesystem::path& file, std::vector<PolyData>& marks) {
    if (!file.empty()) marks.push_back(take_poly(read_source(session, reading, file), scene));
  };
  read_marks(files.critical_points, scene.marks.critical_points);
  read_marks(files.separatrices, scene.marks.separatrices);
  return scene;
}

Box find_box(const Scene& scene) {
  Box box = no_box;
  for (const Source& source : scene.sources) add_to_box(box, source.input.mesh);
  for (const PolyData& points : scene.marks.critical_points) add_to_box(box, points.points);
  for (const PolyData& paths : scene.marks.separatrices) add_to_box(box, paths.points);
  return box;
}

Box find_box(const AnyMesh& mesh) {
  Box box = no_box;
  add_to_box(box, mesh);
  return box;
}

std::optional<Coloring> color_scene(Session& session, const ColorOptions& options, Scene& scene) {
  std::optional<Error> missing;
  Coloring coloring;
  coloring.lowest = coloring.highest = std::numeric_limits<double>::quiet_NaN();
  for (Source& source : scene.sources) {
    if (!options.field.empty()) {
      try {
        color_source(session, options, source, coloring);
      } catch (const Error& error) {
        if (error.code() != ErrorCode::not_found) throw;
        if (!missing) missing = error;
      }
    }
    if (!source.is_colored) keep_only(source.input.mesh, std::nullopt, Association::points);
  }
  if (std::ranges::none_of(scene.sources, &Source::is_colored)) {
    if (missing) throw Error(*missing);
    return std::nullopt;
  }
  coloring.colormap = options.colormap;
  coloring.has_bar = options.has_bar;
  if (options.range) std::tie(coloring.lowest, coloring.highest) = *options.range;
  if (!coloring.is_constant() && !std::isnormal(coloring.highest - coloring.lowest)) {
    throw Error(
        ErrorCode::bad_option,
        fmt::format("the values from {:g} to {:g} are too far apart or too near for colours; choose --range",
                    coloring.lowest, coloring.highest));
  }
  return coloring;
}

}  // namespace tessera::cli
