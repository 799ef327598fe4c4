// Choosing fields by name and describing them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/mesh/find_field.h>
#include <tessera/mesh/mesh.h>

#include "application/session.h"
#include "data/files.h"

namespace tessera::cli {

enum class Association : std::uint8_t { points, cells, mesh };

[[nodiscard]] std::string_view to_string(Association association);

struct FieldChoice {
  const Field* field = nullptr;
  Association association = Association::points;
};

/// Every field of the mesh: those of the points, then of the cells, then of the mesh as a whole.
template <class Mesh>
[[nodiscard]] std::vector<FieldChoice> list_fields(const Mesh& mesh) {
  std::vector<FieldChoice> fields;
  const auto append = [&](const FieldSet& set, Association association) {
    for (const Field& field : set) fields.push_back({&field, association});
  };
  append(mesh.point_data, Association::points);
  append(mesh.cell_data, Association::cells);
  append(mesh.field_data, Association::mesh);
  return fields;
}
[[nodiscard]] std::vector<FieldChoice> list_fields(const AnyMesh& mesh);

/// The field that the text of --field names, as find_field() finds it. One that is made for it becomes a
/// field of the mesh, within --memory; that cells were averaged is said.
[[nodiscard]] FieldChoice choose_field(Session& session, Input& input, std::string_view text,
                                       const FindFieldOptions& options = {});

/// The scalar point field an algorithm is to work on: the one that the text names or, with an empty text, the
/// only one. Error(unsupported) for a field with several components; else the errors of find_field().
[[nodiscard]] const Field& choose_point_scalar(Session& session, Input& input, std::string_view text);

/// The same of points or cells; cells are not averaged.
[[nodiscard]] FieldChoice choose_scalar(Session& session, Input& input, std::string_view text);

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

/// Adds an array that was made; a note says if it takes the place of one of the input.
void add_result(Session& session, FieldSet& fields, Field field);

}  // namespace tessera::cli
