// What the text formats share: words of a line, names in one word, points whose precision the text does not
// say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tessera/core/array.h>
#include <tessera/io/detail/input.h>
#include <tessera/io/io.h>
#include <tessera/mesh/mesh.h>

namespace tessera::detail::io {

/// The words of a line, one after the other.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  /// The next word; empty at the end of the line.
  [[nodiscard]] std::string_view next();

 private:
  std::string_view rest_;
};

/// Names of what a reader leaves out, each once and only the first of many.
class LeftOutNames {
 public:
  void add(std::string_view name);
  /// "Left out sections: A, B and 3 more." if there are any; `what` is "sections".
  void note(std::string_view what, FileReport& report) const;

 private:
  std::vector<std::string> names_;
  std::uint64_t more_ = 0;
};

/// Skips the mark that some editors put before UTF-8 text.
void skip_mark(Input& input);

[[nodiscard]] std::string to_lower(std::string_view text);

/// "my field" <-> "my%20field", as VTK's legacy files have it: the name becomes one word.
[[nodiscard]] std::string encode_name(std::string_view name);
[[nodiscard]] std::string decode_name(std::string_view name);

/// Collects the points of a text file, whose numbers may have been floats or doubles. They are kept as floats
/// if no number says more than the float next to it would, so that both kinds come back as they were written.
class TextPoints {
 public:
  void reserve(std::size_t count) { points_.reserve(count); }
  void add(Vec3d point);
  [[nodiscard]] std::size_t size() const { return points_.size(); }
  [[nodiscard]] Points take();

 private:
  Array<Vec3d> points_;
  bool is_float_ = true;
};

}  // namespace tessera::detail::io
