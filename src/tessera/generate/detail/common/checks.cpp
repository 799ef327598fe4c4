#include <tessera/generate/detail/common/checks.h>

#include <algorithm>
#include <string>

#include <tessera/core/error.h>
#include <tessera/exec/detail/host/reduce.h>

namespace tessera::detail {
namespace {

constexpr std::uint32_t most_ids = 0xFFFFFFFEu;

}  // namespace

void expect_tuples(const FieldSet& fields, std::size_t elements, std::string_view what) {
  for (const Field& field : fields) {
    if (field.size() == elements) continue;
    throw Error(ErrorCode::bad_mesh, "the field '" + field.name() + "' has " + std::to_string(field.size()) +
                                         " values, but there are " + std::to_string(elements) + " " +
                                         std::string(what));
  }
}

void expect_ids(double elements, std::string_view what) {
  if (elements <= most_ids) return;
  const std::string number =
      elements < 1e18 ? std::to_string(static_cast<std::uint64_t>(elements)) : "more than 10^18";
  throw Error(ErrorCode::unsupported, "the result would have " + number + " " + std::string(what) +
                                          ", more than the 4294967294 that a mesh can have");
}

template <int Dim>
void expect_usable(const SimplexMesh<Dim>& mesh, const Exec& exec) {
  using Cell = typename SimplexMesh<Dim>::Cell;
  const std::size_t points = mesh.vertex_count();
  const std::string_view what = Dim == 2 ? "triangle" : "tet";
  const auto highest = [](const Cell& cell) { return std::ranges::max(cell).index(); };
  const std::uint32_t most = host::reduce<std::uint32_t>(
      exec.threads(), mesh.cell_count(), 0, [&](std::size_t c) { return highest(mesh.cells[c]); },
      [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
  if (most >= points && mesh.cell_count() > 0) {
    const auto bad = std::ranges::find_if(mesh.cells, [&](const Cell& c) { return highest(c) >= points; });
    throw Error(ErrorCode::bad_mesh, std::string(what) + " " + std::to_string(bad - mesh.cells.begin()) +
                                         " names point " + std::to_string(highest(*bad)) +
                                         ", but there are " + std::to_string(points) + " points");
  }
  expect_tuples(mesh.point_data, points, "points");
  expect_tuples(mesh.cell_data, mesh.cell_count(), Dim == 2 ? "triangles" : "tets");
}

template void expect_usable<2>(const TriMesh&, const Exec&);
template void expect_usable<3>(const TetMesh&, const Exec&);

}  // namespace tessera::detail
