#include "data/frame_series.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include <tessera/core/error.h>

#include "data/files.h"

namespace tessera::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::pair<char, std::string_view> entities[] = {
    {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&apos;"}};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    std::string_view written(&c, 1);
    for (const auto& [character, entity] : entities) {
      if (c == character) written = entity;
    }
    out += written;
  }
  return out;
}

std::string unescaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t taken = 1;
    char c = text[0];
    for (const auto& [character, entity] : entities) {
      if (!text.starts_with(entity)) continue;
      c = character;
      taken = entity.size();
    }
    out += c;
    text.remove_prefix(taken);
  }
  return out;
}

/// The value of name="..." in a tag.
std::optional<std::string> attribute(std::string_view tag, const std::string& name) {
  const std::string opening = " " + name + "=\"";
  const std::size_t at = tag.find(opening);
  if (at == std::string_view::npos) return std::nullopt;
  tag.remove_prefix(at + opening.size());
  const std::size_t end = tag.find('"');
  if (end == std::string_view::npos) return std::nullopt;
  return unescaped(tag.substr(0, end));
}

std::optional<double> number(const std::optional<std::string>& text) {
  double value = 0;
  if (!text) return std::nullopt;
  const auto [end, failed] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (failed != std::errc() || end != text->data() + text->size()) return std::nullopt;
  return value;
}

}  // namespace

fs::path FrameSeries::frame_file(std::size_t number) const {
  fs::path frame = file_;
  return frame.replace_filename(fmt::format("{}_{:04}.vtp", file_.stem().string(), number));
}

std::string FrameSeries::text() const {
  std::string out =
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n  <Collection>\n";
  for (const Frame& frame : frames_) {
    out += fmt::format("    <DataSet timestep=\"{}\" group=\"\" part=\"0\" file=\"{}\"/>\n", frame.time,
                       escaped(frame.file));
  }
  return out + "  </Collection>\n</VTKFile>\n";
}

void FrameSeries::begin() const {
  write_file(file_, text());
}
void FrameSeries::add(double time) {
  frames_.push_back({time, frame_file(frames_.size()).filename().string()});
  write_file(file_, text());
}

FrameSeries FrameSeries::read(const fs::path& file) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::bad_file, fmt::format("'{}' is not a series of frames: {}", file.string(), why));
  };
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw Error(ErrorCode::not_found, fmt::format("'{}' cannot be read", file.string()));
  const std::string content{std::istreambuf_iterator<char>(stream), {}};
  if (content.find("<VTKFile type=\"Collection\"") == std::string::npos) refuse("it is no VTK collection");
  if (content.find("</Collection>") == std::string::npos) refuse("it ends early");
  FrameSeries series(file);
  constexpr std::string_view opening = "<DataSet";
  for (std::size_t at = content.find(opening); at != std::string::npos; at = content.find(opening, at + 1)) {
    const std::size_t end = content.find('>', at);
    if (end == std::string::npos) refuse("it ends early");
    const std::string_view tag(content.data() + at, end - at);
    const std::optional<std::string> name = attribute(tag, "file");
    const std::optional<double> time = number(attribute(tag, "timestep"));
    const std::size_t count = series.frames_.size();
    const fs::path expected = series.frame_file(count);
    if (!time || name != expected.filename().string())
      refuse(fmt::format("entry {} is not '{}' with its time", count, expected.filename().string()));
    if (!fs::exists(expected)) {
      throw Error(ErrorCode::not_found,
                  fmt::format("the frame '{}' of '{}' is missing", expected.string(), file.string()));
    }
    series.frames_.push_back({*time, *name});
  }
  return series;
}

}  // namespace tessera::cli
