#include "application/option_list.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "application/text.h"

namespace tessera::cli {
namespace {

std::vector<std::string> names_in(const std::map<std::string, int>& numbers) {
  std::vector<std::string> names;
  for (const auto& [name, number] : numbers) names.push_back(name);
  return names;
}

std::string not_one_of(const std::vector<std::string>& names, const std::string& text) {
  const std::string nearest = nearest_name(text, names);
  return "there is no '" + text + "'; " +
         (nearest.empty() ? "choose one of " + quoted_list(names) : "did you mean '" + nearest + "'?");
}

/// What an option reads one value of.
template <class T>
struct Element {
  using Type = T;
};
template <class T>
struct Element<std::optional<T>> {
  using Type = T;
};
template <class T>
struct Element<std::vector<T>> {
  using Type = T;
};

/// What is wrong with a number, if something is. No option means anything with NaN or infinity.
template <class T>
std::string check_number(const std::string& text) {
  T number = 0;
  const bool is_number = CLI::detail::lexical_cast(text, number);
  if constexpr (std::is_integral_v<T>)
    return is_number ? "" : fmt::format("'{}' is not a whole number", text);
  if (!is_number) return fmt::format("'{}' is not a number", text);
  return std::isfinite(static_cast<double>(number)) ? "" : fmt::format("'{}' is not a finite number", text);
}

}  // namespace

Option Option::required() {
  return Option(*option_->required());
}
Option Option::type_name(const std::string& name) {
  return Option(*option_->type_name(name));
}
Option Option::description(const std::string& text) {
  return Option(*option_->description(text));
}
Option Option::group(const std::string& name) {
  return Option(*option_->group(name));
}
Option Option::capture_default_str() {
  return Option(*option_->capture_default_str());
}
Option Option::delimiter(char between) {
  return Option(*option_->delimiter(between));
}
Option Option::needs(const Option& other) {
  return Option(*option_->needs(other.option_));
}
Option Option::excludes(const Option& other) {
  return Option(*option_->excludes(other.option_));
}
Option Option::in_range(double least, double most) {
  option_->description(fmt::format("{} ({} to {})", option_->get_description(), least, most));
  return Option(*option_->check([least, most](const std::string& text) {
    double number = 0;
    const bool is_inside = CLI::detail::lexical_cast(text, number) && number >= least && number <= most;
    return is_inside ? std::string() : fmt::format("{} is not between {} and {}", text, least, most);
  }));
}
Option Option::is_member(const std::vector<std::string>& names) {
  option_->type_name(CLI::detail::join(names, "|"));
  return Option(*option_->check([names](const std::string& text) {
    return std::ranges::find(names, text) != names.end() ? std::string() : not_one_of(names, text);
  }));
}
Option Option::transform_to(const std::map<std::string, int>& numbers) {
  option_->type_name(CLI::detail::join(names_in(numbers), "|"));
  const auto replace = [numbers](std::string& text) {
    const auto is_number = [&](const auto& entry) { return std::to_string(entry.second) == text; };
    if (std::ranges::any_of(numbers, is_number)) return std::string();  // CLI11 may ask again
    const auto found = numbers.find(text);
    if (found == numbers.end()) return not_one_of(names_in(numbers), text);
    text = std::to_string(found->second);
    return std::string();
  };
  return Option(*option_->transform(CLI::Validator(replace, "")));
}

Option OptionList::add_flag(const std::string& names, bool& value, const std::string& help) {
  return Option(*app_->add_flag(names, value, help));
}
Option OptionList::add_flag(const std::string& names, std::optional<bool>& value, const std::string& help) {
  return Option(*app_->add_flag_function(
      names, [&value](std::int64_t count) { value = count > 0; }, help));
}
Option OptionList::add_number(const std::string& names, std::function<void(int)> set,
                              const std::string& help) {
  return Option(*app_->add_option_function<int>(
      names, [set = std::move(set)](const int& number) { set(number); }, help));
}
template <class T>
Option OptionList::add(const std::string& names, T& value, const std::string& help) {
  CLI::Option* const option = app_->add_option(names, value, help);
  option->check([](const std::string& text) {
    return text.empty() ? std::string("the value is empty; write one or leave the option out")
                        : std::string();
  });
  if constexpr (std::is_arithmetic_v<typename Element<T>::Type>)
    option->check(check_number<typename Element<T>::Type>);
  return Option(*option);
}

#define TS_OPTION_TYPE(...) \
  template Option OptionList::add(const std::string&, __VA_ARGS__&, const std::string&)
TS_OPTION_TYPE(std::string);
TS_OPTION_TYPE(std::filesystem::path);
TS_OPTION_TYPE(int);
TS_OPTION_TYPE(std::uint32_t);
TS_OPTION_TYPE(std::uint64_t);
TS_OPTION_TYPE(double);
TS_OPTION_TYPE(std::optional<double>);
TS_OPTION_TYPE(std::optional<std::uint32_t>);
TS_OPTION_TYPE(std::vector<std::string>);
TS_OPTION_TYPE(std::vector<std::filesystem::path>);
TS_OPTION_TYPE(std::vector<double>);
#undef TS_OPTION_TYPE

}  // namespace tessera::cli
