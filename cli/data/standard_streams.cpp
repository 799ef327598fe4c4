#include "data/standard_streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

namespace tessera::cli {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20;

[[noreturn]] void fail(ErrorCode code, const std::string& what) {
  throw Error(code, fmt::format("{}: {}", what, std::generic_category().message(errno)));
}

/// Up to `piece_bytes`; 0 at the end.
std::size_t read_piece(int from, char* to, const char* name) {
  for (;;) {
    const ssize_t got = ::read(from, to, piece_bytes);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) fail(ErrorCode::bad_file, fmt::format("{} cannot be read", name));
  }
}

/// False if it cannot be written; errno says why.
bool try_write(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(to, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

}  // namespace

void open_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    (void)open("/dev/null",
               stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);  // takes the lowest number that is free
  }
}

bool is_closed(int output) {
  const int flags = fcntl(output, F_GETFL);
  return flags == -1 || (flags & O_ACCMODE) == O_RDONLY;
}

NamelessFile::NamelessFile() {
  std::error_code unknown;
  std::filesystem::path folder = std::filesystem::temp_directory_path(unknown);
  if (unknown) folder = "/tmp";
  std::string name = (folder / "tessera-XXXXXX").string();
  descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ < 0)
    fail(ErrorCode::write_failed, fmt::format("the folder '{}' cannot be written to", folder.string()));
  ::unlink(name.c_str());
}

NamelessFile::~NamelessFile() {
  ::close(descriptor_);
}

void receive_standard_input(Session& session, const NamelessFile& to) {
  const auto piece = std::make_unique_for_overwrite<char[]>(piece_bytes);
  const Bytes most = session.memory().left();
  Bytes size = 0;
  while (const std::size_t got = read_piece(STDIN_FILENO, piece.get(), "standard input")) {
    session.check_stop();
    size += got;
    if (size > most) {
      throw Error(ErrorCode::out_of_memory,
                  fmt::format("standard input is longer than the {} that are left of --memory; allow more",
                              format_bytes(most)));
    }
    if (!try_write(to.descriptor(), {piece.get(), got}))
      fail(ErrorCode::write_failed, "the temporary folder has no room for standard input");
  }
}

std::uint64_t send_to_standard_output(Session& session, const NamelessFile& from) {
  std::fflush(stdout);
  if (::lseek(from.descriptor(), 0, SEEK_SET) != 0)
    fail(ErrorCode::write_failed, "the temporary file of standard output cannot be read");
  const auto piece = std::make_unique_for_overwrite<char[]>(piece_bytes);
  std::uint64_t size = 0;
  while (const std::size_t got =
             read_piece(from.descriptor(), piece.get(), "the temporary file of standard output")) {
    session.check_stop();
    size += got;
    if (try_write(STDOUT_FILENO, {piece.get(), got})) continue;
    if (errno == EPIPE) break;
    fail(ErrorCode::write_failed, "standard output cannot be written");
  }
  return size;
}

}  // namespace tessera::cli
