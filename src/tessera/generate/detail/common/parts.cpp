#include <tessera/generate/detail/common/parts.h>

#include <type_traits>
#include <utility>

#include <tessera/generate/detail/isosurface/interpolate.h>

namespace tessera::detail {

Points gather(const Points& points, std::span<const std::uint32_t> order, const Exec& exec) {
  return points.visit([&](auto from) {
    Array<std::remove_const_t<typename decltype(from)::element_type>> to(order.size());
    host_for_each(exec, order.size(), [&](std::size_t i) { to[i] = from[order[i]]; });
    return Points(std::move(to));
  });
}

Points points_along(const Points& points, const Provenance& provenance, const Exec& exec) {
  return points.visit([&](auto from) {
    using Vector = std::remove_const_t<typename decltype(from)::element_type>;
    Array<Vector> to(provenance.edges.size());
    host_for_each(exec, to.size(), [&](std::size_t v) {
      const auto [a, b] = provenance.edges[v];
      const double weight = provenance.weights[v];
      to[v] = weight == 0   ? from[a]
              : weight == 1 ? from[b]
                            : vec_cast<decltype(Vector::x)>(
                                  lerp(vec_cast<double>(from[a]), vec_cast<double>(from[b]), weight));
    });
    return Points(std::move(to));
  });
}

FieldSet repeat(const FieldSet& fields, std::size_t cells, std::size_t parts) {
  if (fields.empty()) return {};
  Array<std::uint32_t> sources(cells * parts);
  for (std::size_t i = 0; i < sources.size(); ++i) sources[i] = static_cast<std::uint32_t>(i / parts);
  return fields.gather(sources);
}

template <int Dim>
Array<std::uint32_t> drop_degenerate(SimplexMesh<Dim>& mesh, const Exec& exec) {
  const auto list = [&](bool degenerate) {
    return list_if(
        mesh.cell_count(), [&](std::size_t c) { return is_degenerate(mesh.cells[c]) == degenerate; }, exec);
  };
  Array<std::uint32_t> dropped = list(true);
  if (dropped.empty()) return dropped;
  const Array<std::uint32_t> kept = list(false);
  mesh.cells = gather(mesh.cells, kept, exec);
  mesh.cell_data = mesh.cell_data.gather(kept);
  return dropped;
}

template Array<std::uint32_t> drop_degenerate<2>(TriMesh&, const Exec&);
template Array<std::uint32_t> drop_degenerate<3>(TetMesh&, const Exec&);

}  // namespace tessera::detail
