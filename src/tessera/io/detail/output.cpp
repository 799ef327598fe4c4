#include <tessera/io/detail/output.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <tessera/core/detail/monitor.h>

namespace tessera::detail::io {
namespace {

std::string say(int error) {
  return std::generic_category().message(error);
}

}  // namespace

Output::Output(const std::filesystem::path& file, std::uint64_t expected, const Monitor* monitor,
               int descriptor)
    : file_(file), name_(file.string()), expected_(expected), monitor_(monitor_of(monitor)) {
  if (descriptor >= 0) {
    descriptor_ = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (descriptor_ < 0) fail("cannot be written: " + say(errno));
    return;
  }
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) fail("is a directory");
  if (std::filesystem::exists(file, ignored)) {
    // A link keeps pointing to its file; a file that may not be written is not replaced either.
    file_ = std::filesystem::canonical(file, ignored);
    if (ignored) fail("cannot be found: " + ignored.message());
    if (!std::filesystem::is_regular_file(file_, ignored)) fail("is not a file");
    if (::access(file_.c_str(), W_OK) != 0) fail("cannot be written: " + say(errno));
  }
  // What replaces a file gets its permissions in the end, and until then nobody else may look at it.
  const mode_t mode = std::filesystem::exists(file_, ignored) ? 0600 : 0666;
  for (int n = 0; descriptor_ < 0; ++n) {
    temporary_ =
        file_.parent_path() / (".tessera-" + std::to_string(::getpid()) + "-" + std::to_string(n) + ".tmp");
    descriptor_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor_ < 0 && errno != EEXIST) fail("cannot be written: " + say(errno));
  }
}

Output::~Output() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void Output::report() const {
  const double fraction =
      static_cast<double>(written_) / static_cast<double>(std::max<std::uint64_t>(expected_, 1));
  monitor_.update("writing", std::min(fraction, 1.0));
}

void Output::write(const void* data, std::size_t bytes) {
  for (const char* place = static_cast<const char*>(data); bytes > 0;) {
    const std::size_t part = std::min(bytes, buffer_bytes);
    write(std::string_view(place, part));
    place += part;
    bytes -= part;
  }
}

void Output::flush() {
  report();
  for (std::string_view rest = buffer_; !rest.empty();) {
    const ssize_t done = ::write(descriptor_, rest.data(), rest.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("cannot be written: " + say(errno));
    rest.remove_prefix(static_cast<std::size_t>(done));
    written_ += static_cast<std::size_t>(done);
  }
  buffer_.clear();
}

void Output::patch(std::uint64_t position, std::string_view bytes) {
  flush();
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(position));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("cannot be written: " + say(errno));
    bytes.remove_prefix(static_cast<std::size_t>(done));
    position += static_cast<std::size_t>(done);
  }
}

void Output::skip(std::uint64_t bytes) {
  flush();
  if (::lseek(descriptor_, static_cast<off_t>(bytes), SEEK_CUR) < 0) fail("cannot be written: " + say(errno));
  written_ += bytes;
}

void Output::read_back(std::uint64_t position, void* to, std::size_t bytes) {
  flush();
  for (char* place = static_cast<char*>(to); bytes > 0;) {
    const ssize_t got = ::pread(descriptor_, place, bytes, static_cast<off_t>(position));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail("cannot be read back: " + say(got < 0 ? errno : EIO));
    place += got;
    position += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
}

void Output::commit() {
  flush();
  if (temporary_.empty()) return;  // an open file of the caller's
  struct stat old = {};
  const bool is_replacing = ::stat(file_.c_str(), &old) == 0;
  if (is_replacing && ::fchmod(descriptor_, old.st_mode & 07777) != 0)
    fail("cannot be written: " + say(errno));
  if (::fsync(descriptor_) != 0 && errno != EINVAL) fail("cannot be written: " + say(errno));
  // Renamed while it is open: whoever ends the process finds the temporary among the open files.
  if (::rename(temporary_.c_str(), file_.c_str()) != 0) fail("cannot be written: " + say(errno));
  temporary_.clear();
  ::close(std::exchange(descriptor_, -1));  // fsync() has shown that everything is written
}

void Output::fail(const std::string& reason) const {
  throw Error(ErrorCode::write_failed, name_ + ": " + reason);
}

void Output::refuse(const std::string& reason) const {
  throw Error(ErrorCode::unsupported, name_ + ": " + reason);
}

}  // namespace tessera::detail::io
