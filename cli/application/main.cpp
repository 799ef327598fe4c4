// tessera <verb>: parses the command line, runs the verb, turns errors into one sentence and an exit code.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/core/config.h>
#include <tessera/core/error.h>

#include "application/interrupts.h"
#include "application/session.h"
#include "application/text.h"
#include "application/verb.h"

namespace tessera::cli {
namespace {

/// For what is a bug or a surprise and has no ErrorCode.
constexpr int unexpected_failure = 1;

constexpr const char* common_group = "Common options";

void add_common_options(OptionList app, CommonOptions& options) {
  app.add_option("--device", options.device,
                 "where to compute: auto (a GPU if there is one), cpu, cuda or cuda:K")
      ->type_name("NAME")
      ->group(common_group);
  app.add_option("--threads", options.threads, "host threads; 0 is all of them")
      ->type_name("N")
      ->in_range(0, 4096)
      ->group(common_group);
  app.add_option("--memory", options.memory, "memory the run may use, such as 512M or 8G")
      ->type_name("SIZE")
      ->group(common_group);
  app.add_option("--device-memory", options.device_memory, "memory of the GPU the run may use")
      ->type_name("SIZE")
      ->group(common_group);
  app.add_option("--json", options.json, "write a JSON object to FILE, or to standard output with -")
      ->type_name("FILE|-")
      ->group(common_group);
  app.add_flag("-q,--quiet", options.quiet, "print errors only")->group(common_group);
}

/// What was parsed: the verb, its options and what it will do.
struct CommandLine {
  CLI::App app{"Tessera: connectivity of unstructured meshes, and what it makes possible.", "tessera"};
  CommonOptions options;
  std::vector<std::pair<CLI::App*, Action>> actions;
};

void declare(CommandLine& line, const std::vector<Verb>& verbs) {
  line.app.require_subcommand(1);
  line.app.set_help_flag("-h,--help", "show this text");
  line.app.set_version_flag("--version", fmt::format("tessera {}", version), "show which version this is");
  line.app.get_formatter()->label("SUBCOMMAND", "VERB");
  line.app.footer(
      "`tessera VERB --help` explains a verb and shows an example.\n\n"
      "Example:\n"
      "  tessera make kuhn --size 64 --field rough -o kuhn64.vtu\n"
      "  tessera info kuhn64.vtu\n"
      "  tessera render kuhn64.vtu --field rough --clip y=0.5 -o kuhn64.png");
  for (const Verb& verb : verbs) {
    CLI::App* app = line.app.add_subcommand(verb.name, verb.summary);
    app->group("Verbs");
    app->set_help_flag("-h,--help", "show this text");
    app->footer("Example:\n" + verb.example);
    OptionList list(*app);
    line.actions.emplace_back(app, verb.declare(list));
    add_common_options(list, line.options);
  }
}

std::string lower_first(std::string text) {
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0) {
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  }
  return text;
}

/// What is wrong with the first argument if it is not a verb or an option.
std::optional<Error> check_verb(const std::vector<std::string>& arguments, const std::vector<Verb>& verbs) {
  std::vector<std::string> names;
  for (const Verb& verb : verbs) names.push_back(verb.name);
  if (arguments.empty()) {
    return Error(ErrorCode::bad_option,
                 fmt::format("say what to do: {}; see 'tessera --help'", quoted_list(names)));
  }
  const std::string& verb = arguments.front();
  if (verb.starts_with("-") || std::ranges::find(names, verb) != names.end()) return std::nullopt;
  const std::string nearest = nearest_name(verb, names);
  const std::string advice =
      nearest.empty() ? "there are " + quoted_list(names) : "did you mean '" + nearest + "'?";
  return Error(ErrorCode::bad_option, fmt::format("there is no verb '{}'; {}", verb, advice));
}

/// CLI11's complaint as one sentence that says where to read on.
Error make_parse_error(const CLI::ParseError& error, const std::string& verb) {
  std::string reason = lower_first(error.what());
  while (!reason.empty() && (reason.back() == '.' || reason.back() == '\n')) reason.pop_back();
  const std::string where = verb.empty() ? "tessera" : "tessera " + verb;
  return {ErrorCode::bad_option, fmt::format("{}; see '{} --help'", reason, where)};
}

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
    return fail({ErrorCode::out_of_memory,
                 "the machine has no more memory to give; use a smaller input or --memory"});
  }
  session.finish(nullptr);
  return code;
}

int run_command(CommandLine& line, const Interrupts& interrupts, const std::vector<std::string>& arguments) {
  for (const auto& [app, action] : line.actions) {
    if (!app->parsed()) continue;
    std::optional<Session> session;
    try {
      session.emplace(app->get_name(), line.options, interrupts.token());
    } catch (const Error& error) {
      return report_early(with_device_advice(error), arguments, app->get_name());
    }
    return run_action(action, *session);
  }
  return 0;
}

int run(int argc, char** argv) {
  const Interrupts interrupts;
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  const std::vector<Verb> verbs = make_verbs();
  if (const auto error = check_verb(arguments, verbs)) return report_early(*error, arguments, "");
  CommandLine line;
  declare(line, verbs);
  try {
    line.app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help and --version
    return line.app.exit(success);
  } catch (const CLI::ParseError& error) {
    const bool has_verb = !arguments.empty() && !arguments.front().starts_with("-");
    const std::string verb = has_verb ? arguments.front() : "";
    return report_early(make_parse_error(error, verb), arguments, verb);
  }
  return run_command(line, interrupts, arguments);
}

/// Everything is printed by now; a reader that left is no error, a full disk is.
int flush_output(int code) {
  if (std::fflush(stdout) == 0 || errno == EPIPE || code != 0) return code;
  print_error({ErrorCode::write_failed, "cannot write to standard output; is the disk full?"});
  return static_cast<int>(ErrorCode::write_failed);
}

/// Whoever starts the program may have closed a standard stream. A file opened later would take its place,
/// and what is printed would end up in it.
void open_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    (void)open("/dev/null", O_RDWR);  // takes the lowest number that is free
  }
}

}  // namespace
}  // namespace tessera::cli

int main(int argc, char** argv) {
  tessera::cli::open_standard_streams();
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
