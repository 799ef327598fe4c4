// Reader of Gmsh's files (.msh), versions 2 and 4.1, text and binary in both byte orders: nodes, elements,
// tags and data of both, as the chapter "Gmsh file formats" of Gmsh's reference manual has them.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include <tessera/io/detail/cells.h>
#include <tessera/io/detail/formats.h>
#include <tessera/io/detail/roles.h>
#include <tessera/io/detail/text.h>

namespace tessera::detail::io {
namespace {

struct MshType {
  RawType type;
  std::size_t corners;
};

std::optional<MshType> find_type(std::int32_t number) {
  switch (number) {
    case 1: return MshType{line, 2};
    case 2: return MshType{triangle, 3};
    case 3: return MshType{quad, 4};
    case 4: return MshType{tetrahedron, 4};
    case 5: return MshType{hexahedron, 8};
    case 6: return MshType{wedge, 6};
    case 7: return MshType{pyramid, 5};
    case 8: return MshType{quadratic_edge, 3};
    case 9: return MshType{quadratic_triangle, 6};
    case 10: return MshType{biquadratic_quad, 9};
    case 11: return MshType{quadratic_tetrahedron, 10};
    case 12: return MshType{triquadratic_hexahedron, 27};
    case 13: return MshType{biquadratic_wedge, 18};
    case 14: return MshType{lagrange_pyramid, 14};
    case 15: return MshType{vertex, 1};
    case 16: return MshType{quadratic_quad, 8};
    case 17: return MshType{quadratic_hexahedron, 20};
    case 18: return MshType{quadratic_wedge, 15};
    case 19: return MshType{quadratic_pyramid, 13};
    case 20: return MshType{lagrange_triangle, 9};
    case 21: return MshType{lagrange_triangle, 10};
    case 22: return MshType{lagrange_triangle, 12};
    case 23:
    case 24: return MshType{lagrange_triangle, 15};
    case 25: return MshType{lagrange_triangle, 21};
    case 26: return MshType{lagrange_curve, 4};
    case 27: return MshType{lagrange_curve, 5};
    case 28: return MshType{lagrange_curve, 6};
    case 29: return MshType{lagrange_tetrahedron, 20};
    case 30: return MshType{lagrange_tetrahedron, 35};
    case 31: return MshType{lagrange_tetrahedron, 56};
    case 92: return MshType{lagrange_hexahedron, 64};
    case 93: return MshType{lagrange_hexahedron, 125};
    default: return std::nullopt;
  }
}

int dimension_of(std::uint8_t type) {
  if (type > pyramid) type = find_linear(type).type;
  return type >= tetrahedron ? 3 : type >= triangle ? 2 : type >= line ? 1 : 0;
}

/// From the ids that a file gives its nodes or elements to their places in it. Takes no memory while ids are
/// consecutive.
class IdMap {
 public:
  [[nodiscard]] std::uint64_t size() const { return count_; }

  void add(std::uint64_t id) {
    if (count_ == 0) first_ = id;
    if (places_.empty() && id != first_ + count_) {
      for (std::uint64_t i = 0; i < count_; ++i) places_.emplace_back(first_ + i, i);
    }
    if (id != first_ + count_ || !places_.empty()) places_.emplace_back(id, count_);
    ++count_;
  }
  /// Makes find() possible; returns an id that occurs twice.
  [[nodiscard]] std::optional<std::uint64_t> sort() {
    std::sort(places_.begin(), places_.end());
    const auto twice = std::adjacent_find(places_.begin(), places_.end(),
                                          [](const auto& a, const auto& b) { return a.first == b.first; });
    return twice == places_.end() ? std::nullopt : std::optional(twice->first);
  }
  [[nodiscard]] std::optional<std::uint64_t> find(std::uint64_t id) const {
    if (places_.empty()) return id - first_ < count_ ? std::optional(id - first_) : std::nullopt;
    const auto found = std::lower_bound(places_.begin(), places_.end(), std::pair(id, std::uint64_t{0}));
    return found != places_.end() && found->first == id ? std::optional(found->second) : std::nullopt;
  }

 private:
  std::uint64_t count_ = 0;
  std::uint64_t first_ = 0;
  Array<std::pair<std::uint64_t, std::uint64_t>> places_;
};

/// The header of $NodeData and $ElementData.
struct DataHeader {
  std::string name;
  std::uint64_t components = 0;
  std::uint64_t count = 0;
};

class MshReader {
 public:
  MshReader(Input& input, FileReport& report) : input_(input), report_(report) {}

  AnyMesh read(const ReadOptions& options);

 private:
  void read_format();
  std::string next_line();
  void read_section(const std::string& section);
  void skip_section(const std::string& section);
  void read_names();
  void read_entities();
  void read_entity(std::int32_t dimension);
  void read_nodes();
  void read_old_nodes();
  void read_new_nodes();
  void add_node();
  void read_elements();
  void read_old_elements();
  void read_old_block(std::uint64_t count);
  void read_new_elements();
  void read_element(std::int32_t type);
  void add_tags(std::uint64_t count);
  MshType known_type(std::int32_t number) const;
  DataHeader read_data_header(const std::string& section);
  void read_data(const std::string& section, bool is_of_nodes);
  std::uint64_t count_gaps(const Array<std::uint8_t>& is_set, bool is_of_nodes) const;

  /// The next number, as text or as T.
  template <class T>
  T number() {
    if (is_text_) return input_.number<T>();
    T value{};
    const std::string_view bytes = input_.peek(sizeof(T));
    if (bytes.size() < sizeof(T)) input_.fail("ends in the middle of its data");
    std::memcpy(&value, bytes.data(), sizeof(T));
    input_.consume(sizeof(T));
    if (is_swapped_) swap_bytes(&value, 1, sizeof(T));
    return value;
  }
  template <class T>
  void skip(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) static_cast<void>(number<T>());
  }
  /// What Gmsh calls size_t: 4 or 8 bytes.
  std::uint64_t size() { return size_bytes_ == 4 ? number<std::uint32_t>() : number<std::uint64_t>(); }
  /// An id of version 2 or of data: an int.
  std::uint64_t id() {
    return is_text_ ? number<std::uint64_t>() : static_cast<std::uint64_t>(number<std::int32_t>());
  }
  /// A count that is text in binary files too, and the only thing on its line there.
  std::uint64_t text_count() {
    const auto count = input_.number<std::uint64_t>();
    if (!is_text_) static_cast<void>(input_.line());
    return count;
  }
  /// Fails unless that many rows of one id and `numbers` numbers of `bytes` bytes can follow.
  void require_rows(std::uint64_t count, std::uint64_t numbers, std::uint64_t bytes, std::string_view what) {
    input_.require(count, is_text_ ? 2 * (numbers + 1) : numbers * bytes + 4, what);
  }

  Input& input_;
  FileReport& report_;
  bool is_text_ = true;
  bool is_swapped_ = false;
  bool is_old_ = false;  // version 2
  std::uint64_t size_bytes_ = 8;
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> groups_;  // the first one of each entity
  std::uint64_t in_many_groups_ = 0;                                      // entities
  bool has_names_ = false, has_entities_ = false;
  LeftOutNames left_out_;
  bool has_parameters_ = false;
  bool has_partitions_ = false;
  std::optional<IdMap> nodes_, elements_;
  Array<Vec3d> points_;
  RawMesh raw_;
  Array<std::int64_t> corners_;
  Array<std::int32_t> physical_, geometrical_;
  bool has_physical_ = false;
  bool has_geometrical_ = false;
  FieldList point_fields_{report_};
  FieldList cell_fields_{report_};
};

void MshReader::read_format() {
  if (next_line() != "$MeshFormat") input_.fail("does not begin with $MeshFormat");
  const std::string text = next_line();
  Words words(text);
  const std::string version(words.next());
  is_old_ = version == "2" || version.starts_with("2.");
  if (!is_old_ && version != "4.1") {
    input_.refuse("is of version \"" + version.substr(0, 20) + "\"; versions 2 and 4.1 can be read");
  }
  const std::string_view kind = words.next();
  if (kind != "0" && kind != "1") input_.fail("is neither text (0) nor binary (1)");
  is_text_ = kind == "0";
  if (!parse_number(words.next(), size_bytes_) || (size_bytes_ != 8 && (is_old_ || size_bytes_ != 4))) {
    input_.fail("has numbers of an unknown size");
  }
  if (!is_text_) {
    const auto one = number<std::uint32_t>();
    is_swapped_ = one == 0x01000000;
    if (one != 1 && !is_swapped_) input_.fail("does not say its byte order");
  }
  if (next_line() != "$EndMeshFormat") input_.fail("has no $EndMeshFormat");
}

/// The next line that is not blank, without the blanks around it; empty at the end.
std::string MshReader::next_line() {
  while (!input_.at_end()) {
    std::string_view text = input_.line();
    if (Words(text).next().empty()) continue;
    text.remove_prefix(text.find_first_not_of(" \t"));
    return std::string(text.substr(0, text.find_last_not_of(" \t") + 1).substr(0, 4096));
  }
  return "";
}

AnyMesh MshReader::read(const ReadOptions& options) {
  read_format();
  for (std::string line = next_line(); !line.empty(); line = next_line()) {
    if (line.front() != '$') {
      input_.fail("holds \"" + line.substr(0, 40) + "\" where a section should begin (before byte " +
                  std::to_string(input_.position()) + ")");
    }
    read_section(line.substr(1));
  }
  if (!nodes_) input_.fail("has no $Nodes");
  if (in_many_groups_ > 0) {
    report_.notes.push_back("Kept only the first physical group of " + std::to_string(in_many_groups_) +
                            " entities that are in several.");
  }
  left_out_.note("sections", report_);
  if (has_parameters_) report_.notes.emplace_back("Left out the parametric coordinates of the nodes.");
  if (has_partitions_) report_.notes.emplace_back("Left out the partitions of the elements.");
  raw_.points = std::move(points_);
  raw_.point_data = point_fields_.take();
  raw_.cell_data = cell_fields_.take();
  const auto fill = [&](CornerSink& sink) { sink.put(std::span<const std::int64_t>(corners_)); };
  return assemble(input_, std::move(raw_), fill, 3, options, report_);
}

void MshReader::read_section(const std::string& section) {
  if (section == "PhysicalNames" || section == "Entities") {
    bool& has_been = section == "Entities" ? has_entities_ : has_names_;
    if (has_been) input_.fail("has a second section $" + section);
    has_been = true;
  }
  if (section == "PhysicalNames") {
    read_names();
  } else if (section == "Entities" && !is_old_) {
    read_entities();
  } else if (section == "Nodes") {
    read_nodes();
  } else if (section == "Elements") {
    read_elements();
  } else if (section == "NodeData" || section == "ElementData") {
    read_data(section, section == "NodeData");
  } else {
    return skip_section(section);
  }
  if (next_line() != "$End" + section) {
    input_.fail("does not end the section $" + section + " where it should (before byte " +
                std::to_string(input_.position()) + ")");
  }
}

void MshReader::skip_section(const std::string& section) {
  const std::string end = "$End" + section;
  while (!input_.at_end()) {
    std::string_view line = input_.line();
    line = line.substr(0, line.find_last_not_of(" \t") + 1);
    if (!line.ends_with(end)) continue;
    if (section != "Comments") left_out_.add("$" + section);
    return;
  }
  input_.fail("has a section $" + section.substr(0, 40) + " without an end");
}

/// Names are text, which no field holds: the note has them.
void MshReader::read_names() {
  constexpr std::uint64_t most_names = 20;
  const auto count = input_.number<std::uint64_t>();
  static_cast<void>(input_.line());
  input_.require(count, 1, "physical names");
  std::string names;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string line = next_line();
    Words words(line);
    const std::string dimension(words.next());
    const std::string group(words.next());
    const std::size_t quote = line.find('"');
    if (quote == std::string::npos) input_.fail("has an incomplete line in $PhysicalNames");
    if (i >= most_names) continue;
    names.append(names.empty() ? "" : ", ").append(line.substr(quote, 100));
    names.append(" (").append(group).append(" of dimension ").append(dimension).append(")");
  }
  if (count > most_names) names += " and " + std::to_string(count - most_names) + " more";
  if (count > 0) report_.notes.push_back("Left out the names of physical groups: " + names + ".");
}

void MshReader::read_entities() {
  std::array<std::uint64_t, 4> counts = {};
  for (std::uint64_t& count : counts) count = size();
  for (std::int32_t dimension = 0; dimension < 4; ++dimension) {
    input_.require(counts[dimension], 10, "entities");
    for (std::uint64_t i = 0; i < counts[dimension]; ++i) read_entity(dimension);
  }
}

void MshReader::read_entity(std::int32_t dimension) {
  const auto tag = number<std::int32_t>();
  skip<double>(dimension == 0 ? 3 : 6);  // its place or box
  const std::uint64_t group_count = size();
  if (group_count > 0) groups_[{dimension, tag}] = number<std::int32_t>();
  if (group_count > 1) ++in_many_groups_;
  for (std::uint64_t i = 1; i < group_count; ++i) skip<std::int32_t>(1);
  if (dimension > 0) skip<std::int32_t>(size());  // what bounds it
}

void MshReader::read_nodes() {
  if (nodes_) input_.fail("has a second section $Nodes");
  nodes_.emplace();
  is_old_ ? read_old_nodes() : read_new_nodes();
  if (const auto twice = nodes_->sort()) input_.fail("has two nodes with the id " + std::to_string(*twice));
}

void MshReader::read_old_nodes() {
  const std::uint64_t count = text_count();
  require_rows(count, 3, sizeof(double), "nodes");
  points_.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    nodes_->add(id());
    add_node();
  }
}

void MshReader::read_new_nodes() {
  const std::uint64_t blocks = size();
  const std::uint64_t count = size();
  static_cast<void>(size());  // the smallest id
  static_cast<void>(size());  // the largest
  require_rows(count, 3, sizeof(double), "nodes");
  points_.reserve(count);
  for (std::uint64_t block = 0; block < blocks; ++block) {
    const auto dimension = number<std::int32_t>();
    static_cast<void>(number<std::int32_t>());  // the entity
    const bool has_parameters = number<std::int32_t>() != 0;
    const std::uint64_t in_block = size();
    if (dimension < 0 || dimension > 3) {
      input_.fail("has nodes on an entity of dimension " + std::to_string(dimension));
    }
    require_rows(in_block, 3, sizeof(double), "nodes");
    for (std::uint64_t i = 0; i < in_block; ++i) nodes_->add(size());
    for (std::uint64_t i = 0; i < in_block; ++i) {
      add_node();
      if (has_parameters) skip<double>(static_cast<std::uint64_t>(dimension));
    }
    has_parameters_ = has_parameters_ || has_parameters;
  }
  if (nodes_->size() != count) {
    input_.fail("claims " + std::to_string(count) + " nodes, but its blocks have " +
                std::to_string(nodes_->size()));
  }
}

void MshReader::add_node() {
  const auto x = number<double>();
  const auto y = number<double>();
  points_.push_back({x, y, number<double>()});
}

void MshReader::read_elements() {
  if (!nodes_) input_.fail("has $Elements before $Nodes");
  if (elements_) input_.fail("has a second section $Elements");
  elements_.emplace();
  is_old_ ? read_old_elements() : read_new_elements();
  if (has_physical_) cell_fields_.add(Field("gmsh:physical", std::move(physical_)));
  if (has_geometrical_) cell_fields_.add(Field("gmsh:geometrical", std::move(geometrical_)));
}

void MshReader::read_old_elements() {
  const std::uint64_t count = text_count();
  require_rows(count, 3, 0, "elements");  // the shortest: an id, its type, no tags, a node
  if (!is_text_) {
    while (elements_->size() < count) read_old_block(count - elements_->size());
    return;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    elements_->add(id());
    const auto type = number<std::int32_t>();
    static_cast<void>(known_type(type));
    add_tags(number<std::uint32_t>());
    read_element(type);
  }
}

/// Of a binary file: elements of one type with as many tags, at most `count` of them.
void MshReader::read_old_block(std::uint64_t count) {
  const auto type = number<std::int32_t>();
  const auto in_block = number<std::uint32_t>();
  const auto tags = number<std::uint32_t>();
  static_cast<void>(known_type(type));
  if (in_block > count) input_.fail("has more elements than it says");
  for (std::uint32_t i = 0; i < in_block; ++i) {
    elements_->add(id());
    add_tags(tags);
    read_element(type);
  }
}

void MshReader::add_tags(std::uint64_t count) {
  physical_.push_back(count > 0 ? number<std::int32_t>() : 0);
  geometrical_.push_back(count > 1 ? number<std::int32_t>() : 0);
  has_physical_ = has_physical_ || count > 0;
  has_geometrical_ = has_geometrical_ || count > 1;
  has_partitions_ = has_partitions_ || count > 2;
  if (count > 2) skip<std::int32_t>(count - 2);
}

void MshReader::read_new_elements() {
  const std::uint64_t blocks = size();
  const std::uint64_t count = size();
  static_cast<void>(size());
  static_cast<void>(size());
  require_rows(count, 1, sizeof(std::int32_t), "elements");
  has_geometrical_ = true;
  for (std::uint64_t block = 0; block < blocks; ++block) {
    const auto dimension = number<std::int32_t>();
    const auto entity = number<std::int32_t>();
    const auto type = number<std::int32_t>();
    const std::uint64_t in_block = size();
    require_rows(in_block, known_type(type).corners, size_bytes_, "elements");
    const auto group = groups_.find({dimension, entity});
    has_physical_ = has_physical_ || group != groups_.end();
    physical_.resize(physical_.size() + in_block, group == groups_.end() ? 0 : group->second);
    geometrical_.resize(geometrical_.size() + in_block, entity);
    for (std::uint64_t i = 0; i < in_block; ++i) {
      elements_->add(size());
      read_element(type);
    }
  }
  if (elements_->size() != count) {
    input_.fail("claims " + std::to_string(count) + " elements, but its blocks have " +
                std::to_string(elements_->size()));
  }
}

MshType MshReader::known_type(std::int32_t number) const {
  const auto type = find_type(number);
  if (!type) {
    input_.refuse("holds cells that Tessera cannot read: Gmsh's type " + std::to_string(number) +
                  "; convert them to linear cells first");
  }
  return *type;
}

void MshReader::read_element(std::int32_t type) {
  const MshType known = known_type(type);
  for (std::size_t i = 0; i < known.corners; ++i) {
    const std::uint64_t node = is_old_ ? id() : size();
    const auto place = nodes_->find(node);
    if (!place) {
      input_.fail("cell " + std::to_string(elements_->size() - 1) + " names node " + std::to_string(node) +
                  ", which is not there");
    }
    corners_.push_back(static_cast<std::int64_t>(*place));
  }
  raw_.add_cell(known.type, corners_);
}

DataHeader MshReader::read_data_header(const std::string& section) {
  DataHeader header;
  const auto strings = input_.number<std::uint64_t>();
  static_cast<void>(input_.line());
  input_.require(strings, 1, "string tags");
  for (std::uint64_t i = 0; i < strings; ++i) {
    const std::string text = next_line();
    if (i == 0) header.name = text;
  }
  if (header.name.size() > 1 && header.name.front() == '"' && header.name.back() == '"') {
    header.name = header.name.substr(1, header.name.size() - 2);
  }
  if (header.name.empty()) header.name = section;
  const auto reals = input_.number<std::uint64_t>();
  for (std::uint64_t i = 0; i < reals; ++i) static_cast<void>(input_.number<double>());
  const auto integers = input_.number<std::uint64_t>();
  if (integers < 3) input_.fail("the data \"" + header.name + "\" does not say its size");
  static_cast<void>(input_.number<std::int64_t>());  // the time step
  header.components = input_.number<std::uint64_t>();
  header.count = input_.number<std::uint64_t>();
  for (std::uint64_t i = 3; i < integers; ++i) static_cast<void>(input_.number<std::int64_t>());
  if (!is_text_) static_cast<void>(input_.line());
  return header;
}

/// Where there is no value the field is NaN.
void MshReader::read_data(const std::string& section, bool is_of_nodes) {
  constexpr std::uint64_t most_components = 9;
  std::optional<IdMap>& ids = is_of_nodes ? nodes_ : elements_;
  const std::string kind = is_of_nodes ? "node" : "element";
  if (!ids) input_.fail("has $" + section + " before its " + kind + "s");
  if (const auto twice = ids->sort()) {
    input_.fail("has data of elements, but two with the id " + std::to_string(*twice));
  }
  const DataHeader header = read_data_header(section);
  if (header.components == 0 || header.components > most_components) {
    input_.fail("the data \"" + header.name + "\" has " + std::to_string(header.components) +
                " components; 1 to " + std::to_string(most_components) + " can be read");
  }
  require_rows(header.count, header.components, sizeof(double), "values of \"" + header.name + "\"");
  input_.claim(ids->size() * header.components);
  Field field(header.name, ScalarType::f64, ids->size(), header.components);
  const std::span<double> values = field.as<double>();
  std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
  Array<std::uint8_t> is_set(ids->size(), std::uint8_t{0});
  for (std::uint64_t i = 0; i < header.count; ++i) {
    const std::uint64_t id = this->id();
    const auto place = ids->find(id);
    if (!place) {
      input_.fail("the data \"" + header.name + "\" names " + kind + " " + std::to_string(id) +
                  ", which is not there");
    }
    if (is_set[*place] != 0)
      input_.fail("the data \"" + header.name + "\" names " + kind + " " + std::to_string(id) + " twice");
    is_set[*place] = 1;
    for (std::uint64_t k = 0; k < header.components; ++k)
      values[*place * header.components + k] = number<double>();
  }
  if (const std::uint64_t gaps = count_gaps(is_set, is_of_nodes); gaps > 0) {
    report_.notes.push_back("The field \"" + header.name + "\" has no value at " + std::to_string(gaps) +
                            (is_of_nodes ? " points" : " cells") + " and is NaN there.");
  }
  (is_of_nodes ? point_fields_ : cell_fields_).add(std::move(field));
}

/// Points, or cells of the mesh's dimension, without a value.
std::uint64_t MshReader::count_gaps(const Array<std::uint8_t>& is_set, bool is_of_nodes) const {
  if (is_of_nodes) return static_cast<std::uint64_t>(std::count(is_set.begin(), is_set.end(), 0));
  int highest = 0;
  for (const std::uint8_t type : raw_.types) highest = std::max(highest, dimension_of(type));
  std::uint64_t gaps = 0;
  for (std::size_t i = 0; i < is_set.size(); ++i) {
    if (is_set[i] == 0 && dimension_of(raw_.types[i]) == highest) ++gaps;
  }
  return gaps;
}

}  // namespace

AnyMesh read_msh(Input& input, const ReadOptions& options, FileReport& report) {
  return MshReader(input, report).read(options);
}

}  // namespace tessera::detail::io
