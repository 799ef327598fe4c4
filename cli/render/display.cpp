#include "render/display.h"

#include <X11/Xlib.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>

#include <tessera/core/error.h>

namespace tessera::cli {
namespace {

using namespace std::chrono_literals;

/// VTK ends the program when the server does not answer, so ask first.
bool is_usable(const char* display) {
  if (display == nullptr || *display == '\0') return false;
  ::Display* connection = XOpenDisplay(display);
  if (connection == nullptr) return false;
  int opcode = 0;
  int event = 0;
  int error = 0;
  const bool has_opengl = XQueryExtension(connection, "GLX", &opcode, &event, &error) != 0;
  XCloseDisplay(connection);
  return has_opengl;
}

Error make_no_server_error() {
  return {
      ErrorCode::unsupported,
      "there is no display to draw on and Xvfb could not be started; run 'apt install xvfb' or set DISPLAY"};
}

/// OpenGL ends the program where it gets no memory, so ask for what it takes first.
void check_address_space() {
  constexpr std::size_t needed = std::size_t{1} << 30;
  void* const space = mmap(nullptr, needed, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED) {
    throw Error(
        ErrorCode::out_of_memory,
        "drawing takes up to 1 GiB of address space, which the system does not allow (see ulimit -v)");
  }
  munmap(space, needed);
}

/// A file in memory, in the format of Xauthority files, with a key for every server that is told to ask for
/// it. Others on the machine do not have it, so they can neither draw on our server nor look at it. -1 if
/// there is none.
int make_authority() {
  constexpr std::string_view kind = "MIT-MAGIC-COOKIE-1";
  std::array<char, 16> key{};
  if (getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size())) return -1;
  std::string entry("\xff\xff\0\0\0\0\0", 7);  // any kind of address, no address, no display number, and
  entry += static_cast<char>(kind.size());     // lengths of two bytes
  entry.append(kind).append({'\0', static_cast<char>(key.size())}).append(key.data(), key.size());
  const int file = memfd_create("tessera-authority", MFD_CLOEXEC);
  if (file >= 0 && write(file, entry.data(), entry.size()) == static_cast<ssize_t>(entry.size())) return file;
  if (file >= 0) close(file);
  return -1;
}

/// In the new process, between fork and exec: only calls that are safe there.
[[noreturn]] void become_server(int number_pipe, int authority) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // ends with us even if we are killed
  setsid();                          // Ctrl-C at the terminal is for us, not for the server
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  const int null = open("/dev/null", O_RDWR);
  dup2(null, STDIN_FILENO);
  dup2(null, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
  const int number_copy = fcntl(number_pipe, F_DUPFD, 10);  // out of the way of what follows
  const int authority_copy = fcntl(authority, F_DUPFD, 10);
  dup2(number_copy, 3);
  dup2(authority_copy, 4);
  std::array<const char*, 11> arguments = {"Xvfb",  "-displayfd",      "3",         "-screen",
                                           "0",     "640x480x24",      "-nolisten", "tcp",
                                           "-auth", "/proc/self/fd/4", nullptr};
  execvp(arguments[0], const_cast<char**>(arguments.data()));
  _exit(127);
}

/// What the server says on the pipe once it is ready: its number and a line feed. Empty if it died or took
/// too long.
std::string read_number(int pipe, const std::stop_token& stop) {
  std::string text;
  const auto deadline = std::chrono::steady_clock::now() + 20s;
  while (std::chrono::steady_clock::now() < deadline) {
    if (stop.stop_requested()) throw Error(ErrorCode::cancelled, "stopped on request");
    pollfd waiting = {pipe, POLLIN, 0};
    if (poll(&waiting, 1, 100) <= 0) continue;
    std::array<char, 16> bytes{};
    const ssize_t count = read(pipe, bytes.data(), bytes.size());
    if (count <= 0) return "";
    text.append(bytes.data(), static_cast<std::size_t>(count));
    if (text.back() == '\n') return text.substr(0, text.size() - 1);
  }
  return "";
}

}  // namespace

Display::Display(const std::stop_token& stop) {
  check_address_space();
  if (is_usable(std::getenv("DISPLAY"))) return;
  const int authority = make_authority();  // as long as the program: VTK may connect again
  if (authority < 0) throw make_no_server_error();
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw make_no_server_error();
  const pid_t child = fork();
  if (child == 0) become_server(ends[1], authority);
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    throw make_no_server_error();
  }
  server_ = ChildProcess(child);
  std::string number;
  try {
    number = read_number(ends[0], stop);
  } catch (...) {
    close(ends[0]);
    throw;
  }
  close(ends[0]);
  if (number.empty()) throw make_no_server_error();
  setenv("DISPLAY", (":" + number).c_str(), 1);
  setenv("XAUTHORITY", ("/proc/self/fd/" + std::to_string(authority)).c_str(), 1);
}

}  // namespace tessera::cli
