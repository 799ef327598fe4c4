// --threshold: how long features of a field have to persist, as a number or a part of the field's range.
#pragma once

#include <string>

#include <tessera/topology/persistence.h>

#include "application/option_list.h"

namespace tessera::cli {

struct Threshold {
  double number = 0;
  bool is_percent = false;

  [[nodiscard]] double of(const Persistence& persistence) const {
    return checked(is_percent ? persistence.part_of_range(number / 100) : number);
  }
  /// A part of the range of the field; zero if that has a value that is not a number.
  [[nodiscard]] double of(const Field& field) const;

 private:
  /// Error(bad_option) for a part of an infinite range.
  [[nodiscard]] static double checked(double value);
};

void add_threshold_option(OptionList& app, std::string& text, const std::string& what);

/// Zero for an empty text. Error(bad_option) if it is no such number.
[[nodiscard]] Threshold parse_threshold(const std::string& text);

}  // namespace tessera::cli
