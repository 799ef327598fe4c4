#include <tessera/io/detail/input.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <tessera/core/detail/monitor.h>

namespace tessera::detail::io {
namespace {

constexpr std::size_t window_bytes = std::size_t{1} << 20;
constexpr std::size_t longest_token = 4096;

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

}  // namespace

std::filesystem::path without_gz(const std::filesystem::path& file) {
  const std::string extension = file.extension().string();
  return extension == ".gz" || extension == ".GZ" ? file.parent_path() / file.stem() : file;
}

Input::Input(const std::filesystem::path& file, const Monitor* monitor, Packing packing, int descriptor)
    : name_(file.string()), monitor_(monitor_of(monitor)) {
  // Not blocking, so that a named pipe is refused instead of waited for.
  descriptor_ = descriptor >= 0 ? ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
                                : ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) {
    const int reason = errno;
    throw Error(reason == ENOENT || reason == ENOTDIR ? ErrorCode::not_found : ErrorCode::bad_file,
                name_ + ": cannot be opened: " + std::generic_category().message(reason));
  }
  struct stat status = {};
  const bool is_known = ::fstat(descriptor_, &status) == 0;
  if (!is_known || !S_ISREG(status.st_mode)) {
    ::close(descriptor_);
    throw Error(ErrorCode::bad_file,
                name_ + (S_ISDIR(status.st_mode) ? ": is a directory" : ": is not a file"));
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
  const bool is_gzip = packing == Packing::gzip || (packing == Packing::by_name && without_gz(file) != file);
  if (is_gzip && size_ > 0) {
    try {
      gunzip_ = std::make_unique<Gunzip>(descriptor_, name_);
      size_ = gunzip_->measure(size_, [&] { monitor_.update("reading", 0); });
    } catch (...) {
      ::close(descriptor_);
      throw;
    }
  }
  end_ = size_;
  window_.resize(std::min<std::uint64_t>(window_bytes, size_));
}

Input::~Input() {
  ::close(descriptor_);
}

void Input::seek(std::uint64_t begin, std::uint64_t end) {
  end_ = std::min(end, size_);
  if (begin > end_) fail("ends before its data (byte " + std::to_string(begin) + ")");
  if (begin < start_ || begin > start_ + filled_) {
    start_ = begin;
    filled_ = 0;
  }
  cursor_ = begin - start_;
}

void Input::report() const {
  monitor_.update("reading", std::min(1.0, static_cast<double>(taken_) / static_cast<double>(size_)));
}

std::size_t Input::fetch(char* to, std::size_t bytes, std::uint64_t place) {
  if (gunzip_ != nullptr) {
    const std::size_t got = gunzip_->read(to, bytes, place);
    if (got == 0) fail("changed while it was read");
    return got;
  }
  for (;;) {
    const ssize_t got = ::pread(descriptor_, to, bytes, static_cast<off_t>(place));
    if (got > 0) return static_cast<std::size_t>(got);
    if (got < 0 && errno == EINTR) continue;
    fail("cannot be read: " + std::generic_category().message(got < 0 ? errno : EIO));
  }
}

std::string_view Input::peek(std::size_t wanted) {
  wanted = static_cast<std::size_t>(std::min<std::uint64_t>(wanted, remaining()));
  if (filled_ - cursor_ < wanted) {
    report();
    std::memmove(window_.data(), window_.data() + cursor_, filled_ - cursor_);
    start_ += cursor_;
    filled_ -= cursor_;
    cursor_ = 0;
    if (window_.size() < wanted) window_.resize(wanted);
    while (filled_ < wanted) {
      const std::size_t got = fetch(window_.data() + filled_, window_.size() - filled_, start_ + filled_);
      filled_ += got;
      taken_ += got;
    }
  }
  return {window_.data() + cursor_,
          static_cast<std::size_t>(std::min<std::uint64_t>(filled_ - cursor_, remaining()))};
}

void Input::read(void* to, std::size_t bytes) {
  if (bytes == 0) return;
  if (bytes > remaining()) fail("ends in the middle of its data");
  char* place = static_cast<char*>(to);
  const std::size_t held = std::min(bytes, filled_ - cursor_);
  std::memcpy(place, window_.data() + cursor_, held);
  consume(held);
  place += held;
  bytes -= held;
  while (bytes > 0) {
    report();
    const std::size_t got = fetch(place, std::min<std::size_t>(bytes, 8 * window_bytes), position());
    start_ = position() + got;
    taken_ += got;
    filled_ = cursor_ = 0;
    place += got;
    bytes -= got;
  }
}

std::string_view Input::token() {
  for (;;) {
    const std::string_view text = peek();
    if (text.empty()) return {};
    const auto begin = std::find_if_not(text.begin(), text.end(), is_space);
    consume(static_cast<std::size_t>(begin - text.begin()));
    if (begin != text.end()) break;
  }
  const auto length_of = [](std::string_view text) {
    return static_cast<std::size_t>(std::find_if(text.begin(), text.end(), is_space) - text.begin());
  };
  std::string_view text = peek();
  std::size_t length = length_of(text);
  if (length == text.size() && length < remaining()) {
    text = peek(longest_token);
    length = length_of(text);
    if (length >= longest_token)
      fail("is not the text that it should be (byte " + std::to_string(position()) + ")");
  }
  consume(length);
  return text.substr(0, length);
}

std::string_view Input::line() {
  std::string_view text = peek();
  std::size_t length = text.find('\n');
  while (length == std::string_view::npos && text.size() < remaining()) {
    text = peek(std::max(2 * text.size(), longest_token));
    length = text.find('\n');
  }
  const bool has_end = length != std::string_view::npos;
  text = text.substr(0, length);
  consume(text.size() + (has_end ? 1 : 0));
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

void Input::require(std::uint64_t count, std::uint64_t bytes, std::string_view what) const {
  if (count > remaining() / bytes) {
    fail("claims " + std::to_string(count) + " " + std::string(what) + ", but only " +
         std::to_string(remaining()) + " bytes follow");
  }
}

void Input::claim(std::uint64_t bytes) {
  constexpr std::uint64_t most_owners = 4;
  claimed_ += std::min(bytes, size_);
  if (claimed_ / most_owners > size_) fail("has arrays that together claim several times its size");
}

void Input::fail(const std::string& reason) const {
  throw Error(ErrorCode::bad_file, name_ + ": " + reason);
}

void Input::refuse(const std::string& reason, Remedy remedy) const {
  throw Error(ErrorCode::unsupported, name_ + ": " + reason, remedy);
}

void swap_bytes(void* data, std::size_t words, std::size_t width) {
  auto* bytes = static_cast<unsigned char*>(data);
  if (width == 1) return;
  for (std::size_t i = 0; i < words; ++i) std::reverse(bytes + i * width, bytes + (i + 1) * width);
}

}  // namespace tessera::detail::io
