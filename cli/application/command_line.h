// The command line: every verb with its options, as CLI11 parses them.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include <tessera/core/error.h>

#include "application/session.h"
#include "application/verb.h"

namespace tessera::cli {

class CommandLine {
 public:
  explicit CommandLine(const std::vector<Verb>& verbs);
  CommandLine(const CommandLine&) = delete;  // CLI11 holds the addresses of the options
  CommandLine& operator=(const CommandLine&) = delete;

  /// Fills the options. CLI::Success for --help and --version, Error(bad_option) for what cannot be parsed.
  void parse(std::vector<std::string> arguments);

  [[nodiscard]] const CLI::App& app() const { return app_; }
  [[nodiscard]] const CommonOptions& options() const { return options_; }
  /// The verb that was named, also if its options are wrong; empty if there was none.
  [[nodiscard]] std::string verb() const;
  /// What the verb does, once its options are parsed.
  [[nodiscard]] const Action& action() const;
  /// Verb::memory of it.
  [[nodiscard]] const VerbMemory& memory() const;

 private:
  void declare(const Verb& verb);
  [[nodiscard]] std::vector<std::string> verb_first(std::vector<std::string> arguments) const;
  [[nodiscard]] std::vector<std::string> verb_names() const;
  [[nodiscard]] const CLI::App& parsed_app() const;
  [[nodiscard]] Error explain(const CLI::ParseError& error) const;

  CLI::App app_{"Tessera: connectivity of unstructured meshes, and what it makes possible.", "tessera"};
  CommonOptions options_;
  struct Declared {
    CLI::App* app;
    Action action;
    VerbMemory memory;
  };
  [[nodiscard]] const Declared& parsed_verb() const;
  std::vector<Declared> verbs_;
};

}  // namespace tessera::cli
