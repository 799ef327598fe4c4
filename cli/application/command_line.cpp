#include "application/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
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

/// "-o or --output", or the name of what has a place.
std::string names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names.empty() ? option.get_name() : fmt::format("{}", fmt::join(names, " or "));
}

/// "--field NAME", or "FILE" for what has a place.
std::string usage_of(const CLI::Option& option) {
  return option.get_positional() ? option.get_type_name()
                                 : fmt::format("{} {}", option.get_name(), option.get_type_name());
}

/// The option that CLI11's complaint is about, or null.
const CLI::Option* find_named(const CLI::App& app, std::string_view complaint) {
  for (const CLI::Option* option : app.get_options()) {
    if (complaint.starts_with(option->get_name() + ":") ||
        complaint.starts_with("Could not convert: " + option->get_name() + " "))
      return option;
  }
  return nullptr;
}

/// What is missing: a required option, or one that another cannot do without.
std::string find_missing(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_required() && option->count() == 0)
      return fmt::format("{} is missing: {}", usage_of(*option), option->get_description());
    for (const CLI::Option* other : option->get_needs()) {
      if (option->count() > 0 && other->count() == 0)
        return fmt::format("{} does nothing without {}; add that or leave it out", names_of(*option),
                           names_of(*other));
    }
  }
  return {};
}

/// Two options of which one would do nothing beside the other.
std::string find_contradiction(const CLI::App& app) {
  std::vector<const CLI::Option*> given = app.get_options();
  std::erase_if(given, [](const CLI::Option* option) { return option->count() == 0; });
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::set<CLI::Option*> excluded = given[i]->get_excludes();
    for (std::size_t j = i + 1; j < given.size(); ++j) {
      if (std::ranges::find(excluded, given[j]) != excluded.end())
        return fmt::format("{} and {} exclude each other; leave one of them out", names_of(*given[i]),
                           names_of(*given[j]));
    }
  }
  return {};
}

/// CLI11's complaint in our words.
std::string reword(const CLI::App& app, const CLI::ParseError& error) {
  const std::string missing = find_missing(app);
  const CLI::Option* const option = find_named(app, error.what());
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
    return fmt::format("'{}' is one argument too many", app.remaining().front());
  if (option != nullptr && option->get_items_expected_max() == 0)
    return fmt::format("{} takes no value", names_of(*option));
  if (option != nullptr && dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    return option->count() == 0
               ? fmt::format("{} has no value; write {}", option->get_name(), usage_of(*option))
               : fmt::format("{} was given {} times; give it once", names_of(*option), option->count());
  }
  if (option == nullptr && !missing.empty()) return missing;
  if (const std::string both = find_contradiction(app); option == nullptr && !both.empty()) return both;
  return error.what();  // of a check: our own words
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
  if (verb == "render")
    return {ErrorCode::unsupported, "this build draws no pictures: it was made without VTK"};
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
      "  tessera critical-points kuhn64.vtu --field rough -o points.vtp");
  add_common_options(OptionList(app_), options_);
  for (const Verb& verb : verbs) declare(verb);
}

void CommandLine::declare(const Verb& verb) {
  CLI::App* app = app_.add_subcommand(verb.name, verb.summary);
  app->group(group_names.at(static_cast<std::size_t>(verb.group)));
  app->set_help_flag("-h,--help", "show this text");
  app->footer("Example:\n" + verb.example);
  OptionList list(*app);
  verbs_.push_back({app, verb.declare(list), verb.memory});
  add_common_options(list, options_);
}

std::vector<std::string> CommandLine::verb_names() const {
  std::vector<std::string> names;
  for (const Declared& verb : verbs_) names.push_back(verb.app->get_name());
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

const CommandLine::Declared& CommandLine::parsed_verb() const {
  const auto found = std::ranges::find_if(verbs_, [](const Declared& verb) { return verb.app->parsed(); });
  TS_EXPECTS(found != verbs_.end());
  return *found;
}

const Action& CommandLine::action() const {
  return parsed_verb().action;
}

const VerbMemory& CommandLine::memory() const {
  return parsed_verb().memory;
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
  return {ErrorCode::bad_option, fmt::format("{}; see '{} --help'", reword(app, error), command(app))};
}

}  // namespace tessera::cli
