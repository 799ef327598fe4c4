#include "application/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include <tessera/core/config.h>
#include <tessera/core/macros.h>

#include "application/program_text.h"
#include "application/text.h"

namespace tessera::cli {
namespace {

constexpr const char* common_group = "Common options, before or after the verb";

constexpr std::array<const char*, 6> group_names = {"Files",    "Analyse", "Generate",
                                                    "Surfaces", "Look",    "Shell"};

void add_common_options(OptionList app, CommonOptions& options) {
  app.add_option("--device", options.device, "where to compute: auto is a GPU if there is one and it pays")
      ->type_name("auto|cpu|cuda|cuda:K")
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

std::string lower_first(std::string text) {
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0) {
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  }
  return text;
}

/// "--colour" of "--colour=red".
std::string name_of(const std::string& argument) {
  return argument.substr(0, argument.find('='));
}

std::string command(const CLI::App& app) {
  return app.get_parent() == nullptr ? "tessera" : "tessera " + app.get_name();
}

Error unknown_option(const CLI::App& app, const std::string& name) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& known : option->get_lnames()) names.push_back("--" + known);
  }
  const std::string nearest = nearest_name(name, names);
  const std::string advice = nearest.empty() ? fmt::format("see '{} --help'", command(app))
                                             : fmt::format("did you mean '{}'?", nearest);
  return {ErrorCode::bad_option, fmt::format("'{}' has no option '{}'; {}", command(app), name, advice)};
}

/// The words of a type name that are meant as they stand.
std::vector<std::string> choices_in(const std::string& type_name) {
  std::vector<std::string> words = CLI::detail::split(type_name, '|');
  const auto is_choice = [](const std::string& word) {
    const bool stands_for_something =
        std::ranges::any_of(word, [](unsigned char c) { return std::isupper(c) != 0; });
    return !stands_for_something && word != "-";
  };
  std::erase_if(words, [&](const std::string& word) { return !is_choice(word); });
  return words;
}

std::vector<OptionText> describe_options(const CLI::App& app) {
  std::vector<OptionText> texts;
  for (const CLI::Option* option : app.get_options()) {
    OptionText text;
    for (const std::string& name : option->get_snames()) text.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) text.names.push_back("--" + name);
    if (option->get_items_expected_max() > 0) text.value = option->get_type_name();
    text.choices = choices_in(text.value);
    text.help = option->get_description();
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace

Error unknown_verb(const std::string& verb, const std::vector<std::string>& names) {
  const std::string nearest = nearest_name(verb, names);
  const std::string advice =
      nearest.empty() ? "there are " + quoted_list(names) : "did you mean '" + nearest + "'?";
  return {ErrorCode::bad_option, fmt::format("there is no verb '{}'; {}", verb, advice)};
}

ProgramText describe_program() {
  const std::vector<Verb> verbs = make_verbs();
  const CommandLine line(verbs);
  ProgramText program = {describe_options(line.app()), {}};
  for (const Verb& verb : verbs) {
    program.verbs.push_back(
        {verb.name, verb.summary, verb.example, describe_options(*line.app().get_subcommand(verb.name))});
  }
  return program;
}

CommandLine::CommandLine(const std::vector<Verb>& verbs) {
  app_.require_subcommand(1);
  app_.set_help_flag("-h,--help", "show this text");
  app_.set_version_flag("--version", fmt::format("tessera {}", version), "show which version this is");
  app_.get_formatter()->label("SUBCOMMAND", "VERB");
  app_.footer(
      "`tessera VERB --help` explains a verb and shows an example.\n\n"
      "Example:\n"
      "  tessera make kuhn --size 64 --field rough -o kuhn64.vtu\n"
      "  tessera info kuhn64.vtu\n"
      "  tessera render kuhn64.vtu --field rough --clip y=0.5 -o kuhn64.png");
  add_common_options(OptionList(app_), options_);
  for (const Verb& verb : verbs) declare(verb);
}

void CommandLine::declare(const Verb& verb) {
  CLI::App* app = app_.add_subcommand(verb.name, verb.summary);
  app->group(group_names.at(static_cast<std::size_t>(verb.group)));
  app->set_help_flag("-h,--help", "show this text");
  app->footer("Example:\n" + verb.example);
  OptionList list(*app);
  actions_.emplace_back(app, verb.declare(list));
  add_common_options(list, options_);
}

std::vector<std::string> CommandLine::verb_names() const {
  std::vector<std::string> names;
  for (const auto& [app, action] : actions_) names.push_back(app->get_name());
  return names;
}

/// The arguments with the verb in front: an option before it means what it means behind it.
std::vector<std::string> CommandLine::verb_first(std::vector<std::string> arguments) const {
  const std::vector<std::string> names = verb_names();
  std::string unknown;
  std::size_t place = 0;
  while (place < arguments.size() && arguments[place].starts_with("-")) {
    const std::string& argument = arguments[place];
    const CLI::Option* const option = app_.get_option_no_throw(name_of(argument));
    if (option == app_.get_version_ptr() && option != nullptr) return {argument};
    if (option == nullptr && unknown.empty()) unknown = name_of(argument);
    const bool has_value_behind =
        option != nullptr && option->get_items_expected() > 0 && argument.find('=') == std::string::npos;
    place += has_value_behind ? 2 : 1;
  }
  const bool has_verb = place < arguments.size() && std::ranges::find(names, arguments[place]) != names.end();
  if (!has_verb && !unknown.empty()) throw unknown_option(app_, unknown);
  if (!has_verb && place < arguments.size()) throw unknown_verb(arguments[place], names);
  if (has_verb) std::rotate(arguments.begin(), arguments.begin() + place, arguments.begin() + place + 1);
  return arguments;
}

void CommandLine::parse(std::vector<std::string> arguments) {
  arguments = verb_first(std::move(arguments));
  std::ranges::reverse(arguments);  // as CLI11 wants them
  try {
    app_.parse(arguments);
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ParseError& error) {
    throw explain(error);
  }
}

const CLI::App& CommandLine::parsed_app() const {
  const std::vector<const CLI::App*> parsed =
      app_.get_subcommands([](const CLI::App* app) { return app->parsed(); });
  return parsed.empty() ? app_ : *parsed.front();
}

std::string CommandLine::verb() const {
  const CLI::App& app = parsed_app();
  return &app == &app_ ? "" : app.get_name();
}

const Action& CommandLine::action() const {
  const auto found = std::ranges::find_if(actions_, [](const auto& entry) { return entry.first->parsed(); });
  TS_EXPECTS(found != actions_.end());
  return found->second;
}

/// CLI11's complaint as one sentence that says what to do.
Error CommandLine::explain(const CLI::ParseError& error) const {
  const CLI::App& app = parsed_app();
  if (&app == &app_) {
    return {ErrorCode::bad_option,
            fmt::format("say what to do: {}; see 'tessera --help'", quoted_list(verb_names()))};
  }
  // Before what CLI11 found first, such as a file that is missing because it became the value of an option.
  for (const std::string& argument : app.remaining()) {
    if (argument.size() > 1 && argument.starts_with("-")) return unknown_option(app, name_of(argument));
  }
  std::string reason = lower_first(error.what());
  while (!reason.empty() && (reason.back() == '.' || reason.back() == '\n')) reason.pop_back();
  return {ErrorCode::bad_option, fmt::format("{}; see '{} --help'", reason, command(app))};
}

}  // namespace tessera::cli
