// Roles: fields that formats have places of their own for, so that other programs find them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <tessera/io/io.h>
#include <tessera/mesh/field.h>

namespace tessera::detail::io {

enum class Role : std::uint8_t { none, normals, colours, texture };

/// By name and type: "Normals" of three floats or doubles, "RGB" of three and "RGBA" of four bytes or floats,
/// "TCoords" of two floats or doubles. These are VTK's names.
[[nodiscard]] Role role_of(const Field& field);
/// What PLY calls the components of a field with a role; empty for others.
[[nodiscard]] std::span<const std::string_view> ply_names(const Field& field);

/// Components that are one field: the names that PLY files have for them, and the field's.
struct PlyGroup {
  std::string_view field;
  std::span<const std::string_view> components;
};
[[nodiscard]] std::span<const PlyGroup> list_ply_groups();
/// Is it one of these components' names?
[[nodiscard]] bool is_in_ply_group(std::string_view name);

/// Says in the notes which fields were left out because `format` ("an stl file") has no place for them.
/// `is_kept` tells of a point field and of a cell field.
template <class Mesh, class IsKept>
void note_left_out(std::vector<std::string>& notes, std::string_view format, const Mesh& mesh,
                   const IsKept& is_kept) {
  std::string all;
  const auto add = [&](const FieldSet& fields, const std::string& kind, const auto& is_left_out) {
    std::string names;
    std::size_t count = 0;
    for (const Field& field : fields) {
      if (!is_left_out(field)) continue;
      names += (count++ == 0 ? "\"" : ", \"") + field.name() + "\"";
    }
    if (count > 0)
      all += (all.empty() ? "the " : "; the ") + kind + (count == 1 ? " field " : " fields ") + names;
  };
  add(mesh.point_data, "point", [&](const Field& field) { return !is_kept(field, true); });
  add(mesh.cell_data, "cell", [&](const Field& field) { return !is_kept(field, false); });
  add(mesh.field_data, "mesh", [](const Field&) { return true; });
  if (!all.empty()) notes.push_back("Left out what " + std::string(format) + " cannot hold: " + all + ".");
}

/// Says that an array is left out because another one has its name.
void note_second_array(const std::string& name, FileReport& report);

/// Fields as they are read. Of several with one name the first is kept, which the notes say.
class FieldList {
 public:
  explicit FieldList(FileReport& report) : report_(report) {}
  void add(Field field);
  [[nodiscard]] FieldSet take() { return FieldSet(std::move(fields_)); }

 private:
  FileReport& report_;
  std::vector<Field> fields_;
  std::unordered_set<std::string> names_;
};

}  // namespace tessera::detail::io
