// Meshes over the caller's arrays: nothing is copied, nothing is written, and results are those of a copy.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/mesh/borrow.h>
#include <tessera/mesh/doctor.h>
#include <tessera/mesh/make.h>

namespace tessera {
namespace {

struct Flat {
  std::vector<float> xyz;
  std::vector<int> corners;
};

Flat flatten(const TetMesh& mesh) {
  Flat flat;
  for (const VertexId v : mesh.vertices()) {
    const Vec3d p = mesh.points[v];
    for (const double x : {p.x, p.y, p.z}) flat.xyz.push_back(static_cast<float>(x));
  }
  for (const auto& cell : mesh.cells) {
    for (const VertexId v : cell) flat.corners.push_back(static_cast<int>(v.index()));
  }
  return flat;
}

TEST(Borrow, AMeshLiesInTheCallersArrays) {
  const TetMesh made = make_kuhn(6);
  const Flat flat = flatten(made);
  const TetMesh mesh = borrow_mesh<3>(flat.xyz, flat.corners);
  EXPECT_EQ(static_cast<const void*>(mesh.cells.data()), flat.corners.data());
  mesh.points.visit(
      [&](auto points) { EXPECT_EQ(static_cast<const void*>(points.data()), flat.xyz.data()); });
  EXPECT_EQ(mesh.cells, made.cells);
  EXPECT_EQ(diagnose(mesh).findings.size(), diagnose(made).findings.size());
  const TetMesh copy = mesh;
  EXPECT_NE(static_cast<const void*>(copy.cells.data()), flat.corners.data());
  EXPECT_EQ(copy, mesh);
}

TEST(Borrow, AFieldLiesInTheCallersArray) {
  const std::vector<double> heights = {3, 1, 2, 5, 4, 6};
  const Field field = borrow_field("height", heights);
  EXPECT_EQ(field.as<double>().data(), heights.data());
  EXPECT_EQ(borrow_field("pairs", heights, 2).size(), 3U);
}

TEST(Borrow, AnOwnerLivesAsLongAsTheMesh) {
  auto flat = std::make_shared<Flat>(flatten(make_kuhn(3)));
  const std::weak_ptr<Flat> seen = flat;
  {
    const TetMesh mesh = borrow_mesh<3>(flat->xyz, flat->corners, flat);
    flat.reset();
    EXPECT_FALSE(seen.expired());
    EXPECT_EQ(mesh.cells, make_kuhn(3).cells);
  }
  EXPECT_TRUE(seen.expired());
}

TEST(Borrow, WhatDoesNotDivideIsRefused) {
  const std::vector<float> xyz(10);
  const std::vector<std::uint32_t> corners = {0, 1, 2, 0};
  const std::vector<std::uint32_t> three = {0, 1, 2};
  const auto expect_refused = [](ErrorCode code, const auto& f) {
    try {
      f();
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
    }
  };
  expect_refused(ErrorCode::bad_mesh, [&] { (void)borrow_mesh<2>(xyz, three); });
  expect_refused(ErrorCode::bad_mesh, [&] { (void)borrow_mesh<2>(std::span(xyz).first(9), corners); });
  expect_refused(ErrorCode::bad_option, [&] { (void)borrow_field("f", xyz, 3); });
  expect_refused(ErrorCode::bad_option, [&] { (void)borrow_field("f", xyz, 0); });
  EXPECT_EQ(borrow_mesh<2>(std::span<double>(), std::span<int>()).vertex_count(), 0U);
}

}  // namespace
}  // namespace tessera
