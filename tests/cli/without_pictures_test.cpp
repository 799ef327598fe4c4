// A program that was built without VTK says so.
#include <gtest/gtest.h>

#include "cli/run_program.h"

namespace tessera::test {
namespace {

class CliWithoutPictures : public ProgramTest {};

TEST_F(CliWithoutPictures, RenderIsRefusedInOneSentence) {
  expect_one_sentence(run({"render", "mesh.vtu", "-o", "mesh.png"}), 6, {"draws no pictures", "without VTK"});
  EXPECT_EQ(run({"--help"}).out.find("tessera render"), std::string::npos);
  EXPECT_TRUE(run_json({"devices"})["result"]["build"]["vtk"].is_null());
}

}  // namespace
}  // namespace tessera::test
