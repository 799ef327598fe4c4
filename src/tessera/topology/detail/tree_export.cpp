// Merge trees and contour trees as data sets with the names of TTK's filters.
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include <tessera/core/error.h>
#include <tessera/mesh/triangulate.h>
#include <tessera/topology/contour_tree.h>
#include <tessera/topology/detail/check_field.h>
#include <tessera/topology/detail/export_parts.h>
#include <tessera/topology/merge_tree.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;

constexpr uint32_t none = MergeTree::none;

/// TTK's ArcType.
enum class RegionType : std::int8_t { minimum, maximum, saddle1, saddle2, saddle1_saddle2 };

/// What both kinds of tree are written from.
struct PlainTree {
  struct Arc {
    uint32_t lower = none;  ///< nodes
    uint32_t upper = none;
    uint32_t id = none;  ///< the label of its vertices
    uint32_t size = 0;
    uint32_t branch = none;
  };
  Array<uint32_t> vertices;  ///< of the nodes
  Array<Arc> arcs;
  const Array<MergeTree::Branch>* branches = nullptr;
  bool has_sizes = true;

  /// By the numbers of arcs up and down, as TTK has it.
  [[nodiscard]] Array<CriticalType> types() const {
    Array<uint32_t> up(vertices.size(), 0);
    Array<uint32_t> down(vertices.size(), 0);
    for (const Arc& arc : arcs) {
      ++up[arc.lower];
      ++down[arc.upper];
    }
    Array<CriticalType> types(vertices.size());
    for (size_t i = 0; i < types.size(); ++i) {
      types[i] = down[i] == 0 && up[i] <= 1   ? CriticalType::minimum
                 : up[i] == 0 && down[i] == 1 ? CriticalType::maximum
                 : up[i] == 1 && down[i] == 2 ? CriticalType::saddle1
                 : up[i] == 2 && down[i] == 1 ? CriticalType::saddle2
                                              : CriticalType::degenerate;
    }
    return types;
  }
};

RegionType region_type(CriticalType lower, CriticalType upper) {
  if (lower == CriticalType::minimum) return RegionType::minimum;
  if (upper == CriticalType::maximum) return RegionType::maximum;
  if (lower == upper && lower == CriticalType::saddle1) return RegionType::saddle1;
  if (lower == upper && lower == CriticalType::saddle2) return RegionType::saddle2;
  return RegionType::saddle1_saddle2;
}

PlainTree plain(const MergeTree& tree) {
  PlainTree result;
  result.branches = &tree.branches;
  result.has_sizes = !tree.labels.empty();
  Array<uint32_t> branch_of(tree.nodes.size(), none);  // by leaf
  for (uint32_t b = 0; b < tree.branches.size(); ++b) branch_of[tree.branches[b].leaf] = b;
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    const MergeTree::Node& node = tree.nodes[i];
    result.vertices.push_back(node.vertex.index());
    if (node.parent == none) continue;
    const bool is_join = tree.kind == MergeTreeKind::join;
    result.arcs.push_back(
        {is_join ? i : node.parent, is_join ? node.parent : i, i, node.size, branch_of[node.leaf]});
  }
  return result;
}

PlainTree plain(const ContourTree& tree) {
  PlainTree result;
  result.branches = &tree.branches;
  for (const ContourTree::Node& node : tree.nodes) result.vertices.push_back(node.vertex.index());
  for (uint32_t a = 0; a < tree.arcs.size(); ++a) {
    const ContourTree::Arc& arc = tree.arcs[a];
    result.arcs.push_back({arc.lower, arc.upper, a, arc.size, arc.branch});
  }
  return result;
}

void add_nodes(PolyData& poly, const PlainTree& tree, const Field& field) {
  Array<uint32_t> numbers(tree.vertices.size());
  for (uint32_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
  Array<std::int8_t> types(numbers.size());
  const Array<CriticalType> critical = tree.types();
  for (size_t i = 0; i < types.size(); ++i) types[i] = static_cast<std::int8_t>(critical[i]);
  poly.point_data.add(make_id_field("NodeId", numbers));
  poly.point_data.add(make_id_field("VertexId", tree.vertices));
  poly.point_data.add(Field("CriticalType", std::move(types)));
  field.visit([&]<class T>(std::span<const T> values) {
    Array<T> of_nodes(numbers.size());
    for (size_t i = 0; i < of_nodes.size(); ++i) of_nodes[i] = values[tree.vertices[i]];
    poly.point_data.add(Field("Scalar", std::move(of_nodes)));
  });
}

void add_arcs(PolyData& poly, const PlainTree& tree) {
  const size_t count = tree.arcs.size();
  Array<uint32_t> down(count);
  Array<uint32_t> up(count);
  Array<uint32_t> ids(count);
  Array<uint32_t> sizes(count);
  Array<uint32_t> branches(count);
  Array<double> spans(count);
  Array<double> persistence(count);
  for (size_t i = 0; i < count; ++i) {
    const PlainTree::Arc& arc = tree.arcs[i];
    down[i] = arc.lower;
    up[i] = arc.upper;
    ids[i] = arc.id;
    sizes[i] = arc.size;
    branches[i] = arc.branch;
    spans[i] = length(poly.points[VertexId(arc.upper)] - poly.points[VertexId(arc.lower)]);
    persistence[i] = (*tree.branches)[arc.branch].persistence();
    poly.lines.add(std::array{VertexId(arc.lower), VertexId(arc.upper)});
  }
  poly.cell_data.add(make_id_field("SegmentationId", ids));
  poly.cell_data.add(make_id_field("downNodeId", down));
  poly.cell_data.add(make_id_field("upNodeId", up));
  if (tree.has_sizes) poly.cell_data.add(make_id_field("RegionSize", sizes));
  poly.cell_data.add(Field("RegionSpan", std::move(spans)));
  poly.cell_data.add(make_id_field("BranchId", branches));
  poly.cell_data.add(Field("Persistence", std::move(persistence)));
}

template <class PointsOf>
PolyData make_tree_poly(const PlainTree& tree, const Field& field, size_t vertex_count,
                        const PointsOf& points_of) {
  check_field(field, vertex_count);
  for (const uint32_t v : tree.vertices) {
    if (v < vertex_count) continue;
    throw Error(ErrorCode::bad_option,
                "the tree is of another mesh: this one has no vertex " + std::to_string(v));
  }
  PolyData poly;
  poly.points = points_of(tree.vertices);
  add_nodes(poly, tree, field);
  add_arcs(poly, tree);
  return poly;
}
template <int Dim>
PolyData make_tree_poly(const PlainTree& tree, const SimplexMesh<Dim>& mesh, const Field& field) {
  return make_tree_poly(tree, field, mesh.vertex_count(),
                        [&](const auto& vertices) { return mesh.points.gather(vertices); });
}
PolyData make_tree_poly(const PlainTree& tree, const Grid& grid, const Field& field) {
  return make_tree_poly(tree, field, grid.vertex_count(),
                        [&](const auto& vertices) { return GridPoints(grid).gather(vertices); });
}

/// -1 for none.
template <class T>
Field make_label_field(const Array<uint32_t>& labels) {
  Array<T> ids(labels.size());
  for (size_t v = 0; v < ids.size(); ++v) ids[v] = labels[v] == none ? T{-1} : static_cast<T>(labels[v]);
  return {"SegmentationId", std::move(ids)};
}

/// `size_of`: by label.
void add_region_fields(FieldSet& point_data, const PlainTree& tree, const Array<uint32_t>& labels,
                       const Array<uint32_t>& size_of) {
  const size_t id_count = size_of.size();
  const Array<CriticalType> types = tree.types();
  Array<std::int8_t> type_of(id_count, static_cast<std::int8_t>(RegionType::minimum));
  for (const PlainTree::Arc& arc : tree.arcs) {
    type_of[arc.id] = static_cast<std::int8_t>(region_type(types[arc.lower], types[arc.upper]));
  }
  const size_t n = labels.size();
  Array<uint32_t> sizes(n);
  Array<std::int8_t> kinds(n);
  for (size_t v = 0; v < n; ++v) {
    const bool is_known = labels[v] != none;
    sizes[v] = is_known ? size_of[labels[v]] : 1;
    kinds[v] = is_known ? type_of[labels[v]] : static_cast<std::int8_t>(RegionType::minimum);
  }
  point_data.add(id_count <= std::numeric_limits<std::int32_t>::max()
                     ? make_label_field<std::int32_t>(labels)
                     : make_label_field<std::int64_t>(labels));
  point_data.add(make_id_field("RegionSize", sizes));
  point_data.add(Field("RegionType", std::move(kinds)));
}

}  // namespace

template <int Dim>
PolyData make_poly(const MergeTree& tree, const SimplexMesh<Dim>& mesh, const Field& field) {
  return make_tree_poly(plain(tree), mesh, field);
}
PolyData make_poly(const MergeTree& tree, const Grid& grid, const Field& field) {
  return make_tree_poly(plain(tree), grid, field);
}
template <int Dim>
PolyData make_poly(const ContourTree& tree, const SimplexMesh<Dim>& mesh, const Field& field) {
  return make_tree_poly(plain(tree), mesh, field);
}
PolyData make_poly(const ContourTree& tree, const Grid& grid, const Field& field) {
  return make_tree_poly(plain(tree), grid, field);
}

void add_labels(FieldSet& point_data, const MergeTree& tree) {
  if (tree.labels.empty() && !tree.nodes.empty())
    throw Error(ErrorCode::bad_option, "the merge tree was made without labels");
  Array<uint32_t> sizes(tree.nodes.size());
  for (size_t i = 0; i < sizes.size(); ++i) sizes[i] = tree.nodes[i].size;
  add_region_fields(point_data, plain(tree), tree.labels, sizes);
}
void add_labels(FieldSet& point_data, const ContourTree& tree) {
  Array<uint32_t> sizes(tree.arcs.size());
  for (size_t i = 0; i < sizes.size(); ++i) sizes[i] = tree.arcs[i].size;
  add_region_fields(point_data, plain(tree), tree.labels, sizes);
}

template PolyData make_poly(const MergeTree&, const TriMesh&, const Field&);
template PolyData make_poly(const MergeTree&, const TetMesh&, const Field&);
template PolyData make_poly(const ContourTree&, const TriMesh&, const Field&);
template PolyData make_poly(const ContourTree&, const TetMesh&, const Field&);

}  // namespace tessera
