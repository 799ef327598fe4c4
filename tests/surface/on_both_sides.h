// What tests of a device's surfaces share.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include <tessera/core/array.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/make.h>

#include "surface/odd_surfaces.h"

namespace tessera::test {

class OnDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (devices().empty()) GTEST_SKIP() << no_device_reason();
  }
};

/// The odd ones, and some of many tiles.
inline std::vector<TriMesh> surfaces_of_both() {
  std::vector<TriMesh> meshes = odd_surfaces();
  meshes.push_back(make_shuffled(make_torus(150, 100)));
  meshes.push_back(make_ico(6));
  meshes.push_back(make_heap(20000, 60000, 3));
  return meshes;
}

template <class T>
void expect_same_bytes(const Array<T>& a, const Array<T>& b) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_TRUE(a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

}  // namespace tessera::test
