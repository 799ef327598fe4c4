#include "exec/conformance.h"

namespace tessera {

INSTANTIATE_TEST_SUITE_P(Cuda, Primitives,
                         testing::Values(Place{"device_0", [] { return Exec::cuda(0); }, true}), place_name);

}  // namespace tessera
