// The options that a verb declares. They are CLI11's, behind two handles: every file that includes CLI11
// compiles it anew, which takes as long as the rest of a verb.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tessera::cli {

/// One option; what is said of it, is said in a chain: add_option(...)->required()->type_name("N").
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}
  Option* operator->() { return this; }

  Option required();  ///< NOLINT(modernize-use-nodiscard): like all of these
  /// Shown for its value in the help. Capitals stand for something; other words, with | between, are choices.
  Option type_name(const std::string& name);
  Option description(const std::string& text);  ///< instead of the one that it has
  Option group(const std::string& name);        ///< its heading in the help
  Option capture_default_str();                 ///< shows the value that it has now
  Option delimiter(char between);               ///< of several values
  Option needs(const Option& other);            ///< refused without it, because it would do nothing
  Option excludes(const Option& other);         ///< refused beside it, likewise
  /// The description says so too.
  Option in_range(double least, double most);
  /// One of these, which become its type name.
  Option is_member(const std::vector<std::string>& names);
  /// The values of an enum by their names, likewise.
  template <class Enum>
  Option transform(const std::map<std::string, Enum>& names) {
    std::map<std::string, int> numbers;
    for (const auto& [name, value] : names) numbers.emplace(name, static_cast<int>(value));
    return transform_to(numbers);
  }

 private:
  Option transform_to(const std::map<std::string, int>& numbers);

  CLI::Option* option_;
};

class OptionList {
 public:
  explicit OptionList(CLI::App& app) : app_(&app) {}

  /// "-o,--output", or "input" for what has a place instead of a name. T is one of those in option_list.cpp,
  /// or an enum, to be transformed.
  template <class T>
  Option add_option(const std::string& names, T& value, const std::string& help) {
    if constexpr (std::is_enum_v<T>) {
      return add_number(
          names, [&value](int number) { value = static_cast<T>(number); }, help);
    } else {
      return add(names, value, help);
    }
  }
  Option add_flag(const std::string& names, bool& value, const std::string& help);
  /// The value stays empty if the flag is not given.
  Option add_flag(const std::string& names, std::optional<bool>& value, const std::string& help);

 private:
  template <class T>
  Option add(const std::string& names, T& value, const std::string& help);
  Option add_number(const std::string& names, std::function<void(int)> set, const std::string& help);

  CLI::App* app_;
};

}  // namespace tessera::cli
