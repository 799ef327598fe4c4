// Colours for numbers.
#pragma once

#include <vtkLookupTable.h>
#include <vtkSmartPointer.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::cli {

using Color = std::array<double, 3>;

/// The names that make_lookup_table() knows, the default first.
[[nodiscard]] std::vector<std::string> colormap_names();

/// True for maps that give each whole number a colour of its own.
[[nodiscard]] bool is_categorical(std::string_view colormap);

/// The numbers lowest..highest to the colours of that map, all of them to its middle unless lowest < highest;
/// NaN is grey. Error(bad_option) lists the names.
[[nodiscard]] vtkSmartPointer<vtkLookupTable> make_lookup_table(std::string_view colormap, double lowest,
                                                                double highest);

/// "white", "black", "gray" or "#rrggbb"; Error(bad_option) otherwise.
[[nodiscard]] Color parse_color(std::string_view text);

/// Black or white, whichever can be read on that background.
[[nodiscard]] Color readable_on(const Color& background);

}  // namespace tessera::cli
