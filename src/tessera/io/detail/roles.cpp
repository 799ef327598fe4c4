#include <tessera/io/detail/roles.h>

#include <algorithm>

namespace tessera::detail::io {
namespace {

constexpr std::array<std::string_view, 3> normal_names = {"nx", "ny", "nz"};
constexpr std::array<std::string_view, 4> colour_names = {"red", "green", "blue", "alpha"};
constexpr std::array<std::string_view, 2> texture_names = {"texture_u", "texture_v"};
constexpr std::array<std::string_view, 2> short_texture_names = {"s", "t"};
constexpr std::array<std::string_view, 2> other_texture_names = {"u", "v"};

// The longer of two that begin alike comes first.
constexpr std::array<PlyGroup, 6> groups = {{{"Normals", normal_names},
                                             {"RGBA", colour_names},
                                             {"RGB", std::span(colour_names).first(3)},
                                             {"TCoords", texture_names},
                                             {"TCoords", short_texture_names},
                                             {"TCoords", other_texture_names}}};

}  // namespace

Role role_of(const Field& field) {
  const bool is_real = field.type() == ScalarType::f32 || field.type() == ScalarType::f64;
  if (field.name() == "Normals" && field.components() == 3 && is_real) return Role::normals;
  if (field.name() == "TCoords" && field.components() == 2 && is_real) return Role::texture;
  const bool is_colour = (field.name() == "RGB" && field.components() == 3) ||
                         (field.name() == "RGBA" && field.components() == 4);
  return is_colour && (field.type() == ScalarType::u8 || is_real) ? Role::colours : Role::none;
}

std::span<const std::string_view> ply_names(const Field& field) {
  if (role_of(field) == Role::none) return {};
  return std::ranges::find(groups, field.name(), &PlyGroup::field)->components;
}

std::span<const PlyGroup> list_ply_groups() {
  return groups;
}

bool is_in_ply_group(std::string_view name) {
  return std::ranges::any_of(groups, [&](const PlyGroup& group) {
    return std::ranges::find(group.components, name) != group.components.end();
  });
}

void note_second_array(const std::string& name, FileReport& report) {
  report.notes.push_back("Left out a second array \"" + name + "\"; the first one is kept.");
}

void FieldList::add(Field field) {
  if (names_.insert(field.name()).second) {
    fields_.push_back(std::move(field));
  } else {
    note_second_array(field.name(), report_);
  }
}

}  // namespace tessera::detail::io
