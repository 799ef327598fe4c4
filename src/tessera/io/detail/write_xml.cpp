// Writer of vtu, vtp and vti: arrays appended raw, or compressed by all threads, or as text.
//
// We write these files ourselves: when the disk is full, VTK 9.1's writer of vtu frees a wild pointer, and
// its pipeline prints.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <vector>

#include <zlib.h>

#include <tessera/core/macros.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/io/detail/cells.h>
#include <tessera/io/detail/formats.h>
#include <tessera/io/detail/roles.h>
#include <tessera/io/grid_writer.h>
#include <tessera/io/point_writer.h>

namespace tessera::detail::io {
namespace {

constexpr std::array<std::string_view, 10> type_names = {"Int8",   "UInt8", "Int16",  "UInt16",  "Int32",
                                                         "UInt32", "Int64", "UInt64", "Float32", "Float64"};

/// Blocks of a compressed array: independent, so that threads share them.
constexpr std::size_t block_bytes = 1 << 16;
/// The most that a compressed block takes, as zlib's compressBound() says.
constexpr std::size_t slot_bytes =
    block_bytes + (block_bytes >> 12) + (block_bytes >> 14) + (block_bytes >> 25) + 13;
/// How many are compressed before they are written.
constexpr std::size_t blocks_per_thread = 8;
/// Files about as large as those of zlib's default 6, in a quarter of its time (docs/measurements.md).
constexpr int zlib_level = 4;

std::string encode_entities(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '&': result += "&amp;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}

class XmlWriter {
 public:
  XmlWriter(Output& output, const WriteOptions& options) : output_(output), options_(options) {}

  void start(const std::string& type) {
    const bool is_big = std::endian::native == std::endian::big;
    open("VTKFile type=\"" + type + "\" version=\"1.0\" byte_order=\"" + (is_big ? "Big" : "Little") +
         "Endian\" header_type=\"UInt64\"" +
         (options_.compress && !options_.ascii ? " compressor=\"vtkZLibDataCompressor\"" : ""));
  }

  void open(const std::string& tag) {
    output_.write("<" + tag + ">\n");
    open_.push_back(tag.substr(0, tag.find(' ')));
  }
  void close() {
    output_.write("</" + open_.back() + ">\n");
    open_.pop_back();
  }

  /// The values must stay where they are until finish().
  template <class T>
  void array(const std::string& name, std::span<const T> values, std::size_t components,
             const std::string& more = "") {
    output_.write("<DataArray type=\"" + std::string(type_names[scalar_index<T>()]) + "\" Name=\"" +
                  encode_entities(name) + "\" NumberOfComponents=\"" + std::to_string(components) + "\"" +
                  more);
    if (!options_.ascii) {
      output_.write(" format=\"appended\" offset=\"");
      pending_.push_back({output_.position(), values.data(), values.size_bytes(), nullptr});
      output_.write(std::string(21, ' ') + "/>\n");
      return;
    }
    output_.write(" format=\"ascii\">\n");
    for (std::size_t i = 0; i < values.size(); ++i) {
      output_.number(values[i]);
      output_.write((i + 1) % std::max<std::size_t>(components, 8) == 0 ? "\n" : " ");
    }
    output_.write("\n</DataArray>\n");
  }

  void fields(const std::string& tag, const FieldSet& set) {
    open(tag + (tag == "FieldData" ? "" : active_attributes(set)));
    for (const Field& field : set) {
      const std::string tuples =
          tag == "FieldData" ? " NumberOfTuples=\"" + std::to_string(field.size()) + "\"" : "";
      field.visit([&](auto values) { array(field.name(), values, field.components(), tuples); });
    }
    close();
  }

  /// The same for fields of which somebody else writes the values later, so many tuples each: `places` gets
  /// where they begin. Not for text.
  void fields_to_come(const std::string& tag, const FieldSet& set, std::uint64_t tuples,
                      std::vector<std::uint64_t>& places) {
    places.resize(set.size());
    open(tag + active_attributes(set));
    std::size_t i = 0;
    for (const Field& field : set) {
      field.visit([&]<class T>(std::span<const T>) {
        array_to_come<T>(field.name(), field.components(), tuples, places[i++]);
      });
    }
    close();
  }
  /// The same for one array.
  template <class T>
  void array_to_come(const std::string& name, std::size_t components, std::uint64_t tuples,
                     std::uint64_t& place) {
    array(name, std::span<const T>(), components);
    pending_.back().bytes = tuples * components * sizeof(T);
    pending_.back().place = &place;
  }

  /// The appended data and the end of the file. Where each array begins is known only now.
  void finish() {
    while (open_.size() > 1) close();
    if (!pending_.empty()) {
      output_.write("<AppendedData encoding=\"raw\">\n_");
      const std::uint64_t start = output_.position();
      for (const Pending& array : pending_) {
        const std::string offset = std::to_string(output_.position() - start) + '"';
        options_.compress ? write_blocks(array) : write_plain(array);
        output_.patch(array.offset_place, offset);
      }
      output_.write("\n</AppendedData>\n");
    }
    close();
  }

 private:
  /// Which arrays are meant as what: ParaView and pyvista show normals and scalars by these.
  static std::string active_attributes(const FieldSet& set) {
    std::string text;
    const auto name = [&](const char* as, const std::string& field) {
      text += std::string(" ") + as + "=\"" + encode_entities(field) + "\"";
    };
    if (const Field* const scalars = set.active(); scalars != nullptr) name("Scalars", scalars->name());
    for (const Field& field : set) {
      if (role_of(field) == Role::normals) name("Normals", field.name());
      if (role_of(field) == Role::texture) name("TCoords", field.name());
    }
    return text;
  }

  struct Pending {
    std::uint64_t offset_place;
    const void* data;
    std::size_t bytes;
    std::uint64_t* place;  ///< of values that come later; null: these are at `data`
  };

  template <class T>
  static constexpr std::size_t scalar_index() {
    return std::is_floating_point_v<T> ? (sizeof(T) == 4 ? 8 : 9)
                                       : 2 * std::countr_zero(sizeof(T)) + (std::is_unsigned_v<T> ? 1 : 0);
  }

  void write_plain(const Pending& array) {
    const std::uint64_t bytes = array.bytes;
    output_.write(&bytes, sizeof(bytes));
    if (array.place == nullptr) return output_.write(array.data, array.bytes);
    *array.place = output_.position();
    output_.skip(array.bytes);
  }

  /// [blocks] [bytes a block] [bytes of the last] [compressed bytes of each] and the blocks.
  void write_blocks(const Pending& array) {
    const std::size_t blocks = (array.bytes + block_bytes - 1) / block_bytes;
    std::vector<std::uint64_t> header = {blocks, block_bytes, array.bytes % block_bytes};
    header.resize(3 + blocks);
    const std::uint64_t place = output_.position();
    output_.write(header.data(), header.size() * sizeof(header[0]));
    const std::size_t batch = blocks_per_thread * static_cast<std::size_t>(options_.exec.threads());
    packed_.resize(slot_bytes * batch);
    for (std::size_t first = 0; first < blocks; first += batch) {
      const std::span sizes = std::span(header).subspan(3 + first, std::min(batch, blocks - first));
      compress(array, first, sizes);
      output_.report();
      for (std::size_t i = 0; i < sizes.size(); ++i) output_.write(packed_.data() + i * slot_bytes, sizes[i]);
    }
    output_.patch(place, {reinterpret_cast<const char*>(header.data()), header.size() * sizeof(header[0])});
  }

  /// Compresses blocks from `first` on, as many as there are sizes, on all threads.
  void compress(const Pending& array, std::size_t first, std::span<std::uint64_t> sizes) {
    host::for_each_chunk(options_.exec.threads(), sizes.size(), 1, [&](host::Range one, int) {
      const std::size_t begin = (first + one.begin) * block_bytes;
      uLongf size = slot_bytes;
      const int status =
          compress2(packed_.data() + one.begin * slot_bytes, &size,
                    static_cast<const unsigned char*>(array.data) + begin,
                    static_cast<uLong>(std::min(block_bytes, array.bytes - begin)), zlib_level);
      if (status != Z_OK) throw std::bad_alloc();  // there is nothing else that can go wrong
      sizes[one.begin] = size;
    });
  }

  Output& output_;
  const WriteOptions& options_;
  std::vector<std::string> open_;
  std::vector<Pending> pending_;
  Array<unsigned char> packed_;  // blocks under way
};

std::string quote(const std::string& name, std::initializer_list<std::string> values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : " ") + value;
  return " " + name + "=\"" + text + "\"";
}

std::string exact(double x) {
  std::array<char, 32> text = {};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), x).ptr};
}

void write_points(XmlWriter& xml, const Points& points) {
  xml.open("Points");
  points.visit([&](auto places) {
    using T = std::remove_const_t<decltype(places[0].x)>;
    xml.array("Points", std::span<const T>(reinterpret_cast<const T*>(places.data()), 3 * places.size()), 3);
  });
  xml.close();
}

/// Connectivity and offsets in 4 bytes where signed ones can hold them, else in 8. The arrays must outlive
/// the writer.
template <class T>
struct CellArrays {
  Array<T> wide;  // only if T is not as wide as an id
  Array<T> ends;
  Array<std::uint8_t> types;

  template <class Mesh>
  void write(XmlWriter& xml, const Mesh& mesh, bool has_types) {
    const std::size_t count = mesh.cells.size();
    const auto* corners = reinterpret_cast<const VertexId*>(mesh.cells.data());
    std::span<const T> connectivity(reinterpret_cast<const T*>(corners), count * Mesh::corners);
    if constexpr (sizeof(T) != sizeof(VertexId)) {
      wide.resize(count * Mesh::corners);
      std::transform(corners, corners + wide.size(), wide.begin(), [](VertexId v) { return T{v.index()}; });
      connectivity = wide;
    }
    ends.resize(count);
    for (std::size_t i = 0; i < count; ++i) ends[i] = static_cast<T>((i + 1) * Mesh::corners);
    xml.array("connectivity", connectivity, 1);
    xml.array("offsets", std::span<const T>(ends), 1);
    if (!has_types) return;
    types.assign(count, Mesh::dimension == 3 ? tetrahedron : triangle);
    xml.array("types", std::span<const std::uint8_t>(types), 1);
  }
};

/// Connectivity and offsets of a list of cells, as CellArrays.
template <class T>
struct PolyArrays {
  Array<T> wide;
  Array<T> ends;

  /// With the types of cells that are not all of one kind.
  void write(XmlWriter& xml, const std::string& tag, const PolyCells& cells,
             std::span<const CellType> types = {}) {
    const bool has_types = tag == "Cells";
    if (cells.empty() && !has_types) return;
    const VertexId* corners = cells.corners.data();
    std::span<const T> connectivity(reinterpret_cast<const T*>(corners), cells.corners.size());
    if constexpr (sizeof(T) != sizeof(VertexId)) {
      wide.resize(cells.corners.size());
      std::transform(corners, corners + wide.size(), wide.begin(), [](VertexId v) { return T{v.index()}; });
      connectivity = wide;
    }
    ends.resize(cells.size());
    std::transform(cells.offsets.begin() + 1, cells.offsets.end(), ends.begin(),
                   [](std::uint64_t end) { return static_cast<T>(end); });
    xml.open(tag);
    xml.array("connectivity", connectivity, 1);
    xml.array("offsets", std::span<const T>(ends), 1);
    if (has_types) {
      static_assert(sizeof(CellType) == 1);
      xml.array("types", std::span(reinterpret_cast<const std::uint8_t*>(types.data()), types.size()), 1);
    }
    xml.close();
  }
};

template <class T, class Mesh>
void write_cells(XmlWriter& xml, const Mesh& mesh, bool is_poly) {
  std::conditional_t<std::is_same_v<Mesh, CellMesh>, PolyArrays<T>, CellArrays<T>> cells;
  const std::string points = std::to_string(mesh.vertex_count());
  const std::string count = std::to_string(mesh.cell_count());
  xml.start(is_poly ? "PolyData" : "UnstructuredGrid");
  xml.open(is_poly ? "PolyData" : "UnstructuredGrid");
  if (!mesh.field_data.empty()) xml.fields("FieldData", mesh.field_data);
  xml.open("Piece" + quote("NumberOfPoints", {points}) +
           quote(is_poly ? "NumberOfPolys" : "NumberOfCells", {count}));
  xml.fields("PointData", mesh.point_data);
  xml.fields("CellData", mesh.cell_data);
  write_points(xml, mesh.points);
  if constexpr (std::is_same_v<Mesh, CellMesh>) {
    cells.write(xml, "Cells", mesh.cells, mesh.types);
  } else {
    xml.open(is_poly ? "Polys" : "Cells");
    cells.write(xml, mesh, !is_poly);
    xml.close();
  }
  xml.finish();
}

std::size_t count_corners(const CellMesh& mesh) {
  return mesh.cells.corners.size();
}
template <int Dim>
std::size_t count_corners(const SimplexMesh<Dim>& mesh) {
  return mesh.cells.size() * (Dim + 1);
}

template <class Mesh>
void write_mesh_xml(Output& output, const Mesh& mesh, bool is_poly, const WriteOptions& options) {
  constexpr std::size_t limit = std::numeric_limits<std::int32_t>::max();
  XmlWriter xml(output, options);
  const bool is_narrow = count_corners(mesh) <= limit && mesh.points.size() <= limit;
  is_narrow ? write_cells<std::int32_t>(xml, mesh, is_poly) : write_cells<std::int64_t>(xml, mesh, is_poly);
}

template <class T, class Poly>
void write_poly_xml(XmlWriter& xml, const Poly& poly) {
  std::array<PolyArrays<T>, 3> arrays;
  xml.start("PolyData");
  xml.open("PolyData");
  if (!poly.field_data.empty()) xml.fields("FieldData", poly.field_data);
  xml.open("Piece" + quote("NumberOfPoints", {std::to_string(poly.vertex_count())}) +
           quote("NumberOfVerts", {std::to_string(poly.vertices.size())}) +
           quote("NumberOfLines", {std::to_string(poly.lines.size())}) + quote("NumberOfStrips", {"0"}) +
           quote("NumberOfPolys", {std::to_string(poly.polygons.size())}));
  xml.fields("PointData", poly.point_data);
  xml.fields("CellData", poly.cell_data);
  write_points(xml, poly.points);
  arrays[0].write(xml, "Verts", poly.vertices);
  arrays[1].write(xml, "Lines", poly.lines);
  arrays[2].write(xml, "Polys", poly.polygons);
  xml.finish();
}

/// Where the arrays of a file of points begin.
struct PointPlaces {
  std::uint64_t points = 0;
  std::array<std::uint64_t, 2> vertices = {};
  std::vector<std::uint64_t> fields;
};

/// Like write_poly_xml() of `count` points with a vertex each, which somebody else writes.
template <class T>
void write_points_xml(Output& output, const PolyData& shape, std::uint64_t count, PointPlaces& places) {
  const WriteOptions plain;
  XmlWriter xml(output, plain);
  xml.start("PolyData");
  xml.open("PolyData");
  const std::string points = std::to_string(count);
  xml.open("Piece" + quote("NumberOfPoints", {points}) + quote("NumberOfVerts", {points}) +
           quote("NumberOfLines", {"0"}) + quote("NumberOfStrips", {"0"}) + quote("NumberOfPolys", {"0"}));
  xml.fields_to_come("PointData", shape.point_data, count, places.fields);
  xml.fields("CellData", {});
  xml.open("Points");
  shape.points.is_double() ? xml.array_to_come<double>("Points", 3, count, places.points)
                           : xml.array_to_come<float>("Points", 3, count, places.points);
  xml.close();
  xml.open("Verts");
  xml.array_to_come<T>("connectivity", 1, count, places.vertices[0]);
  xml.array_to_come<T>("offsets", 1, count, places.vertices[1]);
  xml.close();
  xml.finish();
}

template <class Poly>
void write_poly_data(Output& output, const Poly& poly, const WriteOptions& options) {
  constexpr std::size_t limit = std::numeric_limits<std::int32_t>::max();
  XmlWriter xml(output, options);
  const bool is_narrow = poly.vertex_count() <= limit && poly.vertices.corners.size() <= limit &&
                         poly.lines.corners.size() <= limit && poly.polygons.corners.size() <= limit;
  is_narrow ? write_poly_xml<std::int32_t>(xml, poly) : write_poly_xml<std::int64_t>(xml, poly);
}

/// Cells in the order of a PolyData; the rest is not copied.
struct PolyView {
  const Points& points;
  const FieldSet& point_data;
  const FieldSet& field_data;
  FieldSet cell_data;
  PolyCells vertices, lines, polygons;

  explicit PolyView(Output& output, const CellMesh& mesh)
      : points(mesh.points), point_data(mesh.point_data), field_data(mesh.field_data) {
    const std::array<PolyCells*, 3> lists = {&vertices, &lines, &polygons};
    Array<std::uint32_t> order;
    for (int dimension = 0; dimension < 3; ++dimension) {
      for (std::size_t c = 0; c < mesh.cell_count(); ++c) {
        if (dimension_of(mesh.types[c]) != dimension) continue;
        lists[static_cast<std::size_t>(dimension)]->add(mesh.cells[c]);
        order.push_back(static_cast<std::uint32_t>(c));
      }
    }
    cell_data = mesh.cell_data.gather(order);
    if (!std::is_sorted(order.begin(), order.end()))
      output.notes.emplace_back(
          "Put vertices before lines and lines before polygons, as vtp files have them.");
  }
  [[nodiscard]] std::size_t vertex_count() const { return points.size(); }
};

/// Where the fields of a grid's points and cells begin in the file.
struct ImagePlaces {
  std::vector<std::uint64_t> of_points, of_cells;
};

/// With `to_come`, values of points and cells are written by somebody else.
void write_image_xml(Output& output, const Grid& grid, const WriteOptions& options,
                     ImagePlaces* to_come = nullptr) {
  std::array<std::string, 3> last;
  for (int axis = 0; axis < 3; ++axis) {
    if (grid.dims[axis] > std::numeric_limits<std::int32_t>::max()) {
      output.refuse("an axis of a vti file has at most 2147483647 points");
    }
    last[axis] = std::to_string(std::int64_t{grid.dims[axis]} - 1);
  }
  std::array<std::string, 9> turn;
  std::transform(grid.direction.begin(), grid.direction.end(), turn.begin(), exact);
  XmlWriter xml(output, options);
  xml.start("ImageData");
  xml.open(
      "ImageData" + quote("WholeExtent", {"0", last[0], "0", last[1], "0", last[2]}) +
      quote("Origin", {exact(grid.origin.x), exact(grid.origin.y), exact(grid.origin.z)}) +
      quote("Spacing", {exact(grid.spacing.x), exact(grid.spacing.y), exact(grid.spacing.z)}) +
      quote("Direction", {turn[0], turn[1], turn[2], turn[3], turn[4], turn[5], turn[6], turn[7], turn[8]}));
  if (!grid.field_data.empty()) xml.fields("FieldData", grid.field_data);
  xml.open("Piece" + quote("Extent", {"0", last[0], "0", last[1], "0", last[2]}));
  if (to_come == nullptr) {
    xml.fields("PointData", grid.point_data);
    xml.fields("CellData", grid.cell_data);
  } else {
    xml.fields_to_come("PointData", grid.point_data, grid.vertex_count(), to_come->of_points);
    xml.fields_to_come("CellData", grid.cell_data, grid.cell_count(), to_come->of_cells);
  }
  xml.finish();
}

}  // namespace

void write_vtu(Output& output, const MeshRef& mesh, const WriteOptions& options) {
  if (const auto* tets = std::get_if<const TetMesh*>(&mesh))
    return write_mesh_xml(output, **tets, false, options);
  if (const auto* tris = std::get_if<const TriMesh*>(&mesh))
    return write_mesh_xml(output, **tris, false, options);
  if (const auto* cells = std::get_if<const CellMesh*>(&mesh))
    return write_mesh_xml(output, **cells, false, options);
  output.refuse("a vtu file cannot hold a regular grid; write a vti file, or tetrahedralize it first");
}

void write_vtp(Output& output, const MeshRef& mesh, const WriteOptions& options) {
  if (const auto* cells = std::get_if<const CellMesh*>(&mesh)) {
    const std::string solids = list_types((*cells)->types, 3, 3);
    if (!solids.empty())
      output.refuse("a vtp file can only hold vertices, lines and polygons, not " + solids);
    return write_poly_data(output, PolyView(output, **cells), options);
  }
  write_mesh_xml(output, only_triangles(output, mesh, "a vtp file"), true, options);
}

void write_poly_vtp(Output& output, const PolyData& poly, const WriteOptions& options) {
  write_poly_data(output, poly, options);
}

void write_vti(Output& output, const MeshRef& mesh, const WriteOptions& options) {
  const auto* grid = std::get_if<const Grid*>(&mesh);
  if (grid == nullptr) output.refuse("a vti file can only hold a regular grid; write a vtu file");
  write_image_xml(output, **grid, options);
}

}  // namespace tessera::detail::io

namespace tessera {

namespace {

void expect_plain(const std::filesystem::path& file, const WriteOptions& options) {
  if (!options.ascii && !options.compress) return;
  throw Error(ErrorCode::bad_option,
              file.string() + ": a file that is written in parts is neither text nor compressed");
}

std::string_view bytes_of(const void* data, std::size_t bytes) {
  return {static_cast<const char*>(data), bytes};
}

}  // namespace

GridWriter::GridWriter(const std::filesystem::path& file, const Grid& shape, const WriteOptions& options) {
  expect_plain(file, options);
  output_ = std::make_unique<detail::io::Output>(file, 0, options.monitor, options.descriptor);
  detail::io::ImagePlaces places;
  detail::io::write_image_xml(*output_, shape, {}, &places);
  point_places_ = std::move(places.of_points);
  cell_places_ = std::move(places.of_cells);
}

GridWriter::GridWriter(GridWriter&&) noexcept = default;
GridWriter& GridWriter::operator=(GridWriter&&) noexcept = default;
GridWriter::~GridWriter() = default;

void GridWriter::write(std::uint64_t place, const Field& values, std::size_t from, std::size_t count) {
  values.visit([&](auto numbers) {
    const auto part = numbers.subspan(from * values.components(), count * values.components());
    output_->patch(place, bytes_of(part.data(), part.size_bytes()));
  });
}

void GridWriter::write_points(std::size_t field, std::uint64_t first, const Field& values, std::size_t from,
                              std::size_t count) {
  const std::uint64_t tuple_bytes = values.components() * size_of(values.type());
  write(point_places_[field] + first * tuple_bytes, values, from, count);
}

void GridWriter::write_cells(std::size_t field, std::uint64_t first, const Field& values, std::size_t from,
                             std::size_t count) {
  const std::uint64_t tuple_bytes = values.components() * size_of(values.type());
  write(cell_places_[field] + first * tuple_bytes, values, from, count);
}

void GridWriter::read_points(std::size_t field, std::uint64_t first, std::size_t count, Field& to) {
  const std::uint64_t tuple_bytes = to.components() * size_of(to.type());
  to.visit([&](auto numbers) {
    output_->read_back(point_places_[field] + first * tuple_bytes, numbers.data(), count * tuple_bytes);
  });
}

void GridWriter::commit() {
  output_->commit();
}

PointWriter::PointWriter(const std::filesystem::path& file, const PolyData& shape, std::uint64_t count,
                         const WriteOptions& options)
    : count_(count), is_narrow_(count <= std::uint64_t{std::numeric_limits<std::int32_t>::max()}) {
  TS_EXPECTS(count > 0);
  expect_plain(file, options);
  output_ = std::make_unique<detail::io::Output>(file, 0, options.monitor, options.descriptor);
  detail::io::PointPlaces places;
  is_narrow_ ? detail::io::write_points_xml<std::int32_t>(*output_, shape, count, places)
             : detail::io::write_points_xml<std::int64_t>(*output_, shape, count, places);
  points_place_ = places.points;
  vertex_places_ = places.vertices;
  field_places_ = std::move(places.fields);
}

PointWriter::PointWriter(PointWriter&&) noexcept = default;
PointWriter& PointWriter::operator=(PointWriter&&) noexcept = default;
PointWriter::~PointWriter() = default;

template <class T>
void PointWriter::append_vertices(std::size_t count) {
  for (const T first : {T{0}, T{1}}) {  // connectivity, and offsets
    Array<T> numbers(count);
    for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<T>(written_ + i) + first;
    output_->patch(vertex_places_[static_cast<std::size_t>(first)] + written_ * sizeof(T),
                   bytes_of(numbers.data(), count * sizeof(T)));
  }
}

void PointWriter::append(const Points& points, const FieldSet& fields) {
  TS_EXPECTS(points.size() <= count_ - written_ && fields.size() == field_places_.size());
  points.visit([&](auto places) {
    output_->patch(points_place_ + written_ * sizeof(places[0]),
                   bytes_of(places.data(), places.size_bytes()));
  });
  is_narrow_ ? append_vertices<std::int32_t>(points.size()) : append_vertices<std::int64_t>(points.size());
  std::size_t i = 0;
  for (const Field& field : fields) {
    TS_EXPECTS(field.size() == points.size());
    const std::uint64_t tuple_bytes = field.components() * size_of(field.type());
    field.visit([&](auto numbers) {
      output_->patch(field_places_[i] + written_ * tuple_bytes,
                     bytes_of(numbers.data(), numbers.size_bytes()));
    });
    ++i;
  }
  written_ += points.size();
}

void PointWriter::commit() {
  TS_EXPECTS(written_ == count_);
  output_->commit();
}

}  // namespace tessera
