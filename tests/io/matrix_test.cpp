// Matrices as files: the text by hand, the archive by what numpy's format says.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/io/matrix.h>

namespace tessera {
namespace {

class WriteMatrix : public testing::Test {
 protected:
  void SetUp() override {
    folder = std::filesystem::path(testing::TempDir()) /
             ("matrix_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  [[nodiscard]] std::string written(const std::string& name, const CsrMatrix& a) const {
    write_matrix(folder / name, a);
    std::stringstream text;
    text << std::ifstream(folder / name, std::ios::binary).rdbuf();
    return text.str();
  }
  std::filesystem::path folder;
};

/// 0 2.5 0 / 0 0 0 / -1 0 0.1
CsrMatrix small() {
  CsrMatrix a;
  a.rows = 3;
  a.columns = 3;
  a.offsets = {0, 1, 1, 3};
  a.column_ids = {1, 0, 2};
  a.values = {2.5, -1, 0.1};
  return a;
}

TEST_F(WriteMatrix, MatrixMarket) {
  EXPECT_EQ(written("a.mtx", small()),
            "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 2 2.5\n3 1 -1\n3 3 0.1\n");
  EXPECT_EQ(written("empty.MTX", {}), "%%MatrixMarket matrix coordinate real general\n0 0 0\n");
}

template <class T>
std::vector<T> array_of(const std::string& file, const std::string& name, std::size_t count) {
  const std::size_t magic = file.find("\x93NUMPY", file.find(name + ".npy"));
  const std::size_t data = file.find('\n', magic) + 1;
  std::vector<T> values(count);
  std::memcpy(values.data(), file.data() + data, count * sizeof(T));
  return values;
}

TEST_F(WriteMatrix, ScipyArchive) {
  const std::string file = written("a.npz", small());
  EXPECT_TRUE(file.starts_with("PK\x03\x04"));
  EXPECT_NE(file.find("'descr': '|S3', 'fortran_order': False, 'shape': ()"), std::string::npos);
  EXPECT_EQ(array_of<char>(file, "format", 3), (std::vector<char>{'c', 's', 'r'}));
  EXPECT_EQ(array_of<std::int64_t>(file, "shape", 2), (std::vector<std::int64_t>{3, 3}));
  EXPECT_EQ(array_of<std::int32_t>(file, "indptr", 4), (std::vector<std::int32_t>{0, 1, 1, 3}));
  EXPECT_EQ(array_of<std::int32_t>(file, "indices", 3), (std::vector<std::int32_t>{1, 0, 2}));
  EXPECT_EQ(array_of<double>(file, "data", 3), (std::vector<double>{2.5, -1, 0.1}));
}

TEST_F(WriteMatrix, RefusesOtherFilesAndBrokenMatrices) {
  const auto refused = [&](const char* name, const CsrMatrix& a) -> std::string {
    try {
      (void)written(name, a);
    } catch (const Error& error) {
      EXPECT_FALSE(std::filesystem::exists(folder / name));
      return error.what();
    }
    return "not refused";
  };
  EXPECT_NE(refused("a.txt", small()).find("use .mtx or .npz"), std::string::npos);
  CsrMatrix a = small();
  a.column_ids[2] = 3;
  EXPECT_NE(refused("a.mtx", a).find("row 2 has column 3 of only 3"), std::string::npos);
  a = small();
  a.offsets = {0, 2, 1, 3};
  EXPECT_NE(refused("a.mtx", a).find("row 1 ends before it begins"), std::string::npos);
  a.offsets = {0, 3};
  EXPECT_NE(refused("a.npz", a).find("do not belong together"), std::string::npos);
}

}  // namespace
}  // namespace tessera
