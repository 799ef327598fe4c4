// The codecs of VTK's XML files: each block of an array is compressed by itself.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tessera::detail::io {

enum class Codec : std::uint8_t { zlib, lz4, lzma };

/// By the name that a file gives, which is that of VTK's class.
[[nodiscard]] std::optional<Codec> find_codec(std::string_view name);

/// How many bytes a byte can expand to at most, which bounds the memory that a damaged header can ask for.
[[nodiscard]] double most_expansion(Codec codec);

/// Fills `plain`. False if the block is damaged, or its size is another. std::bad_alloc if there is no memory
/// for the tables of the codec.
[[nodiscard]] bool unpack(Codec codec, std::span<const unsigned char> packed, std::span<unsigned char> plain);

}  // namespace tessera::detail::io
