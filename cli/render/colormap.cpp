#include "render/colormap.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <span>

#include <tessera/core/error.h>

#include "application/text.h"

namespace tessera::cli {
namespace {

using Stop = std::uint32_t;  // 0xRRGGBB

// Evenly spaced stops. viridis and inferno: van der Walt and Smith (matplotlib), even steps look even.
// coolwarm: Moreland 2009, for values on two sides of a middle.
constexpr std::array<Stop, 9> viridis = {0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c,
                                         0x28ae80, 0x5ec962, 0xaddc30, 0xfde725};
constexpr std::array<Stop, 9> inferno = {0x000004, 0x210c4a, 0x57106e, 0x8a226a, 0xbc3754,
                                         0xe45a31, 0xf98e09, 0xf9cb35, 0xfcffa4};
constexpr std::array<Stop, 9> coolwarm = {0x3b4cc0, 0x6282ea, 0x8db0fe, 0xb8d0f9, 0xdddddd,
                                          0xf5c4ad, 0xf49a7b, 0xde604d, 0xb40426};
constexpr std::array<Stop, 2> gray = {0x202020, 0xf2f2f2};
// For types in an order, such as minimum, saddles, maximum.
constexpr std::array<Stop, 5> cold_hot = {0x2166ac, 0x67a9cf, 0xf6e8c3, 0xef8a62, 0xb2182b};
// For names without an order, such as regions; they repeat (Tableau's ten).
constexpr std::array<Stop, 10> categories = {0x4e79a7, 0xf28e2b, 0x59a14f, 0xe15759, 0x76b7b2,
                                             0xedc948, 0xb07aa1, 0xff9da7, 0x9c755f, 0xbab0ac};

struct Map {
  std::string_view name;
  std::span<const Stop> stops;
  bool is_categorical = false;
};

constexpr std::array<Map, 6> maps = {{{"viridis", viridis},
                                      {"inferno", inferno},
                                      {"coolwarm", coolwarm},
                                      {"gray", gray},
                                      {"cold-hot", cold_hot, true},
                                      {"categories", categories, true}}};

constexpr double most_categories = 4096;
/// More than this and the colour bar would be a wall of text.
constexpr double most_labels = 16;

const Map& find_map(std::string_view name) {
  const auto found = std::ranges::find(maps, name, &Map::name);
  if (found != maps.end()) return *found;
  throw Error(ErrorCode::bad_option,
              fmt::format("there is no colormap '{}'; there are {}", name, quoted_list(colormap_names())));
}

Color to_color(Stop stop) {
  return {(stop >> 16 & 0xFFu) / 255.0, (stop >> 8 & 0xFFu) / 255.0, (stop & 0xFFu) / 255.0};
}

/// The colour at t in [0, 1], linear between the stops.
Color interpolate(std::span<const Stop> stops, double t) {
  const double place = t * static_cast<double>(stops.size() - 1);
  const auto first = std::min(static_cast<std::size_t>(place), stops.size() - 2);
  const Color a = to_color(stops[first]);
  const Color b = to_color(stops[first + 1]);
  const double weight = place - static_cast<double>(first);
  return {std::lerp(a[0], b[0], weight), std::lerp(a[1], b[1], weight), std::lerp(a[2], b[2], weight)};
}

void fill_smooth(vtkLookupTable& table, const Map& map) {
  constexpr int colors = 256;
  table.SetNumberOfTableValues(colors);
  for (int i = 0; i < colors; ++i) {
    const Color c = interpolate(map.stops, i / (colors - 1.0));
    table.SetTableValue(i, c[0], c[1], c[2]);
  }
}

/// One colour for each whole number; few enough are also named on the colour bar.
void fill_categories(vtkLookupTable& table, const Map& map, double lowest, double highest) {
  const double values = std::floor(highest) - std::floor(lowest) + 1;
  if (values > most_categories) {
    throw Error(
        ErrorCode::bad_option,
        fmt::format("--colormap {} has a colour for each whole number, but there are {:.0f} of them; use "
                    "viridis or narrow --range",
                    map.name, values));
  }
  const int count = static_cast<int>(values);
  table.SetNumberOfTableValues(count);
  for (int i = 0; i < count; ++i) {
    const bool repeats = map.stops.data() == categories.data();
    const Color c = repeats ? to_color(map.stops[static_cast<std::size_t>(i) % map.stops.size()])
                            : interpolate(map.stops, count == 1 ? 0.5 : i / (count - 1.0));
    table.SetTableValue(i, c[0], c[1], c[2]);
    if (values <= most_labels) {
      table.SetAnnotation(vtkVariant(std::floor(lowest) + i), fmt::format("{:.0f}", std::floor(lowest) + i));
    }
  }
  table.SetIndexedLookup(values <= most_labels);
  table.SetTableRange(std::floor(lowest) - 0.5, std::floor(highest) + 0.5);
}

}  // namespace

std::vector<std::string> colormap_names() {
  std::vector<std::string> names;
  for (const Map& map : maps) names.emplace_back(map.name);
  return names;
}

bool is_categorical(std::string_view colormap) {
  return find_map(colormap).is_categorical;
}

vtkSmartPointer<vtkLookupTable> make_lookup_table(std::string_view colormap, double lowest, double highest) {
  const Map& map = find_map(colormap);
  const auto table = vtkSmartPointer<vtkLookupTable>::New();
  table->SetTableRange(lowest, highest);
  if (!(lowest < highest)) {
    const Color c = interpolate(map.stops, 0.5);
    table->SetNumberOfTableValues(1);
    table->SetTableRange(0, 1);  // all numbers are as good as any
    table->SetTableValue(0, c[0], c[1], c[2]);
  } else if (map.is_categorical) {
    fill_categories(*table, map, lowest, highest);
  } else {
    fill_smooth(*table, map);
  }
  table->SetNanColor(0.72, 0.72, 0.72, 1);
  return table;
}

Color parse_color(std::string_view text) {
  if (text == "white") return {1, 1, 1};
  if (text == "black") return {0, 0, 0};
  if (text == "gray" || text == "grey") return {0.85, 0.86, 0.88};
  if (text.size() == 7 && text.front() == '#') {
    Stop stop = 0;
    const auto [end, status] = std::from_chars(text.data() + 1, text.data() + 7, stop, 16);
    if (status == std::errc{} && end == text.data() + 7) return to_color(stop);
  }
  throw Error(ErrorCode::bad_option,
              fmt::format("'{}' is not a colour; write white, black, gray or a number like #f4f6f8", text));
}

Color readable_on(const Color& background) {
  const double brightness = 0.3 * background[0] + 0.59 * background[1] + 0.11 * background[2];
  return brightness > 0.5 ? Color{0.13, 0.15, 0.18} : Color{0.93, 0.94, 0.95};
}

}  // namespace tessera::cli
