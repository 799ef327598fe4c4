#include "data/raw_volume.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>

#include <tessera/core/error.h>

#include "application/text.h"

namespace tessera::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<ScalarType, 10> all_types = {
    ScalarType::i8,  ScalarType::u8,  ScalarType::i16, ScalarType::u16, ScalarType::i32,
    ScalarType::u32, ScalarType::i64, ScalarType::u64, ScalarType::f32, ScalarType::f64};

/// Three numbers between the letter x.
template <class T>
std::optional<std::array<T, 3>> parse_three(const std::string& text) {
  std::array<T, 3> numbers{};
  const char* place = text.data();
  const char* end = text.data() + text.size();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto [stop, status] = std::from_chars(place, end, numbers[axis]);
    const bool ends_well = axis < 2 ? stop != end && *stop == 'x' : stop == end;
    if (status != std::errc{} || !ends_well) return {};
    place = stop + 1;
  }
  return numbers;
}

ScalarType parse_type(const std::string& name) {
  std::vector<std::string> known;
  for (const ScalarType type : all_types) {
    if (to_string(type) == name) return type;
    known.emplace_back(to_string(type));
  }
  throw Error(ErrorCode::bad_option,
              fmt::format("--type {} is no type of numbers; it is one of {}", name, quoted_list(known)));
}

std::string type_name(const RawOptions& options) {
  return options.type.empty() ? "uint8" : options.type;
}

Grid make_grid(const RawOptions& options) {
  Grid grid;
  const auto dims = parse_three<std::uint32_t>(options.dims);
  if (!dims || std::ranges::find(*dims, 0u) != dims->end()) {
    throw Error(
        ErrorCode::bad_option,
        fmt::format("--dims {} is no size of a volume; write the points along x, y and z as 256x256x128",
                    options.dims));
  }
  grid.dims = *dims;
  const auto spacing = parse_three<double>(options.spacing.empty() ? "1x1x1" : options.spacing);
  const auto is_length = [](double length) { return std::isfinite(length) && length > 0; };
  if (!spacing || !std::ranges::all_of(*spacing, is_length)) {
    throw Error(ErrorCode::bad_option,
                fmt::format("--spacing {} is no spacing; write three lengths above zero as 0.5x0.5x2",
                            options.spacing));
  }
  grid.spacing = {(*spacing)[0], (*spacing)[1], (*spacing)[2]};
  return grid;
}

/// What the options say the file holds; no number if 64 bits cannot.
std::optional<Bytes> byte_count(const Grid& grid, ScalarType type) {
  Bytes bytes = size_of(type);
  for (const std::uint32_t n : grid.dims) {
    if (bytes > std::numeric_limits<Bytes>::max() / n) return {};
    bytes *= n;
  }
  return bytes;
}

void check_size(const InputOptions& input, const fs::path& place, std::optional<Bytes> expected) {
  const fs::path& file = input.file;
  const RawOptions& options = input.raw;
  std::error_code unknown;
  const auto size = fs::file_size(place, unknown);
  if (unknown) {
    throw Error(ErrorCode::not_found, fmt::format("there is no file '{}' that can be read", file.string()));
  }
  if (expected && size == *expected) return;
  throw Error(ErrorCode::bad_file,
              fmt::format("'{}' has {} bytes, but {} numbers of type {} are {}; mend --dims or --type",
                          file.string(), size, options.dims, type_name(options),
                          expected ? fmt::format("{}", *expected) : "beyond any file"));
}

template <class T>
void swap_bytes(std::span<T> numbers) {
  for (T& number : numbers) {
    auto bytes = std::bit_cast<std::array<std::byte, sizeof(T)>>(number);
    std::ranges::reverse(bytes);
    number = std::bit_cast<T>(bytes);
  }
}

Field read_numbers(Session& session, const fs::path& file, const Grid& grid, ScalarType type) {
  Field field("value", type, grid.vertex_count());
  std::ifstream input(file, std::ios::binary);
  constexpr std::size_t piece = std::size_t{64} << 20;
  field.visit([&](auto numbers) {
    auto* bytes = reinterpret_cast<char*>(numbers.data());
    for (std::size_t done = 0; done < numbers.size_bytes();) {
      session.monitor().update("reading",
                               static_cast<double>(done) / static_cast<double>(numbers.size_bytes()));
      const std::size_t count = std::min(piece, numbers.size_bytes() - done);
      if (!input.read(bytes + done, static_cast<std::streamsize>(count))) {
        throw Error(ErrorCode::bad_file, fmt::format("'{}' could not be read to its end", file.string()));
      }
      done += count;
    }
  });
  return field;
}

}  // namespace

void add_raw_options(OptionList& app, RawOptions& options) {
  const std::string group = "Raw volumes (numbers without a header)";
  const Option dims = app.add_option("--dims", options.dims,
                                     "the input is a raw volume of so many points, such as 256x256x128")
                          ->type_name("XxYxZ")
                          ->group(group);
  app.add_option("--type", options.type, "its numbers: int16, float32, ... (uint8)")
      ->type_name("TYPE")
      ->group(group)
      ->needs(dims);
  app.add_option("--spacing", options.spacing, "distances of its points (1x1x1)")
      ->type_name("XxYxZ")
      ->group(group)
      ->needs(dims);
  app.add_flag("--big-endian", options.is_big_endian, "its numbers begin with their high byte")
      ->group(group)
      ->needs(dims);
}

namespace {

/// The numbers that the options say the file has.
ScalarType checked_type(const RawOptions& options) {
  const ScalarType type = parse_type(type_name(options));
  if (options.is_big_endian && size_of(type) == 1) {
    throw Error(ErrorCode::bad_option,
                fmt::format("--big-endian is about numbers of several bytes, and those of type {} have one; "
                            "leave it out",
                            type_name(options)));
  }
  return type;
}

}  // namespace

GridFile open_raw_volume(const InputOptions& input) {
  const Grid grid = make_grid(input.raw);
  const ScalarType type = checked_type(input.raw);
  check_size(input, input.file, byte_count(grid, type));
  return {input.file, RawLayout{.dims = grid.dims,
                                .type = type,
                                .spacing = grid.spacing,
                                .is_big_endian = input.raw.is_big_endian}};
}

Input read_raw_volume(Session& session, const InputOptions& input, int descriptor) {
  const fs::path& file = input.file;
  const RawOptions& options = input.raw;
  const fs::path place = descriptor < 0 ? file : fs::path(fmt::format("/proc/self/fd/{}", descriptor));
  Grid grid = make_grid(options);
  const ScalarType type = checked_type(options);
  const std::optional<Bytes> bytes = byte_count(grid, type);
  check_size(input, place, bytes);
  session.count_grid(grid, 0);
  Reservation reservation(session.memory(), *bytes, "the volume of '" + file.string() + "'");
  session.in_phase(Phase::read, [&] {
    Field field = read_numbers(session, place, grid, type);
    if (options.is_big_endian) field.visit([](auto numbers) { swap_bytes(numbers); });
    grid.point_data.add(std::move(field));
  });
  FileReport report;
  report.format = "raw";
  return {std::move(grid), std::move(report), std::move(reservation)};
}

}  // namespace tessera::cli
