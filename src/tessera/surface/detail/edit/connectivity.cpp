#include <tessera/surface/detail/edit/connectivity.h>

#include <cstring>
#include <string>
#include <utility>

#include <tessera/core/error.h>
#include <tessera/exec/primitives.h>
#include <tessera/surface/detail/edit/build_loops.h>
#include <tessera/surface/detail/run_loop.h>

namespace tessera::detail {

namespace {

/// The keys and the offsets of the lists of flagged elements, and room for their values.
template <class Rows>
[[nodiscard]] Lists begin_lists(const Exec& exec, const Rows& rows, const Buffer<std::uint8_t>& flags) {
  Lists lists;
  Buffer<std::uint32_t> keys(exec, flags.size());
  lists.count = static_cast<std::uint32_t>(compact_indices(exec, flags.span(), keys.span()));
  if (lists.count == 0) return lists;
  Buffer<std::uint32_t> lengths(exec, lists.count);
  run_loop(exec, lists.count, ListLengths<Rows>{rows, keys.data(), lengths.data()});
  lists.keys = std::move(keys);
  lists.offsets = Buffer<std::uint32_t>(exec, lists.count + std::size_t{1});
  exclusive_scan<std::uint32_t, std::uint32_t>(exec, lengths.span(), lists.offsets.span());
  lists.values = Buffer<std::uint32_t>(exec, lists.offsets.to_host().back());
  return lists;
}

}  // namespace

void copy_here(const Exec& exec, void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  if (exec.is_cuda()) {
    copy(exec, to, from, bytes, CopyKind::on_device);
  } else {
    std::memcpy(to, from, bytes);
  }
}

std::uint32_t read_word(const Exec& exec, const std::uint32_t* from) {
  if (!exec.is_cuda()) return *from;
  std::uint32_t value = 0;
  copy(exec, &value, from, sizeof(value), CopyKind::to_host);
  return value;
}

EditConnectivity::EditConnectivity(const Surface& surface, const TriMesh::Cell* cells)
    : end{static_cast<std::uint32_t>(surface.vertex_count()),
          static_cast<std::uint32_t>(surface.edge_count()),
          static_cast<std::uint32_t>(surface.face_count())} {
  if (end[2] > max_edit_ids || end[1] > max_edit_ids || end[0] > max_edit_ids) {
    throw Error(ErrorCode::unsupported, "a surface of " + std::to_string(end[2]) +
                                            " triangles cannot be edited: at most " +
                                            std::to_string(max_edit_ids) + " elements of a kind have ids");
  }
  const Exec& exec = surface.exec();
  corners = Buffer<std::uint32_t>(exec, 3 * std::size_t{end[2]});
  edges = Buffer<std::uint32_t>(exec, 3 * std::size_t{end[2]});
  sides = Buffer<std::uint32_t>(exec, 2 * std::size_t{end[1]});
  handles = Buffer<std::uint32_t>(exec, end[0]);
  claims = Buffer<std::uint64_t>(exec, end[2]);
  run_loop(exec, end[2], FillLongs{claims.data()});

  const auto rows = surface.rows<OrientedFV, OrientedFE, EF, VF>();
  run_loop(exec, corners.size(), CopyWords{rows.get<OrientedFV>().values(), corners.data()});
  run_loop(exec, edges.size(), CopyWords{rows.get<OrientedFE>().values(), edges.data()});
  for (const Kind kind : {Kind::vertex, Kind::face}) {
    const std::span<const std::uint32_t> order = surface.to_input(kind);
    Buffer<std::uint32_t>& to = origins[kind == Kind::vertex ? 0 : 1];
    to = Buffer<std::uint32_t>(exec, end[static_cast<std::size_t>(kind)]);
    if (order.empty()) {
      run_loop(exec, to.size(), CountUp{to.data()});
    } else {
      copy_here(exec, to.data(), order.data(), order.size_bytes());
    }
  }
  run_loop(exec, end[2], RotateFaces{arrays(), cells, origins[1].data(), origins[0].data()});
  {
    Buffer<std::uint8_t> flags(exec, end[1]);
    const LinkEdges link = {arrays(), rows.get<EF>(), flags.data()};
    run_loop(exec, end[1], link);
    edge_lists = begin_lists(exec, link.ef, flags);
    run_loop(exec, edge_lists.count,
             ListEdges{link, edge_lists.keys.data(), edge_lists.offsets.data(), edge_lists.values.data()});
  }
  {
    Buffer<std::uint8_t> flags(exec, end[0]);
    const LinkVertices link = {arrays(), rows.get<VF>(), flags.data()};
    run_loop(exec, end[0], link);
    vertex_lists = begin_lists(exec, link.vf, flags);
    run_loop(exec, vertex_lists.count,
             ListVertices{link, vertex_lists.keys.data(), vertex_lists.offsets.data(),
                          vertex_lists.values.data()});
  }
}

EditArrays EditConnectivity::arrays() {
  EditArrays arrays;
  arrays.corners = corners.data();
  arrays.edges = edges.data();
  arrays.sides = sides.data();
  arrays.handles = handles.data();
  arrays.edge_lists = edge_lists.view();
  arrays.vertex_lists = vertex_lists.view();
  arrays.vertex_end = end[0];
  arrays.edge_end = end[1];
  arrays.face_end = end[2];
  return arrays;
}

}  // namespace tessera::detail
