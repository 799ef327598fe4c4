#include "application/cleanup.h"

#include <fcntl.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace tessera::cli {
namespace {

namespace fs = std::filesystem;

/// Everything that is to be undone. One for the process: signals are sent to the process.
struct Register {
  std::mutex mutex;
  std::vector<fs::path> outputs;
  std::vector<pid_t> children;
};

Register& the_register() {
  static Register instance;
  return instance;
}

template <class T>
void enter(std::vector<T> Register::*list, const T& value) {
  const std::lock_guard lock(the_register().mutex);
  (the_register().*list).push_back(value);
}

template <class T>
void leave(std::vector<T> Register::*list, const T& value) {
  const std::lock_guard lock(the_register().mutex);
  std::erase(the_register().*list, value);
}

bool is_open_for_writing(const fs::path& descriptor) {
  const int flags = fcntl(std::atoi(descriptor.filename().c_str()), F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

/// The temporary of a target is the hidden file beside it that this process is writing.
void remove_temporary_of(const fs::path& target) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd", ignored)) {
    const fs::path file = fs::read_symlink(entry.path(), ignored);
    const bool is_beside =
        file.parent_path() == target.parent_path() && file.filename().string().starts_with(".");
    if (is_beside && is_open_for_writing(entry.path())) fs::remove(file, ignored);
  }
}

}  // namespace

PendingOutput::PendingOutput(const fs::path& target) {
  std::error_code unresolved;
  target_ = fs::weakly_canonical(fs::absolute(target), unresolved);
  enter(&Register::outputs, target_);
}

PendingOutput::~PendingOutput() {
  leave(&Register::outputs, target_);
}

ChildProcess::ChildProcess(pid_t pid) : pid_(pid) {
  enter(&Register::children, pid_);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept : pid_(std::exchange(other.pid_, 0)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (pid_ == 0) return;
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
  leave(&Register::children, pid_);
}

void clean_up_now() noexcept {
  try {
    const std::lock_guard lock(the_register().mutex);
    for (const pid_t child : the_register().children) kill(child, SIGTERM);
    for (const fs::path& target : the_register().outputs) remove_temporary_of(target);
  } catch (...) {
    // The program ends either way; a file that cannot be removed must not keep it alive.
    return;
  }
}

}  // namespace tessera::cli
