// What must not outlive the program, however it ends: half-written files and helper processes.
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace tessera::cli {

/// Announces that `target` is about to be written through io's temporary file, which its own destructor
/// removes unless the program is ended at once; clean_up_now() then does.
class PendingOutput {
 public:
  explicit PendingOutput(const std::filesystem::path& target);
  PendingOutput(const PendingOutput&) = delete;
  PendingOutput& operator=(const PendingOutput&) = delete;
  ~PendingOutput();

 private:
  std::filesystem::path target_;
};

/// A process that is ended when this goes.
class ChildProcess {
 public:
  ChildProcess() = default;
  explicit ChildProcess(pid_t pid);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();

  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
};

/// Removes every temporary file and ends every child. Called from the thread that waits for signals, so it
/// may use the whole language; the caller must end the program right after.
void clean_up_now() noexcept;

}  // namespace tessera::cli
