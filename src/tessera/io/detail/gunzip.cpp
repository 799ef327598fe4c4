#include <tessera/io/detail/gunzip.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <vtk_zlib.h>

#include <tessera/core/error.h>

namespace tessera::detail::io {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 16;
constexpr std::size_t longest_read = std::size_t{1} << 20;
constexpr int gzip_window = 15 + 16;  // zlib's largest window, and gzip's header
constexpr int most_rewinds = 16;
// Meshes shrink to a tenth; what shrinks to a hundredth and is not small is made to fill memories.
constexpr std::uint64_t largest_ratio = 100;
constexpr std::uint64_t always_allowed = std::uint64_t{1} << 26;

}  // namespace

struct Gunzip::State {
  z_stream stream = {};
  std::array<unsigned char, std::size_t{1} << 16> packed = {};
  std::uint64_t packed_place = 0;  // of the next bytes to read from the file
  std::uint64_t place = 0;         // in what is unpacked
  bool is_between = false;         // a member has ended, and no other has begun
  int rewinds = 0;
};

Gunzip::Gunzip(int descriptor, std::string name)
    : descriptor_(descriptor), name_(std::move(name)), state_(std::make_unique<State>()) {
  if (inflateInit2(&state_->stream, gzip_window) != Z_OK) throw std::bad_alloc();
}

Gunzip::~Gunzip() {
  inflateEnd(&state_->stream);
}

std::uint64_t Gunzip::measure(std::uint64_t packed, const std::function<void()>& on_piece) {
  const auto piece = std::make_unique_for_overwrite<char[]>(piece_bytes);
  const std::uint64_t most = std::max(always_allowed, largest_ratio * packed);
  while (unpack(piece.get(), piece_bytes) > 0) {
    on_piece();
    if (state_->place > most) {
      throw Error(ErrorCode::unsupported, name_ + ": unpacks to more than " + std::to_string(most) +
                                              " bytes, which is much for its size; unpack it first");
    }
  }
  const std::uint64_t size = state_->place;
  rewind();
  return size;
}

std::size_t Gunzip::read(void* to, std::size_t bytes, std::uint64_t place) {
  if (place < state_->place) {
    if (++state_->rewinds > most_rewinds) {
      throw Error(ErrorCode::unsupported, name_ + ": cannot be read in its order; unpack it first");
    }
    rewind();
  }
  while (state_->place < place) {
    const std::uint64_t skipped = std::min<std::uint64_t>(place - state_->place, bytes);
    if (unpack(to, static_cast<std::size_t>(skipped)) == 0) return 0;
  }
  return unpack(to, bytes);
}

void Gunzip::rewind() {
  inflateReset(&state_->stream);
  state_->stream.avail_in = 0;
  state_->packed_place = state_->place = 0;
  state_->is_between = false;
}

void Gunzip::refill() {
  ssize_t got = -1;
  do {
    got = ::pread(descriptor_, state_->packed.data(), state_->packed.size(),
                  static_cast<off_t>(state_->packed_place));
  } while (got < 0 && errno == EINTR);
  if (got < 0) {
    throw Error(ErrorCode::bad_file, name_ + ": cannot be read: " + std::generic_category().message(errno));
  }
  state_->packed_place += static_cast<std::uint64_t>(got);
  state_->stream.next_in = state_->packed.data();
  state_->stream.avail_in = static_cast<unsigned>(got);
}

/// The next bytes, up to `bytes` of them; 0 at the end. A file may have several members, one after the other.
std::size_t Gunzip::unpack(void* to, std::size_t bytes) {
  z_stream& stream = state_->stream;
  const auto wanted = static_cast<unsigned>(std::min(bytes, longest_read));
  stream.next_out = static_cast<unsigned char*>(to);
  stream.avail_out = wanted;
  while (stream.avail_out == wanted) {
    if (stream.avail_in == 0) refill();
    if (stream.avail_in == 0) {
      if (state_->is_between) return 0;
      throw Error(ErrorCode::bad_file, name_ + ": ends in the middle of its compressed data");
    }
    state_->is_between = false;
    const int status = inflate(&stream, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      state_->is_between = true;
      inflateReset(&stream);
    } else if (status != Z_OK) {
      throw Error(ErrorCode::bad_file, name_ + ": has damaged compressed data (" +
                                           (stream.msg == nullptr ? "unknown" : stream.msg) + ")");
    }
  }
  state_->place += wanted - stream.avail_out;
  return wanted - stream.avail_out;
}

}  // namespace tessera::detail::io
