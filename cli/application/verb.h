// What a verb of the command line is. To add one: write verbs/NAME.cpp with a function `Verb NAME_verb()`,
// and add NAME to the list in cli/CMakeLists.txt (critical_points in both is `tessera critical-points`).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "application/memory_bound.h"
#include "application/option_list.h"
#include "application/session.h"

namespace tessera::cli {

/// Does the work and gives the exit code; problems are thrown as Error.
using Action = std::function<int(Session&)>;

/// What one wants to do with a verb; in the order of `tessera --help`.
enum class Group : std::uint8_t { files, analyse, generate, surfaces, look, shell };

struct Verb {
  std::string name;
  Group group;
  std::string summary;  ///< one line for `tessera --help`
  std::string example;  ///< command lines that work as they stand, for its own --help
  /// Declares the options and gives what to run once they are parsed.
  std::function<Action(OptionList&)> declare;
  VerbMemory memory;
};

struct VerbText {
  std::string name;
  Group group;
  std::string summary, example;
};

/// A verb from a struct of options, a function that declares them and one that does the work.
template <class Options>
[[nodiscard]] Verb define_verb(VerbText text, void (*declare)(OptionList&, Options&),
                               int (*run)(Session&, const Options&), const VerbMemory& memory = {}) {
  return {std::move(text.name),
          text.group,
          std::move(text.summary),
          std::move(text.example),
          [=](OptionList& app) -> Action {
            const auto options = std::make_shared<Options>();
            declare(app, *options);
            return [options, run](Session& session) { return run(session, *options); };
          },
          memory};
}

/// Every verb, in the order of the help. Made by CMake from the list in cli/CMakeLists.txt.
[[nodiscard]] std::vector<Verb> make_verbs();

}  // namespace tessera::cli
