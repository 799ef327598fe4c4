#include <tessera/io/detail/codec.h>

#include <limits>
#include <new>

#include <lz4.h>
#include <lzma.h>
#include <zlib.h>

namespace tessera::detail::io {
namespace {

bool unpack_zlib(std::span<const unsigned char> packed, std::span<unsigned char> plain) {
  uLongf size = plain.size();
  const int status = uncompress(plain.data(), &size, packed.data(), packed.size());
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  return status == Z_OK && size == plain.size();
}

bool unpack_lz4(std::span<const unsigned char> packed, std::span<unsigned char> plain) {
  constexpr std::size_t largest = std::numeric_limits<int>::max();
  if (packed.size() > largest || plain.size() > largest) return false;
  const int size =
      LZ4_decompress_safe(reinterpret_cast<const char*>(packed.data()), reinterpret_cast<char*>(plain.data()),
                          static_cast<int>(packed.size()), static_cast<int>(plain.size()));
  return size >= 0 && static_cast<std::size_t>(size) == plain.size();
}

bool unpack_lzma(std::span<const unsigned char> packed, std::span<unsigned char> plain) {
  constexpr std::uint32_t highest_level = 9;
  std::uint64_t memory = lzma_easy_decoder_memusage(highest_level);  // a damaged block may ask for more
  std::size_t taken = 0, size = 0;
  const lzma_ret status = lzma_stream_buffer_decode(&memory, 0, nullptr, packed.data(), &taken, packed.size(),
                                                    plain.data(), &size, plain.size());
  if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
  return status == LZMA_OK && size == plain.size();
}

}  // namespace

std::optional<Codec> find_codec(std::string_view name) {
  if (name == "vtkZLibDataCompressor") return Codec::zlib;
  if (name == "vtkLZ4DataCompressor") return Codec::lz4;
  if (name == "vtkLZMADataCompressor") return Codec::lzma;
  return std::nullopt;
}

double most_expansion(Codec codec) {
  switch (codec) {
    case Codec::zlib: return 1032;
    case Codec::lz4: return 255;
    case Codec::lzma: return 8192;
  }
  return 0;
}

bool unpack(Codec codec, std::span<const unsigned char> packed, std::span<unsigned char> plain) {
  switch (codec) {
    case Codec::zlib: return unpack_zlib(packed, plain);
    case Codec::lz4: return unpack_lz4(packed, plain);
    case Codec::lzma: return unpack_lzma(packed, plain);
  }
  return false;
}

}  // namespace tessera::detail::io
