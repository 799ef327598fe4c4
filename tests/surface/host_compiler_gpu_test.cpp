// Queries on a device from sources that no CUDA compiler sees.
#include <gtest/gtest.h>

#include <tessera/core/error.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/surface.h>

#include "surface/on_both_sides.h"

namespace tessera {
namespace {

class QueriesOfAHostCompiler : public test::OnDevice {};

template <class F>
void expect_unsupported(const F& f) {
  try {
    f();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported) << error.what();
  }
}

TEST_F(QueriesOfAHostCompiler, AreRefused) {
  const TriMesh mesh = make_torus(20, 15);
  const Exec exec = Exec::cuda(0, 2);
  const SurfaceBytes own = Surface(mesh, {.exec = exec}).bytes();
  for (const Bytes memory : {Bytes{0}, own.structure + own.input_ids + 100}) {  // rows are kept, or not
    const Surface surface(mesh, {.exec = exec, .memory = memory});
    const auto nothing = [](tiled::VertexId, IdSpan<tiled::VertexId>) {};
    expect_unsupported([&] { for_each<VV>(surface, nothing); });
    expect_unsupported([&] {
      for_each_if<VV>(
          surface, [](tiled::VertexId) { return true; }, nothing);
    });
  }
}

}  // namespace
}  // namespace tessera
