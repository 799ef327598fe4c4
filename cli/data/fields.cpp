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

Error make_no_field_error(std::string_view name, const std::vector<FieldChoice>& fields) {
  const std::string known = fields.empty() ? "the mesh has none" : "there is " + list_of(fields);
  return {ErrorCode::not_found, fmt::format("there is no field '{}'; {}", name, known)};
}

/// Fields that can be chosen: those with a value for each point or cell.
std::vector<FieldChoice> list_element_fields(const AnyMesh& mesh) {
  std::vector<FieldChoice> fields = list_fields(mesh);
  std::erase_if(fields, [](const FieldChoice& choice) { return choice.association == Association::mesh; });
  return fields;
}

const Field& choose_only_scalar(const AnyMesh& mesh) {
  std::vector<FieldChoice> scalars = list_element_fields(mesh);
  std::erase_if(scalars, [](const FieldChoice& choice) {
    return choice.association != Association::points || choice.field->components() != 1;
  });
  if (scalars.size() == 1) return *scalars.front().field;
  if (scalars.empty()) {
    throw Error(ErrorCode::not_found,
                "the mesh has no scalar field on its points; add one, or see 'tessera info'");
  }
  throw Error(ErrorCode::bad_option,
              "the mesh has several scalar fields; choose one with --field: " + list_of(scalars));
}

}  // namespace

std::string_view to_string(Association association) {
  constexpr std::string_view names[] = {"points", "cells", "mesh"};
  return names[static_cast<std::size_t>(association)];
}

std::vector<FieldChoice> list_fields(const AnyMesh& mesh) {
  std::vector<FieldChoice> fields;
  const auto append = [&](const FieldSet& set, Association association) {
    for (const Field& field : set) fields.push_back({&field, association});
  };
  std::visit(
      [&](const auto& m) {
        append(m.point_data, Association::points);
        append(m.cell_data, Association::cells);
        append(m.field_data, Association::mesh);
      },
      mesh);
  return fields;
}

FieldChoice choose_field(const AnyMesh& mesh, std::string_view name) {
  const std::vector<FieldChoice> fields = list_element_fields(mesh);
  for (const FieldChoice& choice : fields) {
    if (choice.field->name() == name) return choice;
  }
  throw make_no_field_error(name, fields);
}

const Field& choose_point_scalar(const AnyMesh& mesh, std::string_view name) {
  if (name.empty()) return choose_only_scalar(mesh);
  const FieldChoice choice = choose_field(mesh, name);
  if (choice.association != Association::points) {
    throw Error(ErrorCode::unsupported,
                fmt::format("the field '{}' is on the cells; this needs one on the points", name));
  }
  if (choice.field->components() != 1) {
    throw Error(ErrorCode::unsupported,
                fmt::format("the field '{}' has {} components; this needs a field with one", name,
                            choice.field->components()));
  }
  return *choice.field;
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

}  // namespace tessera::cli
