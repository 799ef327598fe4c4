#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include <tessera/core/config.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/core/error.h>
#include <tessera/exec/detail/stoppable.h>
#include <tessera/exec/for_each.h>
#include <tessera/generate/detail/common/blend.h>
#include <tessera/generate/detail/common/checks.h>
#include <tessera/generate/detail/common/parts.h>
#include <tessera/generate/detail/keys/pair_groups.h>
#include <tessera/generate/detail/tetrahedralize/cuda/tetrahedralize.h>
#include <tessera/generate/detail/tetrahedralize/solid_rules.h>
#include <tessera/generate/tetrahedralize.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;

using solid::parts_of;
using solid::quads_of;

/// 12 edges as pairs of a hexahedron's corners.
constexpr std::array<std::array<std::uint8_t, 2>, 12> hexahedron_edges = {
    {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}};

/// Two colours for points so that each edge of each hexahedron joins both: sets of points that are tied to
/// each other, with the colour of each against its parent's.
class Checkerboard {
 public:
  explicit Checkerboard(size_t points) : parent_(points), differs_(points, 0) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }
  /// The colour of a point; 0 for the lowest one of its set.
  std::uint8_t colour(uint32_t point) {
    find(point);
    return parent_[point] == point ? 0 : differs_[point];
  }
  /// Gives two points different colours; false if they have the same one already.
  [[nodiscard]] bool try_part(uint32_t a, uint32_t b) {
    const std::uint8_t of_a = colour(a);
    const std::uint8_t of_b = colour(b);
    const uint32_t low = std::min(parent_[a], parent_[b]);
    const uint32_t high = std::max(parent_[a], parent_[b]);
    if (low == high) return of_a != of_b;
    parent_[high] = low;
    differs_[high] = of_a == of_b ? 1 : 0;
    return true;
  }

 private:
  /// Makes the set's lowest point the parent of all points on the way to it.
  void find(uint32_t point) {
    way_.clear();
    while (parent_[point] != point) {
      way_.push_back(point);
      point = parent_[point];
    }
    std::uint8_t sum = 0;
    for (size_t i = way_.size(); i-- > 0;) {
      sum = static_cast<std::uint8_t>(sum ^ differs_[way_[i]]);
      differs_[way_[i]] = sum;
      parent_[way_[i]] = point;
    }
  }

  Array<uint32_t> parent_;
  Array<std::uint8_t> differs_;
  Array<uint32_t> way_;
};

/// Where the parts of each cell begin.
template <class Count>
Array<std::uint64_t> starts(const CellMesh& solids, const Count& count) {
  Array<std::uint64_t> result(solids.cell_count() + 1);
  std::uint64_t next = 0;
  for (size_t c = 0; c < solids.cell_count(); ++c) {
    result[c] = next;
    next += count(solids.types[c]);
  }
  result.back() = next;
  return result;
}

Array<std::uint8_t> colour_points(const CellMesh& solids) {
  Checkerboard board(solids.vertex_count());
  for (size_t c = 0; c < solids.cell_count(); ++c) {
    if (dimension_of(solids.types[c]) < 3) continue;
    const auto refuse = [&](const std::string& reason) {
      throw Error(ErrorCode::unsupported, "cell " + std::to_string(c) + " " + reason +
                                              "; cut into six tetrahedra a cell or face-centred instead");
    };
    if (solids.types[c] != CellType::hexahedron)
      refuse("is no hexahedron, and only hexahedra can be cut into five tetrahedra");
    for (const auto& edge : hexahedron_edges) {
      if (!board.try_part(solids.cells[c][edge[0]].index(), solids.cells[c][edge[1]].index()))
        refuse("closes a ring of an odd number of edges, around which five tetrahedra a cell do not match");
    }
  }
  Array<std::uint8_t> colours(solids.vertex_count());
  for (uint32_t v = 0; v < colours.size(); ++v) colours[v] = board.colour(v);
  return colours;
}

solid::Plan make_plan(const CellMesh& solids, TetMethod method) {
  solid::Plan plan{.method = method,
                   .first_part = starts(solids, [&](CellType type) { return parts_of(type, method); })};
  expect_ids(static_cast<double>(plan.first_part.back()), "tetrahedra");
  if (method == TetMethod::five) plan.colours = colour_points(solids);
  if (method != TetMethod::face_centred) return plan;
  plan.first_quad = starts(solids, quads_of);
  plan.centre.resize(solids.cell_count());
  for (size_t c = 0; c < solids.cell_count(); ++c) {
    plan.centre[c] = static_cast<uint32_t>(plan.centred.size());
    if (dimension_of(solids.types[c]) == 3 && solids.types[c] != CellType::tetrahedron)
      plan.centred.push_back(static_cast<uint32_t>(c));
  }
  return plan;
}

/// The quadrilaterals of all cells, numbered by their two lowest vertices, then by that pair and the third.
struct Faces {
  Array<VertexId> connections;  ///< of each quadrilateral of each cell
  Array<solid::Quad> corners;   ///< of each face: those of the first one

  Faces(const CellMesh& solids, const solid::View& view, const solid::Plan& plan, const Exec& exec) {
    Array<solid::Quad> quads(plan.first_quad.back());
    host_for_each(exec, solids.cell_count(), solid::ListQuads{view, plan.first_quad.data(), quads.data()});
    Array<VertexId> pair(quads.size());
    const size_t pairs = fill_pair_connections(
                             pair, solids.vertex_count(),
                             [&](size_t q) { return unordered_pair(quads[q][0], quads[q][1]); }, exec)
                             .size();
    connections.resize(quads.size());
    const size_t faces = fill_pair_connections(
                             connections, pairs,
                             [&](size_t q) {
                               return PairKey{pair[q].index(), quads[q][2].index()};
                             },
                             exec)
                             .size();
    corners.resize(faces);
    for (size_t q = quads.size(); q-- > 0;) corners[connections[q].index()] = quads[q];
  }
};

TetMesh cut_on_host(const CellMesh& solids, const solid::Plan& plan, const Exec& exec) {
  TetMesh mesh;
  const solid::View view{solids.types.data(), solids.cells.offsets.data(), solids.cells.corners.data()};
  solid::CutSolid cut{.solids = view,
                      .method = plan.method,
                      .first_part = plan.first_part.data(),
                      .colours = plan.colours.data(),
                      .points = static_cast<uint32_t>(solids.vertex_count())};
  std::optional<Faces> faces;
  if (plan.method == TetMethod::face_centred) {
    faces.emplace(solids, view, plan, exec);
    const size_t first_centre = solids.vertex_count() + faces->corners.size();
    const size_t vertices = first_centre + plan.centred.size();
    expect_ids(static_cast<double>(vertices), "points");
    const solid::MiddleRule rule{solids.vertex_count(), first_centre, view, faces->corners.data(),
                                 plan.centred.data()};
    mesh.points = blend(solids.points, vertices, rule, exec);
    mesh.point_data = blend(solids.point_data, vertices, rule, exec);
    cut.first_quad = plan.first_quad.data();
    cut.faces = faces->connections.data();
    cut.centre = plan.centre.data();
    cut.first_centre = static_cast<uint32_t>(first_centre);
  } else {
    mesh.points = solids.points;
    mesh.point_data = solids.point_data;
  }
  mesh.cells.resize(plan.first_part.back());
  cut.parts = mesh.cells.data();
  host_for_each(exec, solids.cell_count(), cut);
  return mesh;
}

/// The cell of each part.
Array<uint32_t> sources_of(const solid::Plan& plan, const Exec& exec) {
  Array<uint32_t> result(plan.first_part.back());
  host_for_each(exec, plan.first_part.size() - 1, [&](size_t c) {
    std::fill(result.data() + plan.first_part[c], result.data() + plan.first_part[c + 1],
              static_cast<uint32_t>(c));
  });
  return result;
}

void check_solids(const CellMesh& solids) {
  for (size_t c = 0; c < solids.cell_count(); ++c) {
    const auto corners = solids.cells[c];
    if (dimension_of(solids.types[c]) == 3 && corners.size() != corner_count(solids.types[c])) {
      throw Error(ErrorCode::bad_mesh, "cell " + std::to_string(c) + " has " +
                                           std::to_string(corners.size()) + " corners, but its type has " +
                                           std::to_string(corner_count(solids.types[c])));
    }
    for (const VertexId v : corners) {
      if (v.index() < solids.vertex_count()) continue;
      throw Error(ErrorCode::bad_mesh, "cell " + std::to_string(c) + " names point " +
                                           std::to_string(v.index()) + ", but there are " +
                                           std::to_string(solids.vertex_count()) + " points");
    }
  }
  expect_tuples(solids.point_data, solids.vertex_count(), "points");
  expect_tuples(solids.cell_data, solids.cell_count(), "cells");
}

}  // namespace

Tetrahedralization tetrahedralize(const CellMesh& solids, const TetrahedralizeOptions& options) {
  TS_EXPECTS(solids.types.size() == solids.cells.size());
  check_solids(solids);
  const Exec exec = host_for(options.exec, solids.cell_count());
  monitor_of(options.monitor).update("cutting cells", 0);
  const solid::Plan plan = make_plan(solids, options.method);
  Tetrahedralization result;
  if constexpr (built_with_cuda) {
    if (options.exec.is_cuda())
      result.mesh = cuda::cut_solids(solids, plan, stoppable(options.exec, options.monitor));
  }
  if (!options.exec.is_cuda()) result.mesh = cut_on_host(solids, plan, exec);
  result.cells = sources_of(plan, exec);
  result.mesh.cell_data = solids.cell_data.gather(result.cells);
  result.mesh.field_data = solids.field_data;
  const Array<uint32_t> dropped = drop_degenerate(result.mesh, exec);
  if (!options.keep_provenance) {
    result.cells = {};
  } else if (!dropped.empty()) {
    Array<uint32_t> kept;
    for (size_t t = 0, d = 0; t < result.cells.size(); ++t) {
      if (d < dropped.size() && dropped[d] == t) {
        ++d;
      } else {
        kept.push_back(result.cells[t]);
      }
    }
    result.cells = std::move(kept);
  }
  return result;
}

Bytes tetrahedralization_bytes(const CellMesh& solids, TetMethod method) {
  double parts = 0;
  double quads = 0;
  for (const CellType type : solids.types) {
    parts += static_cast<double>(parts_of(type, method));
    quads += static_cast<double>(quads_of(type));
  }
  expect_ids(parts, "tetrahedra");
  const double added =
      method == TetMethod::face_centred ? quads + static_cast<double>(solids.cell_count()) : 0;
  return static_cast<Bytes>(parts * (sizeof(TetMesh::Cell) + sizeof(uint32_t)) +
                            (static_cast<double>(solids.vertex_count()) + added) * sizeof(Vec3d));
}

Work tetrahedralization_work(const CellMesh& solids, TetMethod method) {
  const Bytes bytes = tetrahedralization_bytes(solids, method);
  return {0.4e-9 * static_cast<double>(bytes), bytes + solids.bytes() + 400 * solids.cell_count()};
}

}  // namespace tessera
