#include <tessera/topology/morse_smale.h>

namespace tessera {

template <int Dim>
MorseSmaleComplex<Dim> morse_smale(const TiledMesh<Dim>& tiles, const Field& field,
                                   const MorseSmaleOptions<Dim>& options) {
  const TopologyOptions<Dim>& common = options;
  const bool needs_device =
      options.connectors && options.exec.is_cuda();  // which has only gradients with paths
  const bool needs_paths = options.separatrices || options.segmentation || options.keep_paths || needs_device;
  MorseSmaleComplex<Dim> complex{
      .gradient = compute_gradient<Dim>(tiles, field, {common, needs_paths, options.keep_paths})};
  if (options.separatrices || options.connectors) {
    complex.separatrices = compute_separatrices(complex.gradient, options);
  }
  if (options.segmentation && (options.keep_paths || complex.gradient.on_device() != nullptr)) {
    complex.segmentation = compute_segmentation(complex.gradient, options);
  } else if (options.segmentation) {
    complex.segmentation = compute_segmentation(complex.gradient, complex.gradient.take_next(), options);
  } else if (!options.keep_paths) {
    (void)complex.gradient.take_next();
  }
  if constexpr (Dim == 3) {  // last, when the gradient may have given its paths away
    if (options.walls) complex.walls = compute_walls(complex.gradient, options);
  }
  return complex;
}

template MorseSmaleComplex<2> morse_smale(const TiledMesh<2>&, const Field&, const MorseSmaleOptions<2>&);
template MorseSmaleComplex<3> morse_smale(const TiledMesh<3>&, const Field&, const MorseSmaleOptions<3>&);

}  // namespace tessera
