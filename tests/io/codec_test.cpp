// The codecs against the libraries' own encoders: blocks come back, and damaged ones are refused.
#include <gtest/gtest.h>
#include <lz4.h>
#include <lzma.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/core/random.h>
#include <tessera/io/detail/codec.h>

namespace tessera::detail::io {
namespace {

using Block = std::vector<unsigned char>;

Block make_plain() {
  Block plain(30000);
  SplitMix64 random(1);
  for (unsigned char& byte : plain) byte = static_cast<unsigned char>(random.below(7));
  return plain;
}

Block pack_lzma(const Block& plain, std::uint32_t window) {
  lzma_options_lzma options = {};
  lzma_lzma_preset(&options, 6);
  options.dict_size = window;
  lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, nullptr}};
  Block packed(lzma_stream_buffer_bound(plain.size()));
  std::size_t size = 0;
  EXPECT_EQ(lzma_stream_buffer_encode(filters, LZMA_CHECK_CRC32, nullptr, plain.data(), plain.size(),
                                      packed.data(), &size, packed.size()),
            LZMA_OK);
  packed.resize(size);
  return packed;
}

Block pack_zlib(const Block& plain) {
  Block packed(compressBound(plain.size()));
  uLongf size = packed.size();
  EXPECT_EQ(compress(packed.data(), &size, plain.data(), plain.size()), Z_OK);
  packed.resize(size);
  return packed;
}

Block pack_lz4(const Block& plain) {
  const auto most = static_cast<int>(plain.size());
  Block packed(static_cast<std::size_t>(LZ4_compressBound(most)));
  const int size =
      LZ4_compress_default(reinterpret_cast<const char*>(plain.data()),
                           reinterpret_cast<char*>(packed.data()), most, static_cast<int>(packed.size()));
  EXPECT_GT(size, 0);
  packed.resize(static_cast<std::size_t>(size));
  return packed;
}

Block pack(Codec codec, const Block& plain) {
  if (codec == Codec::zlib) return pack_zlib(plain);
  return codec == Codec::lz4 ? pack_lz4(plain) : pack_lzma(plain, 1 << 23);
}

constexpr Codec codecs[] = {Codec::zlib, Codec::lz4, Codec::lzma};

TEST(Codecs, HaveVtksNames) {
  EXPECT_EQ(find_codec("vtkZLibDataCompressor"), Codec::zlib);
  EXPECT_EQ(find_codec("vtkLZ4DataCompressor"), Codec::lz4);
  EXPECT_EQ(find_codec("vtkLZMADataCompressor"), Codec::lzma);
  EXPECT_FALSE(find_codec("vtkDataCompressor").has_value());
}

TEST(Codecs, BlocksComeBack) {
  const Block plain = make_plain();
  for (const Codec codec : codecs) {
    const Block packed = pack(codec, plain);
    EXPECT_LE(static_cast<double>(plain.size()), most_expansion(codec) * static_cast<double>(packed.size()));
    Block back(plain.size());
    EXPECT_TRUE(unpack(codec, packed, back));
    EXPECT_EQ(back, plain);
  }
}

TEST(Codecs, OtherSizesAreRefused) {
  const Block plain = make_plain();
  for (const Codec codec : codecs) {
    const Block packed = pack(codec, plain);
    Block shorter(plain.size() - 1);
    Block longer(plain.size() + 1);
    EXPECT_FALSE(unpack(codec, packed, shorter));
    EXPECT_FALSE(unpack(codec, packed, longer));
    EXPECT_FALSE(unpack(codec, {}, longer));
    for (std::size_t size = 0; size < packed.size(); size += 1 + packed.size() / 50) {
      Block back(plain.size());
      EXPECT_FALSE(unpack(codec, std::span(packed).first(size), back)) << size;
    }
  }
}

TEST(Codecs, DamagedHeadersAreRefused) {
  const Block plain = make_plain();
  for (const Codec codec : codecs) {
    Block packed = pack(codec, plain);
    std::fill_n(packed.begin(), 8, static_cast<unsigned char>(0xFF));
    Block back(plain.size());
    EXPECT_FALSE(unpack(codec, packed, back));
  }
}

// A block of some bytes may ask for a window of gigabytes. 64 MiB is what the highest level has.
TEST(Codecs, LargeWindowsAreRefused) {
  const Block plain = make_plain();
  Block back(plain.size());
  EXPECT_TRUE(unpack(Codec::lzma, pack_lzma(plain, 1u << 26), back));
  EXPECT_EQ(back, plain);
  EXPECT_FALSE(unpack(Codec::lzma, pack_lzma(plain, 1u << 27), back));
}

}  // namespace
}  // namespace tessera::detail::io
