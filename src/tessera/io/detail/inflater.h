// Inflater: unpacks what gzip and zlib pack (RFC 1950 to 1952), front to back.
#pragma once

#include <cstddef>
#include <cstdint>

#include <zlib.h>

#include <tessera/io/detail/input.h>

namespace tessera::detail::io {

class Inflater {
 public:
  /// Begins where `packed` stands, and consumes no byte behind the last member that it unpacks.
  explicit Inflater(Input& packed);
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  /// Up to `bytes` bytes, none only where a member ends. The next call begins the next member: gzip files may
  /// be put together. Error(bad_file) if the data are damaged or end within a member.
  [[nodiscard]] std::size_t unpack(void* to, std::size_t bytes);
  /// Whether a member has ended, its checksum being right, and no other has begun. True at the start.
  [[nodiscard]] bool is_between_members() const { return is_between_members_; }
  /// Goes on with a member that begins where the input stands now.
  void restart() { is_between_members_ = true; }

 private:
  Input& packed_;
  z_stream stream_ = {};
  bool is_between_members_ = true;
};

/// The one limit on what packed bytes may become. Error(unsupported) if `bytes` are more than deflate can
/// make of them or, beyond 256 MiB, more than a hundred times as many: meshes shrink to a tenth, and whatever
/// shrinks to a hundredth and is not small is made to fill memories.
void check_expansion(const Input& input, std::uint64_t packed, std::uint64_t bytes);

}  // namespace tessera::detail::io
