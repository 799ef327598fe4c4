#include <gtest/gtest.h>

#include <vector>

#include <tessera/core/csr.h>
#include <tessera/core/hash.h>
#include <tessera/core/id.h>

namespace tessera {
namespace {

using Rows = Csr<VertexId, int>;

TEST(Csr, RowsAreSpans) {
  Rows rows;
  EXPECT_EQ(rows.size(), 0u);
  rows.offsets = {0, 3, 3, 5};
  rows.values = {1, 2, 3, 4, 5};
  EXPECT_EQ(rows.validate(), 0);
  EXPECT_EQ(rows.size(), 3u);
  EXPECT_TRUE(rows[VertexId(1)].empty());
  EXPECT_EQ(rows[VertexId(2)][1], 5);
  EXPECT_EQ(rows.bytes(), 4u * 4 + 5 * 4);
}

TEST(Csr, ValidateNamesTheBrokenInvariant) {
  Rows rows;
  rows.offsets = {1, 2};
  EXPECT_EQ(rows.validate(), 1);
  rows.offsets = {0, 2, 1};
  rows.values = {1};
  EXPECT_EQ(rows.validate(), 2);
  rows.offsets = {0, 2};
  EXPECT_EQ(rows.validate(), 2);
}

TEST(Csr, RefusesMoreEntriesThanOffsetsHold) {
  EXPECT_EQ(checked_offset(0xFFFFFFFFull), 0xFFFFFFFFu);
  try {
    (void)checked_offset(0x100000000ull);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_NE(std::string(error.what()).find("4294967296"), std::string::npos);
  }
}

TEST(Hash, DependsOnEveryByteAndOnTheLength) {
  std::vector<unsigned char> bytes(37, 0);
  std::vector<std::uint64_t> seen = {hash_values(bytes)};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = 1;
    seen.push_back(hash_values(bytes));
    bytes[i] = 0;
  }
  bytes.push_back(0);
  seen.push_back(hash_values(bytes));
  seen.push_back(hash_values(bytes, 1));
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end());
}

}  // namespace
}  // namespace tessera
