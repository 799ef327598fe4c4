#include <tessera/io/detail/inflater.h>

#include <algorithm>
#include <new>
#include <string>
#include <utility>

namespace tessera::detail::io {

Inflater::Inflater(Input& packed) : packed_(packed) {
  constexpr int any_header = 32;
  if (inflateInit2(&stream_, MAX_WBITS + any_header) != Z_OK) throw std::bad_alloc();
}

std::size_t Inflater::unpack(void* to, std::size_t bytes) {
  constexpr std::size_t longest_step = std::size_t{1} << 20;
  const auto wanted = static_cast<uInt>(std::min(bytes, longest_step));
  stream_.next_out = static_cast<Bytef*>(to);
  stream_.avail_out = wanted;
  if (std::exchange(is_between_members_, false)) inflateReset(&stream_);
  while (stream_.avail_out == wanted && !is_between_members_) {
    const std::string_view window = packed_.peek().substr(0, longest_step);
    if (window.empty()) packed_.fail("ends in the middle of its compressed data");
    stream_.next_in =
        const_cast<Bytef*>(reinterpret_cast<const Bytef*>(window.data()));  // zlib only reads it
    stream_.avail_in = static_cast<uInt>(window.size());
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status != Z_OK && status != Z_STREAM_END) {
      const std::string reason = stream_.msg == nullptr ? "unknown" : stream_.msg;
      packed_.fail("has damaged compressed data (" + reason + ")");
    }
    packed_.consume(window.size() - stream_.avail_in);
    is_between_members_ = status == Z_STREAM_END;
  }
  return wanted - stream_.avail_out;
}

void check_expansion(const Input& input, std::uint64_t packed, std::uint64_t bytes) {
  constexpr std::uint64_t deflate_ratio = 1032;
  constexpr std::uint64_t trusted_ratio = 100;
  constexpr std::uint64_t trusted_bytes = std::uint64_t{1} << 28;
  const std::uint64_t most =
      std::min(deflate_ratio * packed, std::max(trusted_ratio * packed, trusted_bytes));
  if (bytes > most) {
    input.refuse("unpacks to more than " + std::to_string(most) + " bytes, which is much for " +
                 std::to_string(packed) + " compressed bytes; unpack it first");
  }
}

}  // namespace tessera::detail::io
