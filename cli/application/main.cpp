// tessera <verb>: parses the command line, runs the verb, turns errors into one sentence and an exit code.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <tessera/core/error.h>

#include "application/command_line.h"
#include "application/interrupts.h"
#include "application/session.h"
#include "application/verb.h"
#include "data/standard_streams.h"

namespace tessera::cli {
namespace {

/// For what is a bug or a surprise and has no ErrorCode.
constexpr int unexpected_failure = 1;

/// The value of --json in a command line that could not be parsed, or "".
std::string find_json_target(const std::vector<std::string>& arguments) {
  constexpr std::string_view option = "--json";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == option && i + 1 < arguments.size()) return arguments[i + 1];
    if (arguments[i].starts_with("--json=")) return arguments[i].substr(option.size() + 1);
  }
  return "";
}

int report_early(const Error& error, const std::vector<std::string>& arguments, const std::string& verb) {
  print_error(error);
  const std::string target = find_json_target(arguments);
  if (!target.empty()) write_error_json(target, verb, error);
  return static_cast<int>(error.code());
}

/// Runs the verb; its errors have been printed and written as JSON when this returns.
int run_action(const Action& action, Session& session) {
  const auto fail = [&](const Error& error) {
    session.finish(&error);
    return static_cast<int>(error.code());
  };
  int code = 0;
  try {
    code = action(session);
  } catch (const Error& error) {
    return fail(error);
  } catch (const std::bad_alloc&) {
    return fail(session.out_of_memory());
  } catch (const std::runtime_error& error) {
    // Libraries throw errors of their own, with the system's words for "no thread to be had" in them.
    const std::string reason = std::generic_category().message(EAGAIN);
    if (std::string_view(error.what()).find(reason) == std::string_view::npos) throw;
    return fail({ErrorCode::out_of_memory,
                 "the system allows no further thread; allow more processes or more memory",
                 Remedy::more_memory});
  }
  if (const std::optional<Error> overrun = session.find_overrun(); overrun && code == 0)
    return fail(*overrun);
  session.finish(nullptr);
  return code;
}

int run_command(const CommandLine& line, const Interrupts& interrupts,
                const std::vector<std::string>& arguments) {
  std::optional<Session> session;
  try {
    session.emplace(line.verb(), line.options(), interrupts.token(), line.memory());
  } catch (const Error& error) {
    return report_early(with_device_advice(error), arguments, line.verb());
  }
  return run_action(line.action(), *session);
}

int run(int argc, char** argv) {
  const Interrupts interrupts;
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  CommandLine line(make_verbs());
  try {
    line.parse(arguments);
  } catch (const CLI::Success& success) {  // --help and --version
    return line.app().exit(success);
  } catch (const Error& error) {
    return report_early(error, arguments, line.verb());
  }
  return run_command(line, interrupts, arguments);
}

/// Everything is printed by now; a reader that left is no error, a full disk is.
int flush_output(int code) {
  const bool is_written = std::cout.flush().good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  // Asked of the pipe itself: errno may be that of anything since.
  pollfd output = {STDOUT_FILENO, POLLOUT, 0};
  const bool is_reader_gone = poll(&output, 1, 0) > 0 && (output.revents & (POLLERR | POLLHUP)) != 0;
  if (is_written || is_reader_gone || code != 0) return code;
  print_error({ErrorCode::write_failed, is_closed(STDOUT_FILENO)
                                            ? "cannot write to standard output, which is closed"
                                            : "cannot write to standard output; is the disk full?"});
  return static_cast<int>(ErrorCode::write_failed);
}

}  // namespace
}  // namespace tessera::cli

int main(int argc, char** argv) {
  tessera::cli::open_closed_streams();
  try {
    return tessera::cli::flush_output(tessera::cli::run(argc, argv));
  } catch (const tessera::Error& error) {
    tessera::cli::print_error(error);
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "tessera: unexpected: {}; please report this with the command that caused it\n",
               error.what());
    return tessera::cli::unexpected_failure;
  }
}
