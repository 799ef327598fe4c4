#include <tessera/topology/morse_smale.h>

#include <tessera/topology/detail/check_grid.h>
#include <tessera/topology/detail/segmentation.h>

namespace tessera {

using namespace detail;
namespace {

template <int Dim>
MorseSmaleComplex<Dim> compute(std::shared_ptr<const TiledMesh<Dim>> tiles, const Field& field,
                               const MorseSmaleOptions<Dim>& options) {
  refuse_periodic(options);
  const bool needs_device =
      options.connectors && options.exec.is_cuda();  // which has only gradients with paths
  const bool needs_paths = options.separatrices || options.segmentation || options.keep_paths || needs_device;
  const std::shared_ptr<GradientData<Dim>> data = build_gradient<Dim>(
      std::move(tiles), field,
      {.exec = options.exec, .monitor = options.monitor, .stars = options.stars, .keep_paths = needs_paths},
      options.keep_paths);
  MorseSmaleComplex<Dim> complex{.gradient = Gradient<Dim>(data)};
  if (options.separatrices || options.connectors) {
    complex.separatrices = compute_separatrices(complex.gradient, options);
  }
  if (options.segmentation && options.keep_paths) {
    complex.segmentation = compute_segmentation(complex.gradient, options);
  } else if (options.segmentation) {
    complex.segmentation = find_segmentation(*data, data->take_next(), options);
  } else if (!options.keep_paths) {
    (void)data->take_next();
  }
  if constexpr (Dim == 3) {  // last, when the gradient may have given its paths away
    if (options.walls) complex.walls = compute_walls(complex.gradient, options);
  }
  return complex;
}

}  // namespace

template <int Dim>
MorseSmaleComplex<Dim> morse_smale(const TiledMesh<Dim>& tiles, const Field& field,
                                   const MorseSmaleOptions<Dim>& options) {
  return compute(borrow(tiles), field, options);
}

template <int Dim>
MorseSmaleComplex<Dim> morse_smale(const SimplexMesh<Dim>& mesh, const Field& field,
                                   const MorseSmaleOptions<Dim>& options) {
  return compute(make_tiles(mesh, options), field, options);
}

template <int Dim>
MorseSmaleComplex<Dim> morse_smale(const Grid& grid, const Field& field,
                                   const MorseSmaleOptions<Dim>& options) {
  refuse_stars(options);
  MorseSmaleComplex<Dim> complex{
      .gradient = compute_gradient<Dim>(
          grid, field, {.exec = options.exec, .monitor = options.monitor, .periodic = options.periodic})};
  MorseSmaleOptions<Dim> parts = options;  // which host threads follow
  parts.exec = Exec::host(options.exec.threads());
  parts.periodic = {};
  if (options.separatrices || options.connectors)
    complex.separatrices = compute_separatrices(complex.gradient, parts);
  if (options.segmentation) complex.segmentation = compute_segmentation(complex.gradient, parts);
  if constexpr (Dim == 3) {
    if (options.walls) complex.walls = compute_walls(complex.gradient, parts);
  }
  return complex;
}

template MorseSmaleComplex<2> morse_smale(const Grid&, const Field&, const MorseSmaleOptions<2>&);
template MorseSmaleComplex<3> morse_smale(const Grid&, const Field&, const MorseSmaleOptions<3>&);
template MorseSmaleComplex<2> morse_smale(const TiledMesh<2>&, const Field&, const MorseSmaleOptions<2>&);
template MorseSmaleComplex<3> morse_smale(const TiledMesh<3>&, const Field&, const MorseSmaleOptions<3>&);
template MorseSmaleComplex<2> morse_smale(const TriMesh&, const Field&, const MorseSmaleOptions<2>&);
template MorseSmaleComplex<3> morse_smale(const TetMesh&, const Field&, const MorseSmaleOptions<3>&);

}  // namespace tessera
