#include "data/fields.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include <tessera/core/error.h>

#include "application/text.h"

namespace tessera::cli {
namespace {

std::string list_of(const std::vector<FieldChoice>& fields) {
  std::string list;
  for (const FieldChoice& choice : fields) {
    list += fmt::format("{}'{}' ({})", list.empty() ? "" : ", ", choice.field->name(),
                        to_string(choice.association));
  }
  return list;
}

/// Of the points, or with `last` cells of those too.
FieldChoice choose_only_scalar(const AnyMesh& mesh, Association last) {
  std::vector<FieldChoice> scalars = list_fields(mesh);
  std::erase_if(scalars, [&](const FieldChoice& choice) {
    return choice.association > last || choice.field->components() != 1;
  });
  if (scalars.size() == 1) return scalars.front();
  if (scalars.empty()) {
    throw Error(ErrorCode::not_found,
                fmt::format("the mesh has no scalar field on its points{}; choose one with --field, such as "
                            ":z for the coordinate, or see 'tessera info'",
                            last == Association::points ? "" : " or cells"));
  }
  throw Error(ErrorCode::bad_option,
              "the mesh has several scalar fields; choose one with --field: " + list_of(scalars));
}

FieldChoice expect_scalar(const FieldChoice& choice, std::string_view text) {
  const Field& field = *choice.field;
  if (field.components() == 1) return choice;
  throw Error(
      ErrorCode::unsupported,
      fmt::format("the field '{0}' has {1} components; this needs a field with one, such as '{0}:0' or "
                  "'{0}:magnitude'",
                  text, field.components()));
}

/// The most that find_field() makes: 8 bytes a number, and a counter for each point if cells are averaged.
Bytes made_bytes(const AnyMesh& any, std::string_view text, const FindFieldOptions& options) {
  return std::visit(
      [&](const auto& mesh) -> Bytes {
        const std::size_t points = mesh.vertex_count();
        if (mesh.point_data.find(text) != nullptr) return 0;
        const std::string_view name = text.substr(0, text.rfind(':'));
        const Field* const on_cells =
            mesh.cell_data.find(text) != nullptr ? mesh.cell_data.find(text) : mesh.cell_data.find(name);
        if (on_cells == nullptr || mesh.point_data.find(name) != nullptr) return 8 * points;
        if (!options.average_cells) return mesh.cell_data.find(text) != nullptr ? 0 : 8 * mesh.cell_count();
        return (8 * on_cells->components() + 12) * points;
      },
      any);
}

}  // namespace

std::string_view to_string(Association association) {
  constexpr std::string_view names[] = {"points", "cells", "mesh"};
  return names[static_cast<std::size_t>(association)];
}

std::vector<FieldChoice> list_fields(const AnyMesh& mesh) {
  return std::visit([](const auto& m) { return list_fields(m); }, mesh);
}

FieldChoice choose_field(Session& session, Input& input, std::string_view text,
                         const FindFieldOptions& options) {
  input.made_room = Reservation(session.memory(), made_bytes(input.mesh, text, options),
                                fmt::format("the field '{}'", text));
  FoundField found =
      std::visit([&](const auto& mesh) { return find_field(mesh, text, options); }, input.mesh);
  if (found.is_averaged) {
    session.note(fmt::format(
        "'{}' is on the cells; each point gets the mean of the cells around it{}", text,
        found.lonely_count == 0
            ? ""
            : fmt::format(", NaN for {} without cells", counted(found.lonely_count, "point", "points"))));
  }
  const Association association = found.is_on_cells ? Association::cells : Association::points;
  if (!found.made) return {found.stored, association};
  return std::visit(
      [&](auto& mesh) {
        FieldSet& fields = found.is_on_cells ? mesh.cell_data : mesh.point_data;
        return FieldChoice{&fields.add(std::move(*found.made)), association};
      },
      input.mesh);
}

const Field& choose_point_scalar(Session& session, Input& input, std::string_view text) {
  if (text.empty()) return *choose_only_scalar(input.mesh, Association::points).field;
  return *expect_scalar(choose_field(session, input, text), text).field;
}

FieldChoice choose_scalar(Session& session, Input& input, std::string_view text) {
  if (text.empty()) return choose_only_scalar(input.mesh, Association::cells);
  return expect_scalar(choose_field(session, input, text, {.average_cells = false}), text);
}

FieldRange compute_range(const Field& field, int component) {
  const std::size_t step = component < 0 ? 1 : field.components();
  const std::size_t first = component < 0 ? 0 : static_cast<std::size_t>(component);
  return field.visit([&](auto numbers) {
    FieldRange range;
    using T = typename decltype(numbers)::value_type;
    std::optional<std::pair<T, T>> found;
    for (std::size_t i = first; i < numbers.size(); i += step) {
      const T value = numbers[i];
      if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(value)) {
          ++range.nan_count;
          continue;
        }
      }
      if (!found) found = {value, value};
      found->first = std::min(found->first, value);
      found->second = std::max(found->second, value);
    }
    if (found) {
      range.lowest = found->first;
      range.highest = found->second;
    }
    return range;
  });
}

std::string number_text(const Json& value) {
  if (value.is_null()) return "-";
  return value.is_number_float() ? fmt::format("{:.6g}", value.get<double>()) : value.dump();
}

Json describe_field(const FieldChoice& choice) {
  const Field& field = *choice.field;
  const FieldRange whole = compute_range(field);
  Json components = Json::array();
  for (std::size_t c = 0; c < field.components(); ++c) {
    const FieldRange range = compute_range(field, static_cast<int>(c));
    components.push_back({range.lowest, range.highest});
  }
  return {{"name", field.name()},
          {"association", to_string(choice.association)},
          {"type", to_string(field.type())},
          {"components", field.components()},
          {"tuples", field.size()},
          {"range", {whole.lowest, whole.highest}},
          {"component_ranges", std::move(components)},
          {"nan_count", whole.nan_count}};
}

void add_result(Session& session, FieldSet& fields, Field field) {
  if (fields.has(field.name()))
    session.note(
        fmt::format("the array '{}' of the input is replaced by the one that was made", field.name()));
  fields.add(std::move(field));
}

}  // namespace tessera::cli
