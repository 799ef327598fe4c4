#include <tessera/io/detail/xml_pieces.h>

#include <array>
#include <limits>
#include <map>
#include <memory>
#include <set>

#include <tessera/io/detail/formats.h>
#include <tessera/io/detail/roles.h>

namespace tessera::detail::io {
namespace {

std::uint64_t components_of(const Input& input, const Element& array) {
  const std::uint64_t components = count_attribute(input, array, "NumberOfComponents", 1);
  // A tuple takes a byte a component at least. XmlArray asks whether the file can hold all of them.
  if (components == 0 || components > std::min<std::uint64_t>(input.size(), 0xFFFFFFFFu)) {
    input.fail("the array \"" + std::string(array.attribute("Name")) + "\" has " +
               std::to_string(components) + " components");
  }
  return components;
}

std::string field_name(const Element& array) {
  const std::string name(array.attribute("Name"));
  return name.empty() ? "unnamed" : name;
}

bool is_numeric(const Element& array, FileReport& report) {
  if (array.name == "DataArray" && parse_xml_type(array.attribute("type"))) return true;
  if (array.name == "DataArray" || array.name == "Array") {
    report.notes.push_back("Left out the array \"" + field_name(array) + "\", which does not hold numbers.");
  }
  return false;
}

/// Only the first of several time steps is read.
bool is_first_step(const Element& array) {
  const std::string step(array.attribute("TimeStep", "0"));
  return step.starts_with('0');
}

void note_later_steps(std::string_view kind, FileReport& report) {
  report.notes.push_back("Read the first of several time steps of the " + std::string(kind) + ".");
}

/// What is equal in the parts of an array that pieces have: element, name, type and components.
using ArrayKey = std::array<std::string_view, 4>;

ArrayKey key_of(const Element& array) {
  return {array.name, array.attribute("Name"), array.attribute("type"),
          array.attribute("NumberOfComponents", "1")};
}

/// The arrays of a piece, the first of each key, in its first time step.
using PieceArrays = std::map<ArrayKey, const Element*>;

/// Those of every piece that has tuples.
std::vector<PieceArrays> list_arrays(const XmlPieces& xml, std::string_view kind,
                                     const std::vector<std::uint64_t>& tuples) {
  std::vector<PieceArrays> arrays(xml.pieces.size());
  for (std::size_t p = 0; p < xml.pieces.size(); ++p) {
    const Element* const data = tuples[p] > 0 ? xml.pieces[p]->find(kind) : nullptr;
    if (data == nullptr) continue;
    for (const Element& array : data->children) {
      if (is_first_step(array)) arrays[p].emplace(key_of(array), &array);
    }
  }
  return arrays;
}

/// The array in every piece that has tuples (nullptr for the others); empty if one lacks it.
std::vector<const Element*> find_in_pieces(const std::vector<PieceArrays>& arrays, const Element& array,
                                           const std::vector<std::uint64_t>& tuples) {
  std::vector<const Element*> found(arrays.size(), nullptr);
  for (std::size_t p = 0; p < arrays.size(); ++p) {
    if (tuples[p] == 0) continue;
    const auto same = arrays[p].find(key_of(array));
    if (same == arrays[p].end()) return {};
    found[p] = same->second;
  }
  return found;
}

Field read_one(XmlPieces& xml, const Element& array, const std::vector<const Element*>& in_pieces,
               const std::vector<std::uint64_t>& tuples, std::uint64_t total, const Place& place) {
  const std::uint64_t components = components_of(xml.input, array);
  const auto limit = std::numeric_limits<std::uint64_t>::max() / (components * 8);
  if (total > limit)
    xml.input.fail("the array \"" + std::string(array.attribute("Name")) + "\" is too large");
  std::vector<std::unique_ptr<XmlArray>> arrays;  // all are checked before memory is taken
  for (std::size_t p = 0; p < in_pieces.size(); ++p) {
    arrays.push_back(in_pieces[p] == nullptr ? nullptr
                                             : std::make_unique<XmlArray>(xml.input, xml.file, *in_pieces[p],
                                                                          tuples[p] * components));
  }
  Field field(field_name(array), *parse_xml_type(array.attribute("type")), total, components);
  for (std::size_t p = 0; p < arrays.size(); ++p) {
    if (arrays[p] != nullptr) place(*arrays[p], field, p);
  }
  return field;
}

}  // namespace

FieldSet read_joined(XmlPieces& xml, std::string_view kind, const std::vector<std::uint64_t>& tuples,
                     std::uint64_t total, const Place& place) {
  FieldList fields(xml.report);
  const auto with_tuples = std::find_if(tuples.begin(), tuples.end(), [](std::uint64_t n) { return n > 0; });
  const std::size_t first =
      with_tuples == tuples.end() ? 0 : static_cast<std::size_t>(with_tuples - tuples.begin());
  const Element* data = xml.pieces.empty() ? nullptr : xml.pieces[first]->find(kind);
  if (data == nullptr) return {};
  bool has_later_steps = false;
  const std::vector<PieceArrays> arrays = list_arrays(xml, kind, tuples);
  for (const Element& array : data->children) {
    if (!is_numeric(array, xml.report)) continue;
    if (!is_first_step(array)) {
      has_later_steps = true;
      continue;
    }
    const auto in_pieces = find_in_pieces(arrays, array, tuples);
    if (in_pieces.empty()) {
      xml.report.notes.push_back("Left out the array \"" + field_name(array) +
                                 "\", which is not in every piece.");
      continue;
    }
    fields.add(read_one(xml, array, in_pieces, tuples, total, place));
  }
  if (has_later_steps) note_later_steps(kind, xml.report);
  FieldSet set = fields.take();
  set.set_active(std::string(data->attribute("Scalars")));
  return set;
}

std::string active_name(const XmlPieces& xml, std::string_view kind) {
  const Element* const data = xml.pieces.empty() ? nullptr : xml.pieces[0]->find(kind);
  return data == nullptr ? "" : std::string(data->attribute("Scalars"));
}

std::vector<StoredField> list_stored(XmlPieces& xml, std::string_view kind, std::uint64_t tuples) {
  std::vector<StoredField> fields;
  const Element* const data = xml.pieces.empty() ? nullptr : xml.pieces[0]->find(kind);
  if (data == nullptr) return fields;
  bool has_later_steps = false;
  for (const Element& array : data->children) {
    if (!is_numeric(array, xml.report)) continue;
    if (!is_first_step(array)) {
      has_later_steps = true;
      continue;
    }
    const std::string name = field_name(array);
    if (std::ranges::find(fields, name, &StoredField::name) != fields.end()) {
      note_second_array(name, xml.report);
      continue;
    }
    StoredField& field = fields.emplace_back();
    field.name = name;
    field.type = *parse_xml_type(array.attribute("type"));
    field.components = components_of(xml.input, array);
    field.tuples = tuples;
    if (tuples > std::numeric_limits<std::uint64_t>::max() / field.tuple_bytes())
      xml.input.fail("the array \"" + name + "\" is too large");
    if (xml.pieces.size() == 1)
      field.place = XmlArray(xml.input, xml.file, array, tuples * field.components).plain_place();
  }
  if (has_later_steps) note_later_steps(kind, xml.report);
  return fields;
}

FieldSet read_field_data(XmlPieces& xml) {
  FieldList fields(xml.report);
  const Element* data = xml.content->find("FieldData");
  if (data == nullptr) return {};
  for (const Element& array : data->children) {
    if (!is_numeric(array, xml.report)) continue;
    if (array.find_attribute("NumberOfTuples") == nullptr) {
      xml.report.notes.push_back("Left out the array \"" + field_name(array) +
                                 "\" of the mesh, which does not say how many tuples it has.");
      continue;
    }
    const std::uint64_t tuples = count_attribute(xml.input, array, "NumberOfTuples");
    const std::uint64_t components = components_of(xml.input, array);
    if (tuples > xml.input.size() * 8192)
      xml.input.fail("the array \"" + field_name(array) + "\" is too large");
    XmlArray numbers(xml.input, xml.file, array, tuples * components);
    Field field(field_name(array), numbers.type(), tuples, components);
    field.visit([&](auto values) { numbers.read(values); });
    fields.add(std::move(field));
  }
  return fields.take();
}

std::vector<std::vector<const Field*>> find_common_fields(const std::vector<const FieldSet*>& sets,
                                                          FileReport& report) {
  std::map<std::string_view, std::vector<const Field*>> by_name;
  for (const FieldSet* set : sets) {
    for (const Field& field : *set) by_name[field.name()].push_back(&field);
  }
  const auto is_common = [&](const std::vector<const Field*>& same) {
    return same.size() == sets.size() && std::ranges::all_of(same, [&](const Field* field) {
             return field->type() == same[0]->type() && field->components() == same[0]->components();
           });
  };
  for (const auto& [name, same] : by_name) {
    if (is_common(same)) continue;
    report.notes.push_back("Left out the array \"" + std::string(name) + "\", which is not in every piece.");
  }
  std::vector<std::vector<const Field*>> common;
  if (sets.empty()) return common;
  for (const Field& field : *sets[0]) {
    if (is_common(by_name[field.name()])) common.push_back(by_name[field.name()]);
  }
  return common;
}

FieldSet join_mesh_fields(const std::vector<const FieldSet*>& sets, FileReport& report) {
  std::vector<Field> joined;
  std::map<std::string_view, const Field*> first;
  std::set<std::string_view> differing;
  for (const FieldSet* set : sets) {
    for (const Field& field : *set) {
      const auto [known, is_new] = first.emplace(field.name(), &field);
      if (is_new) {
        joined.push_back(field);
      } else if (!(*known->second == field) && differing.insert(field.name()).second) {
        report.notes.push_back("Kept the first of the pieces' arrays \"" + field.name() +
                               "\" of the mesh, which differ.");
      }
    }
  }
  return FieldSet(std::move(joined));
}

XmlPieces open_xml(Input& input, FileReport& report, std::initializer_list<std::string_view> types) {
  XmlPieces xml = {input, report, scan_xml(input), nullptr, {}};
  const std::string type(xml.file.root.attribute("type"));
  if (std::find(types.begin(), types.end(), type) == types.end())
    input.refuse("holds " + type + "; only " + join(types) + " can be read");
  xml.content = xml.file.root.find(type);
  if (xml.content == nullptr) input.fail("holds no <" + type + ">");
  for (const Element& child : xml.content->children) {
    if (child.name == "Piece") xml.pieces.push_back(&child);
  }
  return xml;
}

AnyMesh read_vtk_xml(Input& input, const ReadOptions& options, FileReport& report) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> types = {
      {{"UnstructuredGrid", "vtu"},
       {"PolyData", "vtp"},
       {"ImageData", "vti"},
       {"StructuredGrid", "vts"},
       {"RectilinearGrid", "vtr"}}};
  XmlPieces xml = open_xml(
      input, report, {"UnstructuredGrid", "PolyData", "ImageData", "StructuredGrid", "RectilinearGrid"});
  const std::string_view type = xml.content->name;
  report.format = std::ranges::find(types, type, &decltype(types)::value_type::first)->second;
  if (type == "UnstructuredGrid" || type == "PolyData")
    return read_xml_cells(xml, type == "PolyData" ? 2 : 3, options);
  return assemble(input, read_xml_lattice(xml), options, report);
}

}  // namespace tessera::detail::io
