// What the verbs that analyse a scalar field share: its mesh in tiles, and where the cells around a vertex
// come from; or a grid, which is analysed as it is.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <tessera/connect/connectivity.h>
#include <tessera/core/memory.h>
#include <tessera/mesh/mesh.h>
#include <tessera/mesh/triangulate.h>
#include <tessera/tile/tiled_mesh.h>
#include <tessera/topology/export.h>

#include "application/option_list.h"
#include "application/session.h"
#include "data/fields.h"
#include "data/files.h"
#include "data/periodic.h"

namespace tessera::cli {

struct TopologyArguments {
  InputOptions input;
  std::string field;     ///< empty: the only one there is
  std::string periodic;  ///< axes of a grid
  std::string provider = "push";
  int producers = 0;
  bool stats = false;

  /// What cannot be done in slabs: the verb's own obstacle if there is one, a provider or periodic axes.
  [[nodiscard]] std::string find_slab_obstacle(std::string own) const {
    if (!own.empty()) return own;
    return provider != "push" ? "--provider " + provider : periodic.empty() ? "" : "--periodic";
  }
};

void add_topology_options(OptionList& app, TopologyArguments& arguments);

/// Error(bad_option) for --producers where nobody waits for them.
void check_provider(const TopologyArguments& arguments);

/// A mesh with the field to analyse. Stays where it is: the field is part of the mesh.
struct TopologyInput {
  Input input;  ///< as it was read
  AnyMesh cut;  ///< the simplices of a grid, without fields, if they are needed
  bool is_cut = false;
  Reservation cut_room;
  const Field* field = nullptr;
  PeriodicAxes periodic = {};  ///< of a grid

  [[nodiscard]] bool is_grid() const { return std::holds_alternative<Grid>(input.mesh); }
  /// What is analysed.
  [[nodiscard]] const AnyMesh& mesh() const { return is_cut ? cut : input.mesh; }
  [[nodiscard]] int dimension() const;
};

/// Reads and chooses the field, in the read and prepare phases. Notes of the reader are printed. A grid is
/// cut into simplices for those who need them: a provider other than push, and a GPU.
[[nodiscard]] std::unique_ptr<TopologyInput> read_topology_input(Session& session,
                                                                 const TopologyArguments& arguments);

/// The mesh in tiles, and all that critical_points() and its sisters are called with.
template <int Dim>
struct Domain {
  static constexpr int dim = Dim;

  const SimplexMesh<Dim>& mesh;
  const Field& field;
  std::unique_ptr<const TiledMesh<Dim>> tiles;  ///< stars point to it
  std::optional<StarStore<Dim>> stars;          ///< none: they are pushed
  Exec exec = Exec::host();                     ///< where it is analysed
  std::string title;                            ///< describe() of it

  /// Options of an analysis, as far as they are the domain's.
  template <class Options>
  [[nodiscard]] Options options(Session& session) const {
    Options options;
    options.exec = exec;
    options.monitor = &session.monitor();
    if constexpr (requires { options.stars; }) options.stars = stars ? &*stars : nullptr;
    return options;
  }
  [[nodiscard]] CriticalPoints critical_points(Session& session) const {
    return tessera::critical_points(*tiles, field, options<CriticalPointsOptions<Dim>>(session));
  }
  [[nodiscard]] Gradient<Dim> gradient(Session& session, bool keep_paths) const {
    auto parts = options<GradientOptions<Dim>>(session);
    parts.keep_paths = keep_paths;
    return compute_gradient(*tiles, field, parts);
  }
  [[nodiscard]] MorseSmaleComplex<Dim> complex(const MorseSmaleOptions<Dim>& parts) const {
    return morse_smale(*tiles, field, parts);
  }
  [[nodiscard]] Vec3d place_of(VertexId v) const { return mesh.points[v]; }
};

/// A grid, likewise.
template <int Dim>
struct GridDomain {
  static constexpr int dim = Dim;

  const Grid& mesh;
  const Field& field;
  Exec exec = Exec::host();
  std::string title;
  PeriodicAxes periodic = {};
  GridPoints points = GridPoints(mesh);

  template <class Options>
  [[nodiscard]] Options options(Session& session) const {
    Options options;
    options.exec = exec;
    options.monitor = &session.monitor();
    if constexpr (std::is_same_v<Options, GridOptions>) options.periodic = periodic;
    return options;
  }
  [[nodiscard]] CriticalPoints critical_points(Session& session) const {
    return tessera::critical_points(mesh, field, options<GridOptions>(session));
  }
  [[nodiscard]] Gradient<Dim> gradient(Session& session, bool /*keep_paths*/) const {
    return compute_gradient<Dim>(mesh, field, options<GridOptions>(session));
  }
  [[nodiscard]] MorseSmaleComplex<Dim> complex(MorseSmaleOptions<Dim> parts) const {
    parts.periodic = periodic;
    return morse_smale<Dim>(mesh, field, parts);
  }
  [[nodiscard]] Vec3d place_of(VertexId v) const { return points[v]; }
};

/// How many triangles or tetrahedra are analysed.
template <int Dim>
[[nodiscard]] Bytes simplex_count(const SimplexMesh<Dim>& mesh) {
  return mesh.cell_count();
}
[[nodiscard]] inline Bytes simplex_count(const Grid& grid) {
  return Bytes{grid.cell_count()} * (tessera::dimension(grid) == 3 ? 6 : 2);
}

/// How results are made into poly data: by the host.
[[nodiscard]] inline ExportOptions export_options(Session& session) {
  return {.exec = session.host(), .monitor = &session.monitor()};
}

/// Tiles the mesh and prepares the provider, in the prepare phase.
template <int Dim>
[[nodiscard]] Domain<Dim> make_domain(Session& session, const TopologyArguments& arguments,
                                      const SimplexMesh<Dim>& mesh, const Field& field, const Exec& exec);

/// With --stats: what the provider of rows did, as a table and in the JSON result.
template <int Dim>
void report_provider(Session& session, const TopologyArguments& arguments, const Domain<Dim>& domain);

/// "kuhn64.vtu: 116,208 points, 634,698 tetrahedra, field 'rough'".
[[nodiscard]] std::string describe(const TopologyArguments& arguments, const TopologyInput& input);

/// What the largest star takes while it is looked at, beyond what every thread has for stars. Counted if
/// --memory is given: an apex of all cells is rare.
template <int Dim>
[[nodiscard]] Bytes large_star_bytes(Session& session, const SimplexMesh<Dim>& mesh);

/// What the provider's connectivity takes at least, estimated; nothing for pushed stars.
[[nodiscard]] Bytes least_provider_bytes(Session& session, const TopologyArguments& arguments,
                                         const MeshSize& size);

/// Calls f(domain) for the mesh's dimension, where --device says; if a GPU fails it may be called again. A
/// grid that was not cut is a GridDomain. work_of(mesh) and work_of(grid, field) are the library's estimates.
template <class WorkOf, class F>
void with_domain(Session& session, const TopologyArguments& arguments, const TopologyInput& input,
                 const WorkOf& work_of, const F& f) {
  const std::string title = describe(arguments, input);
  const auto with_mesh = [&](const auto& mesh) {
    const auto run = [&](const Exec& exec) {
      auto domain = make_domain(session, arguments, mesh, *input.field, exec);
      domain.title = title;
      f(std::as_const(domain));
      report_provider(session, arguments, domain);
    };
    Work work = work_of(mesh);
    work.host_bytes += large_star_bytes(session, mesh);
    if (arguments.provider == "push") return session.run_on_device(work, run);
    Work all = work;
    all.host_bytes +=
        least_provider_bytes(session, arguments, {mesh.dimension, mesh.vertex_count(), mesh.cell_count()});
    (void)session.reserve(all);  // or it is refused; the connectivity takes its part of what is left
    const Reservation room = session.reserve(work);
    run(session.host());
  };
  const auto with_grid = [&](const Grid& grid) {
    const char* const why_host =
        is_any_periodic(input.periodic) ? "grids with periodic axes are analysed on host threads" : "";
    session.run_on_device(
        work_of(grid, *input.field),
        [&](const Exec& exec) {
          input.dimension() == 3 ? f(GridDomain<3>{grid, *input.field, exec, title, input.periodic})
                                 : f(GridDomain<2>{grid, *input.field, exec, title, input.periodic});
        },
        why_host);
  };
  std::visit(
      [&](const auto& mesh) {
        if constexpr (requires { mesh.cells; }) {
          with_mesh(mesh);
        } else {
          with_grid(mesh);
        }
      },
      input.mesh());
}

}  // namespace tessera::cli
