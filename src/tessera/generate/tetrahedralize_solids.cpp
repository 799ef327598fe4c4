#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include <tessera/core/error.h>
#include <tessera/exec/for_each.h>
#include <tessera/generate/blend.h>
#include <tessera/generate/checks.h>
#include <tessera/generate/pair_groups.h>
#include <tessera/generate/parts.h>
#include <tessera/generate/tetrahedralize.h>

namespace tessera {
namespace {

using std::size_t;
using std::uint32_t;

size_t quads_of(SolidType type) {
  return type == SolidType::hexahedron ? 6
         : type == SolidType::wedge    ? 3
         : type == SolidType::pyramid  ? 1
                                       : 0;
}

size_t parts_of(SolidType type, TetMethod method) {
  if (type == SolidType::tetrahedron) return 1;
  if (method == TetMethod::face_centred) {
    return 4 * quads_of(type) + (faces_of(type).size() - quads_of(type));
  }
  if (method == TetMethod::five) return 5;
  return type == SolidType::hexahedron ? 6 : type == SolidType::wedge ? 3 : 2;
}

/// 12 edges as pairs of a hexahedron's corners.
constexpr std::array<std::array<std::uint8_t, 2>, 12> hexahedron_edges = {
    {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}};
/// The five parts: with the corners 0, 2, 5, 7 in the middle, or with the others.
constexpr std::array<std::array<std::array<std::uint8_t, 4>, 5>, 2> five_parts = {
    {{{{0, 5, 2, 7}, {1, 0, 5, 2}, {3, 2, 7, 0}, {4, 5, 0, 7}, {6, 7, 2, 5}}},
     {{{1, 3, 4, 6}, {0, 1, 3, 4}, {2, 3, 1, 6}, {5, 4, 6, 1}, {7, 6, 4, 3}}}}};

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

class SolidCutter {
 public:
  SolidCutter(const SolidMesh& solids, const TetrahedralizeOptions& options)
      : solids_(solids), method_(options.method), exec_(Exec::host(options.exec.threads())) {
    first_part_ = starts([&](SolidType type) { return parts_of(type, method_); });
    expect_ids(static_cast<double>(first_part_.back()), "tetrahedra");
  }

  TetMesh run() {
    TetMesh mesh;
    mesh.cells.resize(first_part_.back());
    if (method_ == TetMethod::five) colour_points();
    if (method_ == TetMethod::face_centred) {
      find_faces();
      const size_t vertices = first_centre_ + solids_.cell_count();
      expect_ids(static_cast<double>(vertices), "points");
      take_points(mesh);
    } else {
      mesh.points = solids_.points;
      mesh.point_data = solids_.point_data;
    }
    host_for_each(exec_, solids_.cell_count(), [&](size_t c) { cut(c, mesh.cells.data() + first_part_[c]); });
    return mesh;
  }

  /// The cell of each part.
  [[nodiscard]] Array<uint32_t> sources() const {
    Array<uint32_t> result(first_part_.back());
    host_for_each(exec_, solids_.cell_count(), [&](size_t c) {
      std::fill(result.data() + first_part_[c], result.data() + first_part_[c + 1], static_cast<uint32_t>(c));
    });
    return result;
  }

 private:
  template <class Count>
  [[nodiscard]] Array<std::uint64_t> starts(const Count& count) const {
    Array<std::uint64_t> result(solids_.cell_count() + 1);
    std::uint64_t next = 0;
    for (size_t c = 0; c < solids_.cell_count(); ++c) {
      result[c] = next;
      next += count(solids_.types[c]);
    }
    result.back() = next;
    return result;
  }

  void colour_points() {
    Checkerboard board(solids_.vertex_count());
    for (size_t c = 0; c < solids_.cell_count(); ++c) {
      const auto refuse = [&](const std::string& reason) {
        throw Error(ErrorCode::unsupported, "cell " + std::to_string(c) + " " + reason +
                                                "; cut into six tetrahedra a cell or face-centred instead");
      };
      if (solids_.types[c] != SolidType::hexahedron)
        refuse("is no hexahedron, and only hexahedra can be cut into five tetrahedra");
      for (const auto& edge : hexahedron_edges) {
        if (!board.try_part(solids_.cells[c][edge[0]].index(), solids_.cells[c][edge[1]].index()))
          refuse("closes a ring of an odd number of edges, around which five tetrahedra a cell do not match");
      }
    }
    colours_.resize(solids_.vertex_count());
    for (uint32_t v = 0; v < colours_.size(); ++v) colours_[v] = board.colour(v);
  }

  /// Numbers the quadrilaterals: by their two lowest vertices, then by that pair and the third lowest.
  void find_faces() {
    first_quad_ = starts(quads_of);
    Array<std::array<VertexId, 4>> quads(first_quad_.back());
    host_for_each(exec_, solids_.cell_count(), [&](size_t c) {
      auto* to = quads.data() + first_quad_[c];
      for (const SolidFace& face : faces_of(solids_.types[c])) {
        if (face[3] < 0) continue;
        for (size_t i = 0; i < 4; ++i) (*to)[i] = solids_.cells[c][static_cast<size_t>(face[i])];
        std::ranges::sort(*to++);
      }
    });
    Array<VertexId> pair(quads.size());
    const size_t pairs = fill_pair_connections(
                             pair, solids_.vertex_count(),
                             [&](size_t q) { return unordered_pair(quads[q][0], quads[q][1]); }, exec_)
                             .size();
    faces_.resize(quads.size());
    const size_t faces = fill_pair_connections(
                             faces_, pairs,
                             [&](size_t q) {
                               return PairKey{pair[q].index(), quads[q][2].index()};
                             },
                             exec_)
                             .size();
    corners_.resize(faces);
    for (size_t q = quads.size(); q-- > 0;) corners_[faces_[q].index()] = quads[q];  // of the first one
    first_centre_ = solids_.vertex_count() + faces;
  }

  /// New points are the means of the corners of their face or cell. Tetrahedra have none, so a cell without
  /// parts of its own takes no place.
  void take_points(TetMesh& mesh) {
    centre_.resize(solids_.cell_count());
    Array<uint32_t> centred;
    for (size_t c = 0; c < solids_.cell_count(); ++c) {
      centre_[c] = static_cast<uint32_t>(first_centre_ + centred.size());
      if (solids_.types[c] != SolidType::tetrahedron) centred.push_back(static_cast<uint32_t>(c));
    }
    const auto rule = [&](size_t v, const auto& take) {
      if (v < solids_.vertex_count()) return take(v, 1.0);
      const std::span<const VertexId> from =
          v < first_centre_ ? std::span<const VertexId>(corners_[v - solids_.vertex_count()])
                            : solids_.cells[centred[v - first_centre_]];
      for (const VertexId corner : from) take(corner.index(), 1.0 / static_cast<double>(from.size()));
    };
    const size_t vertices = first_centre_ + centred.size();
    mesh.points = blend(solids_.points, vertices, rule, exec_);
    mesh.point_data = blend(solids_.point_data, vertices, rule, exec_);
  }

  void cut(size_t c, TetMesh::Cell* to) const {
    const SolidType type = solids_.types[c];
    const std::span<const VertexId> v = solids_.cells[c];
    if (type == SolidType::tetrahedron) {
      *to = {v[0], v[1], v[2], v[3]};
    } else if (method_ == TetMethod::five) {
      for (const auto& tet : five_parts[colours_[v[0].index()]])
        *to++ = {v[tet[0]], v[tet[1]], v[tet[2]], v[tet[3]]};
    } else if (method_ == TetMethod::six) {
      std::fill_n(to, parts_of(type, method_), TetMesh::Cell{v[0], v[0], v[0], v[0]});  // fewer if v repeats
      cut_from_smallest(type, v, [&](const TetMesh::Cell& tet) { *to++ = tet; });
    } else {
      cut_centred(c, to);
    }
  }

  void cut_centred(size_t c, TetMesh::Cell* to) const {
    const std::span<const VertexId> v = solids_.cells[c];
    const VertexId centre(centre_[c]);
    const VertexId* face = faces_.data() + first_quad_[c];
    for (const SolidFace& f : faces_of(solids_.types[c])) {
      const auto corner = [&](size_t i) { return v[static_cast<size_t>(f[i])]; };
      if (f[3] < 0) {
        *to++ = {corner(0), corner(2), corner(1), centre};
        continue;
      }
      const VertexId middle(static_cast<uint32_t>(solids_.vertex_count()) + (face++)->index());
      for (size_t e = 0; e < 4; ++e) *to++ = {corner((e + 1) % 4), corner(e), middle, centre};
    }
  }

  const SolidMesh& solids_;
  TetMethod method_;
  Exec exec_;
  Array<std::uint64_t> first_part_;         ///< of each cell
  Array<std::uint8_t> colours_;             ///< of each point, for five
  Array<std::uint64_t> first_quad_;         ///< of each cell; the rest is for face_centred
  Array<VertexId> faces_;                   ///< of each quadrilateral of each cell
  Array<std::array<VertexId, 4>> corners_;  ///< of each face
  Array<uint32_t> centre_;                  ///< the vertex in each cell
  size_t first_centre_ = 0;
};

void check_solids(const SolidMesh& solids) {
  for (size_t c = 0; c < solids.cell_count(); ++c) {
    const auto corners = solids.cells[c];
    if (corners.size() != corner_count(solids.types[c])) {
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

Tetrahedralization tetrahedralize(const SolidMesh& solids, const TetrahedralizeOptions& options) {
  TS_EXPECTS(solids.types.size() == solids.cells.size());
  check_solids(solids);
  const Exec exec = Exec::host(options.exec.threads());
  if (options.monitor != nullptr) options.monitor->update("cutting cells", 0);
  SolidCutter cutter(solids, options);
  Tetrahedralization result;
  result.mesh = cutter.run();
  result.cells = cutter.sources();
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

Bytes tetrahedralization_bytes(const SolidMesh& solids, TetMethod method) {
  double parts = 0;
  double quads = 0;
  for (const SolidType type : solids.types) {
    parts += static_cast<double>(parts_of(type, method));
    quads += static_cast<double>(quads_of(type));
  }
  expect_ids(parts, "tetrahedra");
  const double added =
      method == TetMethod::face_centred ? quads + static_cast<double>(solids.cell_count()) : 0;
  return static_cast<Bytes>(parts * (sizeof(TetMesh::Cell) + sizeof(uint32_t)) +
                            (static_cast<double>(solids.vertex_count()) + added) * sizeof(Vec3d));
}

}  // namespace tessera
