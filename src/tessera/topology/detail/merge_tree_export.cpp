#include <cstdint>
#include <string>
#include <utility>

#include <tessera/core/error.h>
#include <tessera/mesh/triangulate.h>
#include <tessera/topology/detail/check_field.h>
#include <tessera/topology/detail/export_parts.h>
#include <tessera/topology/merge_tree.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;

constexpr uint32_t none = MergeTree::none;

CriticalType type_of(const MergeTree& tree, uint32_t node, bool is_saddle, int dimension) {
  const bool is_join = tree.kind == MergeTreeKind::join;
  if (tree.is_leaf(node)) return is_join ? CriticalType::minimum : CriticalType::maximum;
  if (is_saddle) return is_join || dimension == 2 ? CriticalType::saddle1 : CriticalType::saddle2;
  return is_join ? CriticalType::maximum : CriticalType::minimum;
}

/// Which nodes several arcs lead to.
Array<std::uint8_t> find_saddles(const MergeTree& tree) {
  Array<std::uint8_t> arcs(tree.nodes.size(), 0);
  for (const MergeTree::Node& node : tree.nodes) {
    if (node.parent != none && arcs[node.parent] < 2) ++arcs[node.parent];
  }
  for (std::uint8_t& count : arcs) count = count > 1 ? 1 : 0;
  return arcs;
}

void add_nodes(PolyData& poly, const MergeTree& tree, const Field& field, int dimension) {
  const size_t count = tree.nodes.size();
  Array<uint32_t> numbers(count);
  Array<uint32_t> vertices(count);
  Array<uint32_t> sizes(count);
  Array<std::int8_t> types(count);
  const Array<std::uint8_t> is_saddle = find_saddles(tree);
  for (uint32_t i = 0; i < count; ++i) {
    numbers[i] = i;
    vertices[i] = tree.nodes[i].vertex.index();
    sizes[i] = tree.nodes[i].size;
    types[i] = static_cast<std::int8_t>(type_of(tree, i, is_saddle[i] != 0, dimension));
  }
  poly.point_data.add(field.gather(vertices));
  poly.point_data.add(make_id_field("ttkVertexScalarField", vertices));
  poly.point_data.add(make_id_field("NodeId", numbers));
  poly.point_data.add(Field("CriticalType", std::move(types)));
  poly.point_data.add(make_id_field("RegionSize", sizes));
}

void add_arcs(PolyData& poly, const MergeTree& tree) {
  Array<double> persistence_of(tree.nodes.size(), 0);  // by leaf
  for (const MergeTree::Branch& branch : tree.branches) persistence_of[branch.leaf] = branch.persistence();
  Array<uint32_t> down;
  Array<uint32_t> up;
  Array<uint32_t> segments;
  Array<uint32_t> sizes;
  Array<uint32_t> leaves;
  Array<double> persistence;
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    const MergeTree::Node& node = tree.nodes[i];
    if (node.parent == none) continue;
    const bool is_join = tree.kind == MergeTreeKind::join;
    down.push_back(is_join ? i : node.parent);
    up.push_back(is_join ? node.parent : i);
    segments.push_back(i);
    sizes.push_back(node.size);
    leaves.push_back(node.leaf);
    persistence.push_back(persistence_of[node.leaf]);
    poly.lines.add(std::array{VertexId(down.back()), VertexId(up.back())});
  }
  poly.cell_data.add(make_id_field("downNodeId", down));
  poly.cell_data.add(make_id_field("upNodeId", up));
  poly.cell_data.add(make_id_field("SegmentationId", segments));
  poly.cell_data.add(make_id_field("RegionSize", sizes));
  poly.cell_data.add(make_id_field("BranchId", leaves));
  poly.cell_data.add(Field("Persistence", std::move(persistence)));
}

template <class PointsOf>
PolyData make_tree_poly(const MergeTree& tree, const Field& field,
                        std::pair<size_t, int> vertices_and_dimension, const PointsOf& points_of) {
  const auto [vertex_count, dimension] = vertices_and_dimension;
  check_field(field, vertex_count);
  Array<uint32_t> vertices;
  vertices.reserve(tree.nodes.size());
  for (const MergeTree::Node& node : tree.nodes) {
    if (node.vertex.index() >= vertex_count) {
      throw Error(ErrorCode::bad_option, "the merge tree is of another mesh: this one has no vertex " +
                                             std::to_string(node.vertex.index()));
    }
    vertices.push_back(node.vertex.index());
  }
  PolyData poly;
  poly.points = points_of(vertices);
  add_nodes(poly, tree, field, dimension);
  add_arcs(poly, tree);
  return poly;
}

}  // namespace

template <int Dim>
PolyData make_poly(const MergeTree& tree, const SimplexMesh<Dim>& mesh, const Field& field) {
  return make_tree_poly(tree, field, {mesh.vertex_count(), Dim},
                        [&](const auto& vertices) { return mesh.points.gather(vertices); });
}

PolyData make_poly(const MergeTree& tree, const Grid& grid, const Field& field) {
  return make_tree_poly(tree, field, {grid.vertex_count(), dimension(grid)},
                        [&](const auto& vertices) { return GridPoints(grid).gather(vertices); });
}

void add_labels(FieldSet& point_data, const MergeTree& tree) {
  if (tree.labels.empty() && !tree.nodes.empty())
    throw Error(ErrorCode::bad_option, "the merge tree was made without labels");
  Array<uint32_t> sizes(tree.labels.size());
  for (size_t v = 0; v < sizes.size(); ++v) sizes[v] = tree.nodes[tree.labels[v]].size;
  point_data.add(make_id_field("SegmentationId", tree.labels));
  point_data.add(make_id_field("RegionSize", sizes));
}

template PolyData make_poly(const MergeTree&, const TriMesh&, const Field&);
template PolyData make_poly(const MergeTree&, const TetMesh&, const Field&);

}  // namespace tessera
