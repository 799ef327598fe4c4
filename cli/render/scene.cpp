#include "render/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include <tessera/mesh/triangulate.h>

#include "application/text.h"
#include "data/fields.h"
#include "render/cell_parts.h"
#include "render/vtk_data.h"

namespace tessera::cli {
namespace {

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

constexpr std::uint32_t nowhere = 0xFFFFFFFFu;

/// The new numbers of the points if those that are not finite are taken out; `nowhere` for these.
Array<std::uint32_t> number_placed(const Points& points) {
  Array<std::uint32_t> numbers(points.size(), nowhere);
  std::uint32_t next = 0;
  for (std::uint32_t v = 0; v < numbers.size(); ++v) {
    const Vec3d p = points[VertexId(v)];
    if (std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z)) numbers[v] = next++;
  }
  return numbers;
}

/// Calls keep(cell, its corners) for each cell whose corners stay, by their new numbers. Which they are is
/// returned.
template <class Cells, class Keep>
Array<std::uint32_t> keep_placed(const Cells& cells, const Array<std::uint32_t>& numbers, const Keep& keep) {
  Array<std::uint32_t> kept;
  std::vector<VertexId> corners;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    corners.clear();
    for (const VertexId v : cells[c]) corners.emplace_back(numbers[v.index()]);
    if (std::ranges::find(corners, VertexId(nowhere)) != corners.end()) continue;
    keep(c, corners);
    kept.push_back(static_cast<std::uint32_t>(c));
  }
  return kept;
}

template <int Dim>
Array<std::uint32_t> keep_placed(Array<typename SimplexMesh<Dim>::Cell>& cells,
                                 const Array<std::uint32_t>& numbers) {
  Array<typename SimplexMesh<Dim>::Cell> left;
  Array<std::uint32_t> kept =
      keep_placed(cells, numbers, [&](std::size_t, const std::vector<VertexId>& corners) {
        std::ranges::copy(corners, left.emplace_back().begin());
      });
  cells = std::move(left);
  return kept;
}

Array<std::uint32_t> keep_placed(CellMesh& cells, const Array<std::uint32_t>& numbers) {
  CellMesh left;
  Array<std::uint32_t> kept =
      keep_placed(cells.cells, numbers, [&](std::size_t c, const std::vector<VertexId>& corners) {
        left.cells.add(corners);
        left.types.push_back(cells.types[c]);
      });
  cells = std::move(left);
  return kept;
}

template <int Dim>
void drop_unplaced(SimplexMesh<Dim>& mesh, std::optional<CellMesh>& cells) {
  const Array<std::uint32_t> numbers = number_placed(mesh.points);
  Array<std::uint32_t> points;
  for (std::uint32_t v = 0; v < numbers.size(); ++v) {
    if (numbers[v] != nowhere) points.push_back(v);
  }
  mesh.cell_data =
      mesh.cell_data.gather(cells ? keep_placed(*cells, numbers) : keep_placed<Dim>(mesh.cells, numbers));
  mesh.points = mesh.points.gather(points);
  mesh.point_data = mesh.point_data.gather(points);
}

/// Takes points that are not finite out, and the cells that have them: with one of them, nothing at all would
/// be seen.
void drop_unplaced(Session& session, Source& source) {
  const Extent extent = extent_of(source.input.mesh);
  if (extent.unplaced == 0) return;
  const std::size_t before = source.cell_count();
  std::visit(
      [&](auto& mesh) {
        if constexpr (requires { mesh.cells; }) {
          drop_unplaced(mesh, source.cells);
        } else {
          throw Error(ErrorCode::bad_mesh,
                      fmt::format("'{}' is a grid whose corners are not finite, which cannot be drawn",
                                  source.file.string()));
        }
      },
      source.input.mesh);
  session.note(fmt::format("left out of the picture: of '{}' {}, and {} with them", source.file.string(),
                           describe_unplaced(extent),
                           counted(before - source.cell_count(), "cell", "cells")));
}

/// Reads a file with its cells as they are; those of simplices alone are in the mesh.
Source read_source(Session& session, InputOptions reading, const std::filesystem::path& file) {
  reading.file = file;
  CellMesh cells;
  Source source = {file, read_input(session, reading, &cells), std::nullopt};
  for (const std::string& note : source.input.report.notes) session.note(note);
  if (cells.cell_count() == 0) {
    drop_unplaced(session, source);
    return source;
  }
  const std::string hidden = cells.dimension() == 3 ? list_types(cells.types, 0, 2) : "";
  if (!hidden.empty())
    session.note(fmt::format("Not drawn, being of a lower dimension than the mesh: {}.", hidden));
  TriMesh points;
  points.points = std::move(cells.points);
  points.point_data = std::move(cells.point_data);
  points.cell_data = std::move(cells.cell_data);
  source.input.mesh = std::move(points);
  source.cells = std::move(cells);
  drop_unplaced(session, source);
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

Extent extent_of(const Scene& scene) {
  Extent extent;
  for (const Source& source : scene.sources) extent.add(extent_of(source.input.mesh));
  for (const PolyData& points : scene.marks.critical_points) extent.add(extent_of(points.points));
  for (const PolyData& paths : scene.marks.separatrices) extent.add(extent_of(paths.points));
  return extent;
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
