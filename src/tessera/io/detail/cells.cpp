#include <tessera/io/detail/cells.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>

#include <vtkCellTypes.h>

namespace tessera::detail::io {
namespace {

constexpr std::array<std::string_view, 15> type_names = {
    "empty cell", "vertex", "poly-vertex", "line",  "poly-line",  "triangle", "triangle strip", "polygon",
    "pixel",      "quad",   "tetrahedron", "voxel", "hexahedron", "wedge",    "pyramid"};
/// -1: any number of corners.
constexpr std::array<int, 15> corner_counts = {-1, 1, -1, 2, -1, 3, -1, -1, 4, 4, 4, 8, 8, 6, 5};

bool is_surface(std::uint8_t type) {
  return type >= triangle && type <= quad;
}
bool is_solid(std::uint8_t type) {
  return type >= tetrahedron && type <= pyramid;
}

/// The types there are, with their counts.
struct Census {
  std::array<std::uint64_t, 256> counts = {};

  [[nodiscard]] std::uint64_t of(bool (*is_kind)(std::uint8_t)) const {
    std::uint64_t sum = 0;
    for (int type = 0; type < 256; ++type) sum += is_kind(static_cast<std::uint8_t>(type)) ? counts[type] : 0;
    return sum;
  }
  /// "12 hexahedron, 3 wedge" for the kind.
  [[nodiscard]] std::string say(bool (*is_kind)(std::uint8_t)) const {
    std::string text;
    for (int type = 0; type < 256; ++type) {
      if (counts[type] == 0 || !is_kind(static_cast<std::uint8_t>(type))) continue;
      text += (text.empty() ? "" : ", ") + std::to_string(counts[type]) + " " +
              cell_type_name(static_cast<std::uint8_t>(type));
    }
    return text;
  }
};

Census count_types(const Array<std::uint8_t>& types, FileReport& report) {
  Census census;
  for (const std::uint8_t type : types) ++census.counts[type];
  for (int type = 0; type < 256; ++type) {
    if (census.counts[type] > 0) {
      report.cells.push_back({cell_type_name(static_cast<std::uint8_t>(type)), census.counts[type]});
    }
  }
  return census;
}

/// Are all cells of the type, with `corners` corners each?
bool is_uniform(const RawMesh& raw, const Census& census, std::uint8_t type, std::uint64_t corners) {
  return census.counts[type] == raw.types.size() && raw.ends.is_uniform(corners);
}

void check_corner_counts(const Input& input, const RawMesh& raw) {
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < raw.types.size(); ++i) {
    const int wanted = corner_counts[raw.types[i]];
    const std::uint64_t corners = raw.ends[i] - begin;
    if (wanted >= 0 && corners != static_cast<std::uint64_t>(wanted)) {
      input.fail("cell " + std::to_string(i) + " is a " + cell_type_name(raw.types[i]) + " with " +
                 std::to_string(corners) + " corners");
    }
    begin = raw.ends[i];
  }
}

void check_types(const Input& input, const Census& census) {
  const std::string strange = census.say([](std::uint8_t type) { return type > pyramid; });
  if (!strange.empty()) {
    input.refuse("holds cells that Tessera cannot read: " + strange + "; convert them to linear cells first");
  }
}

/// Refuses cells that only a cut would turn into simplices, unless it was asked for.
void check_cuts(const Input& input, const Census& census, bool is_volume, const ReadOptions& options,
                FileReport& report) {
  const std::string to_cut =
      is_volume ? census.say([](std::uint8_t type) { return is_solid(type) && type != tetrahedron; })
                : census.say([](std::uint8_t type) {
                    return is_surface(type) && type != triangle && type != triangle_strip;
                  });
  if (to_cut.empty()) return;
  const std::string parts = is_volume ? "tetrahedra" : "triangles";
  if (!options.simplices) {
    const std::uint64_t others = is_volume ? census.counts[tetrahedron] : census.counts[triangle];
    input.refuse("holds " + to_cut + (others > 0 ? " beside " + std::to_string(others) + " " + parts : "") +
                 "; ask for simplices to cut them into " + parts);
  }
  report.notes.push_back("Cut into " + parts + ": " + to_cut + ".");
}

void note_left_out(const Census& census, bool is_volume, FileReport& report) {
  const std::string lower = is_volume ? census.say([](std::uint8_t type) { return type < tetrahedron; })
                                      : census.say([](std::uint8_t type) { return type < triangle; });
  if (!lower.empty())
    report.notes.push_back("Left out, being of a lower dimension than the mesh: " + lower + ".");
  if (!is_volume && census.counts[triangle_strip] > 0) {
    report.notes.push_back("Triangle strips were taken apart into their triangles.");
  }
}

template <class Mesh>
Mesh with_data(RawMesh& raw) {
  Mesh mesh;
  mesh.points = std::move(raw.points);
  mesh.point_data = std::move(raw.point_data);
  mesh.field_data = std::move(raw.field_data);
  return mesh;
}

/// The common case: the corners go straight to the cells, and nothing else is in memory by then.
template <class Mesh>
Mesh take_simplices(const Input& input, RawMesh& raw, const FillCorners& fill_corners) {
  Mesh mesh = with_data<Mesh>(raw);
  mesh.cell_data = std::move(raw.cell_data);
  const std::size_t count = raw.types.size();
  raw.types = {};
  mesh.cells.resize(count);
  static_assert(sizeof(typename Mesh::Cell) == Mesh::corners * sizeof(VertexId));
  CornerSink sink(input, {reinterpret_cast<VertexId*>(mesh.cells.data()), count * Mesh::corners},
                  mesh.points.size(), raw.ends);
  fill_corners(sink);
  return mesh;
}

bool try_emit_parts(std::uint8_t type, std::span<const VertexId> corners, const Points&,
                    const std::function<void(const TetMesh::Cell&)>& emit) {
  if (type == tetrahedron) {
    emit({corners[0], corners[1], corners[2], corners[3]});
  } else if (is_solid(type)) {
    cut_solid(type, corners, emit);
  }
  return true;
}

bool try_emit_parts(std::uint8_t type, std::span<const VertexId> corners, const Points& points,
                    const std::function<void(const TriMesh::Cell&)>& emit) {
  if (type == triangle_strip) {
    cut_strip(corners, emit);
  } else if (is_surface(type)) {
    return try_cut_polygon(type, corners, points, emit);
  }
  return true;
}

template <class Cell>
bool has_repeated_corner(Cell cell) {
  std::sort(cell.begin(), cell.end());
  return std::adjacent_find(cell.begin(), cell.end()) != cell.end();
}

/// The general case: cell by cell, with `source` naming the file's cell that each part came from.
template <class Mesh>
Mesh cut_cells(const Input& input, RawMesh& raw, const FillCorners& fill_corners, FileReport& report) {
  Mesh mesh = with_data<Mesh>(raw);
  Array<VertexId> corners(raw.ends.last());
  CornerSink sink(input, corners, mesh.points.size(), raw.ends);
  fill_corners(sink);

  Array<std::uint32_t> source;
  std::uint64_t collapsed = 0;
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < raw.types.size(); ++i) {
    const std::uint8_t type = raw.types[i];
    const std::span<const VertexId> own(corners.data() + begin, raw.ends[i] - begin);
    const bool is_simplex = type == (Mesh::dimension == 3 ? tetrahedron : triangle);
    const bool is_cut = try_emit_parts(type, own, mesh.points, [&](const typename Mesh::Cell& part) {
      // A hexahedron with two equal corners is how many programs write a wedge: its flat parts are no loss.
      if (!is_simplex && has_repeated_corner(part)) return void(++collapsed);
      mesh.cells.push_back(part);
      source.push_back(static_cast<std::uint32_t>(i));
    });
    if (!is_cut) {
      input.refuse("cell " + std::to_string(i) + " is a concave polygon of " + std::to_string(own.size()) +
                   " corners; at most " + std::to_string(most_concave_corners) + " can be cut");
    }
    begin = raw.ends[i];
  }
  if (collapsed > 0) {
    report.notes.push_back("Left out " + std::to_string(collapsed) +
                           " parts of cut cells that name a point twice.");
  }
  mesh.cell_data = raw.cell_data.gather(source);
  return mesh;
}

/// The solids as they are, for read_solids().
SolidMesh take_solids(const Input& input, RawMesh& raw, const FillCorners& fill_corners) {
  SolidMesh mesh;
  Array<VertexId> corners(raw.ends.last());
  CornerSink sink(input, corners, raw.points.size(), raw.ends);
  fill_corners(sink);
  Array<std::uint32_t> source;
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < raw.types.size(); begin = raw.ends[i++]) {
    const std::uint8_t type = raw.types[i];
    if (!is_solid(type)) continue;
    VertexId* const own = corners.data() + begin;
    if (type == voxel) {  // VTK numbers a voxel's corners like a lattice, not around
      std::swap(own[2], own[3]);
      std::swap(own[6], own[7]);
    }
    mesh.types.push_back(type == voxel ? SolidType::hexahedron : static_cast<SolidType>(type));
    mesh.cells.add({own, raw.ends[i] - begin});
    source.push_back(static_cast<std::uint32_t>(i));
  }
  mesh.points = std::move(raw.points);
  mesh.point_data = std::move(raw.point_data);
  mesh.cell_data = raw.cell_data.gather(source);
  mesh.field_data = std::move(raw.field_data);
  return mesh;
}

}  // namespace

void name_polygons(RawMesh& raw) {
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < raw.types.size(); ++i) {
    const std::uint64_t corners = raw.ends[i] - begin;
    if (raw.types[i] == polygon && corners == 3) raw.types[i] = triangle;
    if (raw.types[i] == polygon && corners == 4) raw.types[i] = quad;
    begin = raw.ends[i];
  }
}

void CornerSink::refuse(std::uint64_t place, const std::string& corner) const {
  input_.fail("cell " + std::to_string(ends_.cell_of(place)) + " names point " + corner + ", but there are " +
              std::to_string(limit_) + " points");
}

std::string cell_type_name(std::uint8_t type) {
  if (type < type_names.size()) return std::string(type_names[type]);
  // "vtkQuadraticTetra" -> "quadratic tetra"
  std::string name;
  for (const char c : std::string_view(vtkCellTypes::GetClassNameFromTypeId(type)).substr(3)) {
    if (std::isupper(static_cast<unsigned char>(c)) != 0 && !name.empty()) name += ' ';
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return name + " (type " + std::to_string(type) + ")";
}

AnyMesh assemble(const Input& input, RawMesh raw, const FillCorners& fill_corners, int dimension,
                 const ReadOptions& options, FileReport& report) {
  if (raw.points.size() > std::numeric_limits<std::uint32_t>::max() ||
      raw.types.size() > std::numeric_limits<std::uint32_t>::max()) {
    input.refuse("has more than 4294967295 points or cells");
  }
  const Census census = count_types(raw.types, report);
  if (raw.types.empty()) {
    if (dimension == 3) return take_simplices<TetMesh>(input, raw, [](CornerSink&) {});
    return take_simplices<TriMesh>(input, raw, [](CornerSink&) {});
  }
  if (options.solids != nullptr && census.of(is_solid) > 0) {
    check_types(input, census);
    check_corner_counts(input, raw);
    note_left_out(census, true, report);
    *options.solids = take_solids(input, raw, fill_corners);
    return TetMesh{};
  }
  if (is_uniform(raw, census, tetrahedron, 4)) return take_simplices<TetMesh>(input, raw, fill_corners);
  if (is_uniform(raw, census, triangle, 3)) return take_simplices<TriMesh>(input, raw, fill_corners);
  check_types(input, census);
  check_corner_counts(input, raw);
  const bool is_volume = census.of(is_solid) > 0 || (census.of(is_surface) == 0 && dimension == 3);
  check_cuts(input, census, is_volume, options, report);
  note_left_out(census, is_volume, report);
  if (is_volume) return cut_cells<TetMesh>(input, raw, fill_corners, report);
  return cut_cells<TriMesh>(input, raw, fill_corners, report);
}

AnyMesh assemble(const Input& input, RawMesh raw, const Array<std::int64_t>& corners,
                 const ReadOptions& options, FileReport& report) {
  const auto fill = [&](CornerSink& sink) { sink.put(std::span<const std::int64_t>(corners)); };
  return assemble(input, std::move(raw), fill, 2, options, report);
}

AnyMesh assemble(const Input& input, Dataset data, const ReadOptions& options, FileReport& report) {
  if (auto* grid = std::get_if<Grid>(&data)) return std::move(*grid);
  auto& cells = *std::get_if<RawCells>(&data);
  const auto fill = [&](CornerSink& sink) { sink.put_checked(cells.corners); };
  return assemble(input, std::move(cells.mesh), fill, cells.dimension, options, report);
}

}  // namespace tessera::detail::io
