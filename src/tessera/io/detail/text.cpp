#include <tessera/io/detail/text.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace tessera::detail::io {
namespace {

constexpr std::string_view spaces = " \t\r\n\v\f";

/// Is `x` the number that the shortest text of a float denotes?
bool is_written_float(double x) {
  const auto narrow = static_cast<float>(x);
  if (static_cast<double>(narrow) == x || std::isnan(x)) return true;
  if (!std::isfinite(narrow)) return false;
  std::array<char, 32> text = {};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), narrow).ptr;
  double back = 0;
  std::from_chars(text.data(), end, back);
  return back == x;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string_view Words::next() {
  rest_.remove_prefix(std::min(rest_.find_first_not_of(spaces), rest_.size()));
  const std::string_view word = rest_.substr(0, rest_.find_first_of(spaces));
  rest_.remove_prefix(word.size());
  return word;
}

void LeftOutNames::add(std::string_view name) {
  constexpr std::size_t most_names = 20;
  const std::string_view shown = name.substr(0, 40);
  if (std::find(names_.begin(), names_.end(), shown) != names_.end()) return;
  if (names_.size() < most_names) {
    names_.emplace_back(shown);
  } else {
    ++more_;
  }
}

void LeftOutNames::note(std::string_view what, FileReport& report) const {
  if (names_.empty()) return;
  std::string text = "Left out " + std::string(what) + ": ";
  for (const std::string& name : names_) text += (&name == &names_.front() ? "" : ", ") + name;
  report.notes.push_back(text + (more_ > 0 ? " and " + std::to_string(more_) + " more." : "."));
}

void skip_mark(Input& input) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (input.peek(mark.size()).starts_with(mark)) input.consume(mark.size());
}

std::string to_lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::string encode_name(std::string_view name) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string result;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 32 || byte >= 127 || c == '%' || c == '"') {
      result += {'%', digits[byte / 16], digits[byte % 16]};
    } else {
      result += c;
    }
  }
  return result.empty() ? "unnamed" : result;
}

std::string decode_name(std::string_view name) {
  std::string result;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool is_code =
        name[i] == '%' && i + 2 < name.size() && hex_digit(name[i + 1]) >= 0 && hex_digit(name[i + 2]) >= 0;
    result += is_code ? static_cast<char>(16 * hex_digit(name[i + 1]) + hex_digit(name[i + 2])) : name[i];
    if (is_code) i += 2;
  }
  return result;
}

void TextPoints::add(Vec3d point) {
  points_.push_back(point);
  if (is_float_)
    is_float_ = is_written_float(point.x) && is_written_float(point.y) && is_written_float(point.z);
}

Points TextPoints::take() {
  if (!is_float_) return std::move(points_);
  Array<Vec3f> narrow(points_.size());
  std::transform(points_.begin(), points_.end(), narrow.begin(), [](Vec3d p) { return vec_cast<float>(p); });
  points_ = {};
  return narrow;
}

}  // namespace tessera::detail::io
