// Standard input and output in the place of files: `-`. Meshes are read and written at any place, which pipes
// do not allow, so both go through a temporary file that has no name.
#pragma once

#include <cstdint>
#include <filesystem>

#include "application/session.h"

namespace tessera::cli {

[[nodiscard]] inline bool is_standard_stream(const std::filesystem::path& file) {
  return file == "-";
}

/// Opens standard streams that whoever started the program has closed: a file opened later would take their
/// place, and what is printed would end up in it. They are opened the wrong way round, so that reading and
/// writing still fail.
void open_closed_streams();
/// Was standard output or standard error closed when the program started?
[[nodiscard]] bool is_closed(int output);

/// A file that is gone when it is closed. Error(write_failed) if there is no place for it.
class NamelessFile {
 public:
  NamelessFile();
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;
  ~NamelessFile();

  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

/// Copies standard input to its end. Error(out_of_memory) if it is longer than --memory allows.
void receive_standard_input(Session& session, const NamelessFile& to);

/// Sends the file to standard output and returns its size. A reader that leaves is no error.
std::uint64_t send_to_standard_output(Session& session, const NamelessFile& from);

}  // namespace tessera::cli
