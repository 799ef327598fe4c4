// The ids of cells in files, and which vertices are on the boundary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <tessera/core/error.h>
#include <tessera/core/memory.h>
#include <tessera/core/progress.h>
#include <tessera/exec/for_each.h>
#include <tessera/tile/materialize.h>
#include <tessera/topology/detail/cell_ranks.h>
#include <tessera/topology/detail/grid_gradient.h>

namespace tessera::detail {

/// Of a mesh.
template <int Dim>
class MeshIds {
 public:
  MeshIds(const GradientData<Dim>& gradient, MemoryBudget* memory, const Exec& exec, const Monitor& monitor)
      : gradient_(gradient),
        exec_(exec),
        monitor_(monitor),
        room_(reserve(gradient, memory)),
        ranks_(gradient, exec, monitor) {}

  /// ids[i] becomes the CellId of cells[i], whose vertices are simplices[i].
  void fill(std::span<const CellName> cells, std::span<const typename Gradient<Dim>::Simplex> simplices,
            std::span<std::uint32_t> ids) const {
    ranks_.fill(cells, simplices, ids);
  }
  /// A function of a vertex.
  [[nodiscard]] auto find_boundary() const {
    return [&gradient = gradient_,
            on_boundary = materialize_boundary<Kind::vertex, Dim>(
                gradient_.tiles(), Enumeration<Dim>{}, {.exec = exec_, .monitor = &monitor_})](VertexId v) {
      return on_boundary[gradient.to_tiled(v)] != 0;
    };
  }

 private:
  static Reservation reserve(const GradientData<Dim>& gradient, MemoryBudget* memory) {
    if (memory == nullptr) return {};
    return {*memory, CellRanks<Dim>::bytes(gradient), "the numbers of edges and faces"};
  }

  const GradientData<Dim>& gradient_;
  Exec exec_;
  const Monitor& monitor_;
  Reservation room_;
  CellRanks<Dim> ranks_;
};

/// Of a grid.
template <int Dim>
class GridIds {
 public:
  /// Error(unsupported) for a grid that has more triangles than ids.
  GridIds(const GridGradient<Dim>& gradient, MemoryBudget* /*memory*/, const Exec& exec,
          const Monitor& /*monitor*/)
      : gradient_(gradient), exec_(exec) {
    const std::size_t triangles = Dim == 3 ? gradient.cells().triangle_count() : 0;
    if (triangles <= 0xFFFFFFFFu) return;
    throw Error(ErrorCode::unsupported, "the grid has " + std::to_string(triangles) +
                                            " triangles; their ids in files end at 4294967295");
  }

  void fill(std::span<const CellName> cells, std::span<const typename Gradient<Dim>::Simplex> /*simplices*/,
            std::span<std::uint32_t> ids) const {
    host_for_each(exec_, cells.size(), [&](std::size_t i) { ids[i] = gradient_.id_of(cells[i]); });
  }
  [[nodiscard]] auto find_boundary() const {
    return [&gradient = gradient_](VertexId v) { return gradient.is_on_border(v); };
  }

 private:
  const GridGradient<Dim>& gradient_;
  Exec exec_;
};

}  // namespace tessera::detail
