// Choosing fields by name and describing them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/mesh/mesh.h>

#include "application/session.h"

namespace tessera::cli {

enum class Association : std::uint8_t { points, cells, mesh };

[[nodiscard]] std::string_view to_string(Association association);

struct FieldChoice {
  const Field* field = nullptr;
  Association association = Association::points;
};

/// Every field of the mesh: those of the points, then of the cells, then of the mesh as a whole.
[[nodiscard]] std::vector<FieldChoice> list_fields(const AnyMesh& mesh);

/// The point or cell field of that name, points first. Error(not_found) lists the fields there are.
[[nodiscard]] FieldChoice choose_field(const AnyMesh& mesh, std::string_view name);

/// The scalar point field an algorithm is to work on: the one of that name or, with an empty name, the only
/// one. Error(not_found) lists those there are, Error(unsupported) for a field of cells or with several
/// components.
[[nodiscard]] const Field& choose_point_scalar(const AnyMesh& mesh, std::string_view name);

/// The least and the greatest number, NaN left out. Empty if there is no other.
struct FieldRange {
  Json lowest, highest;  ///< in the field's own type; null if there is none
  std::uint64_t nan_count = 0;
};
/// Of one component, or of all of them with component = -1.
[[nodiscard]] FieldRange compute_range(const Field& field, int component = -1);

/// A bound of a range for people: six digits of a fraction, "-" if there is none.
[[nodiscard]] std::string number_text(const Json& value);

/// Name, association, type, components, tuples, range, a range for each component, NaN count.
[[nodiscard]] Json describe_field(const FieldChoice& choice);

}  // namespace tessera::cli
