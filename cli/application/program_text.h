// The verbs and options of the program as text, for those who complete or print them.
#pragma once

#include <string>
#include <vector>

#include <tessera/core/error.h>

namespace tessera::cli {

struct OptionText {
  std::vector<std::string> names;  ///< "-o", "--output"; none for what has a place instead
  std::string value;               ///< "FILE"; empty for a flag
  std::vector<std::string> choices;
  std::string help;
};

struct VerbPage {
  std::string name, summary, example;
  std::vector<OptionText> options;
};

struct ProgramText {
  std::vector<OptionText> options;  ///< before the verb
  std::vector<VerbPage> verbs;
};

/// Every verb with its options, as they are declared.
[[nodiscard]] ProgramText describe_program();

/// For a verb that is none of the names.
[[nodiscard]] Error unknown_verb(const std::string& verb, const std::vector<std::string>& names);

}  // namespace tessera::cli
