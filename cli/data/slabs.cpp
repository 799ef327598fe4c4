#include "data/slabs.h"

#include <fmt/format.h>

#include <algorithm>

#include <tessera/mesh/triangulate.h>

#include "application/text.h"
#include "data/raw_volume.h"
#include "data/standard_streams.h"

namespace tessera::cli {
namespace {

/// The file, if it is one that can hold a grid in parts; whoever reads the whole of it says what is wrong
/// with another one.
std::optional<GridFile> open_grid(const InputOptions& input) {
  if (is_standard_stream(input.file) || input.leaves_apart()) return std::nullopt;
  const bool is_raw = !input.raw.dims.empty();
  const std::string extension = input.format.empty() ? extension_of(input.file) : input.format;
  if (!is_raw && extension != "vti") return std::nullopt;
  try {
    return is_raw ? open_raw_volume(input) : GridFile(input.file);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// The stored field of the points that the text names, or the only one of one component.
const StoredField* find_scalar(const GridFile& file, const std::string& text) {
  const StoredField* found = nullptr;
  for (const StoredField& field : file.point_fields()) {
    if (field.components != 1 || (!text.empty() && field.name != text)) continue;
    if (found != nullptr) return nullptr;
    found = &field;
  }
  return found;
}

/// Error(not_found) for a name that neither the points nor the cells have; fields that are made of others are
/// looked at later.
void expect_field(const GridFile& file, const std::string& text) {
  if (text.empty() || text.find(':') != std::string::npos) return;
  const auto is_wanted = [&](const StoredField& field) { return field.name == text; };
  if (!std::ranges::any_of(file.cell_fields(), is_wanted)) (void)file.point_field(text);
}

/// Why the file cannot be gone through in slabs; empty if it can.
std::string find_obstacle(const SlabRequest& request, const GridFile& file, const StoredField* field) {
  if (field == nullptr) return fmt::format("'{}' is not stored in the file", request.field);
  if (!request.obstacle.empty()) return request.obstacle + " is not made in slabs";
  if (dimension(file.shape()) < (request.needs_volume ? 3 : 2)) return "it has too few axes";
  const auto is_elsewhere = [](const StoredField& stored) { return !stored.place; };
  if (std::ranges::any_of(file.point_fields(), is_elsewhere) ||
      std::ranges::any_of(file.cell_fields(), is_elsewhere)) {
    return fmt::format(
        "its arrays are not stored as they are; 'tessera convert {} -o NEW.vti' stores them so",
        request.input.file.string());
  }
  return "";
}

Bytes bytes_in_memory(const SlabRequest& request, const GridFile& file, const StoredField* field) {
  Bytes work = 0;
  if (field != nullptr) work = request.bytes_in_memory(file.shape(), Field(field->name, field->type, 0));
  return file.bytes() + work;
}

}  // namespace

std::optional<SlabInput> find_slab_input(Session& session, const SlabRequest& request) {
  MemoryBudget& memory = session.memory();
  if (memory.limit() == MemoryBudget::unlimited) return std::nullopt;
  check_reading(request.input);
  std::optional<GridFile> file = open_grid(request.input);
  if (!file) return std::nullopt;
  expect_field(*file, request.field);
  const StoredField* const field = find_scalar(*file, request.field);
  const Bytes needed = bytes_in_memory(request, *file, field);
  if (needed <= memory.left()) return std::nullopt;
  if (field == nullptr && request.field.empty()) return std::nullopt;  // which one is asked first
  if (const std::string obstacle = find_obstacle(request, *file, field); !obstacle.empty()) {
    session.note(
        fmt::format("'{}' cannot be gone through in slabs: {}", request.input.file.string(), obstacle));
    return std::nullopt;
  }
  if (session.needs_gpu()) {
    throw Error(
        ErrorCode::unsupported,
        fmt::format("'{}' and what is made of it take {}, more than --memory leaves, and in slabs the "
                    "host does the work; leave --device out or allow more",
                    request.input.file.string(), format_bytes(needed)));
  }
  session.add_input(request.input.file);
  session.count_input(file->bytes(), true);
  for (const std::string& note : file->notes()) session.note(note);
  const SlabCost cost = request.cost(*file, *field);
  SlabInput input{std::move(*file), field->name};
  input.make_room(session, cost, false);
  const std::uint32_t layers = layers_of(input.file.shape()).count;
  session.count_in_slabs();
  session.note(
      fmt::format("'{}' and what is made of it take {}, more than --memory leaves: the host goes "
                  "through it in {} of {}",
                  request.input.file.string(), format_bytes(needed),
                  counted((layers + input.height - 1) / input.height, "slab", "slabs"),
                  counted(input.height, "layer", "layers")));
  return input;
}

std::uint32_t SlabInput::make_room(Session& session, const SlabCost& cost, bool has_results) {
  room = {};
  const std::uint32_t layers = layers_of(file.shape()).count;
  // Every thread has a stack, and memory of its own for what it finds.
  const Bytes of_threads = mib(1) * static_cast<Bytes>(session.host().threads());
  SlabCost all = cost;
  all.fixed += of_threads;
  height = choose_height(layers, all, session.memory().left());
  const std::string what = fmt::format("the work on '{}' in slabs", file.name());
  const Bytes bytes = all.bytes(layers, height);
  room = has_results ? reserve_known(session, bytes, what) : Reservation(session.memory(), bytes, what);
  return height;
}

Reservation reserve_known(Session& session, Bytes bytes, const std::string& what) {
  try {
    return {session.memory(), bytes, what};
  } catch (const Error& error) {
    throw Error(error.code(), std::string(error.what()) + " (--memory)");
  }
}

std::string describe(const SlabInput& input) {
  const Grid& shape = input.file.shape();
  return fmt::format("{}: {}, {}, field '{}'", input.file.name(),
                     counted(shape.vertex_count(), "point", "points"),
                     counted(shape.cell_count(), "cell", "cells"), input.field);
}

}  // namespace tessera::cli
