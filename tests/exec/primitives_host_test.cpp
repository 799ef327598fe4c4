#include "exec/conformance.h"

namespace tessera {

INSTANTIATE_TEST_SUITE_P(Host, Primitives,
                         testing::Values(Place{"one_thread", [] { return Exec::host(1); }, false},
                                         Place{"two_threads", [] { return Exec::host(2); }, false},
                                         Place{"seven_threads", [] { return Exec::host(7); }, false}),
                         place_name);

}  // namespace tessera
