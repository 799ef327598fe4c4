// Solids cut into tetrahedra on a device: a thread for each cell; quadrilaterals are grouped by key-reduce,
// by their two lowest vertices and then by that pair and the third.
#include <tessera/generate/detail/tetrahedralize/cuda/tetrahedralize.h>

#include <optional>
#include <type_traits>
#include <utility>

#include <tessera/generate/detail/common/checks.h>
#include <tessera/exec/buffers.cuh>
#include <tessera/generate/detail/common/blend.cuh>
#include <tessera/generate/detail/keys/cuda/atomics.cuh>
#include <tessera/generate/key_reduce.cuh>

namespace tessera::detail::cuda {
namespace {

using solid::Quad;

struct PairOfQuad {
  const Quad* quads;
  std::uint64_t vertices;
  std::uint64_t* keys;
  TS_HD void operator()(std::size_t q) const { keys[q] = pair_key(quads[q][0], quads[q][1], vertices); }
};
struct PairAndThird {
  const Quad* quads;
  const VertexId* pairs;
  std::uint64_t vertices;
  std::uint64_t* keys;
  TS_HD void operator()(std::size_t q) const { keys[q] = pairs[q].index() * vertices + quads[q][2].index(); }
};
struct FindFirst {
  const VertexId* faces;
  std::uint32_t* first;
  TS_HD void operator()(std::size_t q) const {
    lower_to(first + faces[q].index(), static_cast<std::uint32_t>(q));
  }
};

template <class T>
Buffer<T> copied(const Exec& exec, const Array<T>& values) {
  return {exec, std::span<const T>(values)};
}

/// The quadrilaterals of all cells.
struct DeviceFaces {
  Buffer<std::uint64_t> first_quad;
  Buffer<VertexId> connections;  ///< of each quadrilateral of each cell
  Buffer<Quad> corners;          ///< of each face: those of the first one

  static DeviceFaces of(const Exec& exec, const solid::View& solids, const solid::Plan& plan,
                        std::size_t vertices) {
    DeviceFaces faces;
    faces.first_quad = copied(exec, plan.first_quad);
    const std::size_t size = plan.first_quad.back();
    Buffer<Quad> quads(exec, size);
    tessera::for_each(exec, plan.centre.size(),
                      solid::ListQuads{solids, faces.first_quad.data(), quads.data()});
    Buffer<std::uint64_t> keys(exec, size);
    Buffer<VertexId> pairs(exec, size);
    tessera::for_each(exec, size, PairOfQuad{quads.data(), vertices, keys.data()});
    (void)fill_connections(exec, std::as_const(keys).span(), pairs.span());
    tessera::for_each(exec, size, PairAndThird{quads.data(), pairs.data(), vertices, keys.data()});
    faces.connections = Buffer<VertexId>(exec, size);
    const std::size_t count =
        fill_connections(exec, std::as_const(keys).span(), faces.connections.span()).size();
    auto first = filled<std::uint32_t>(exec, count, 0xFFFFFFFFu);
    tessera::for_each(exec, size, FindFirst{faces.connections.data(), first.data()});
    faces.corners = gathered(exec, quads.data(), std::as_const(first).span());
    return faces;
  }
};

}  // namespace

TetMesh cut_solids(const CellMesh& solids, const solid::Plan& plan, const Exec& exec) {
  TetMesh mesh;
  const Buffer<CellType> types = copied(exec, solids.types);
  const Buffer<std::uint64_t> offsets = copied(exec, solids.cells.offsets);
  const Buffer<VertexId> corners = copied(exec, solids.cells.corners);
  const Buffer<std::uint64_t> first_part = copied(exec, plan.first_part);
  const Buffer<std::uint8_t> colours = copied(exec, plan.colours);
  const Buffer<std::uint32_t> centre = copied(exec, plan.centre);
  const Buffer<std::uint32_t> centred = copied(exec, plan.centred);
  const solid::View view{types.data(), offsets.data(), corners.data()};
  Buffer<TetMesh::Cell> parts(exec, plan.first_part.back());
  solid::CutSolid cut{.solids = view,
                      .method = plan.method,
                      .first_part = first_part.data(),
                      .colours = colours.data(),
                      .centre = centre.data(),
                      .points = static_cast<std::uint32_t>(solids.vertex_count()),
                      .parts = parts.data()};
  DeviceFaces faces;
  if (plan.method == TetMethod::face_centred) {
    faces = DeviceFaces::of(exec, view, plan, solids.vertex_count());
    const std::size_t first_centre = solids.vertex_count() + faces.corners.size();
    const std::size_t vertices = first_centre + plan.centred.size();
    expect_ids(static_cast<double>(vertices), "points");
    const solid::MiddleRule rule{solids.vertex_count(), first_centre, view, faces.corners.data(),
                                 centred.data()};
    solids.points.visit([&](auto values) {
      using Vector = std::remove_const_t<typename decltype(values)::element_type>;
      const Buffer<Vector> points(exec, values);
      mesh.points = Points(cuda::blend(exec, points.data(), vertices, rule).to_host());
    });
    mesh.point_data = cuda::blend(exec, solids.point_data, vertices, rule);
    cut.first_quad = faces.first_quad.data();
    cut.faces = faces.connections.data();
    cut.first_centre = static_cast<std::uint32_t>(first_centre);
  } else {
    mesh.points = solids.points;
    mesh.point_data = solids.point_data;
  }
  tessera::for_each(exec, solids.cell_count(), cut);
  mesh.cells = parts.to_host();
  return mesh;
}

}  // namespace tessera::detail::cuda
