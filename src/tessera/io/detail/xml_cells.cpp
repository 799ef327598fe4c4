// Reader of vtu and vtp. Pieces are joined in the file's order, their points not merged.
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include <tessera/io/detail/cells.h>
#include <tessera/io/detail/xml_pieces.h>

namespace tessera::detail::io {
namespace {

/// A list of corners in the file, read only when the place for them is known.
struct CornerList {
  XmlArray array;
  std::uint64_t count;
  std::uint64_t first_point, points;  // of the piece
};

class CellReader {
 public:
  explicit CellReader(XmlPieces& xml) : xml_(xml), input_(xml.input) {
    for (const Element* piece : xml.pieces) {
      piece_points_.push_back(count_attribute(input_, *piece, "NumberOfPoints", 0));
      check_count(piece_points_.back());
    }
  }

  /// Polygons of three and four corners are called triangles and quads.
  RawMesh read_raw(int dimension) {
    read_points();
    std::uint64_t first_point = 0;
    for (std::size_t p = 0; p < xml_.pieces.size(); ++p) {
      const std::size_t before = raw_.types.size();
      if (dimension == 3) {
        read_grid_cells(*xml_.pieces[p], first_point, piece_points_[p]);
      } else {
        read_poly_cells(*xml_.pieces[p], first_point, piece_points_[p]);
      }
      piece_cells_.push_back(raw_.types.size() - before);
      first_point += piece_points_[p];
    }
    if (dimension == 2) name_polygons(raw_);
    raw_.point_data = read_fields("PointData", piece_points_);
    raw_.cell_data = read_fields("CellData", piece_cells_);
    raw_.field_data = read_field_data(xml_);
    return std::move(raw_);
  }

  void fill_corners(CornerSink& sink) {
    for (CornerList& list : corner_lists_) {
      sink.set_piece(list.first_point, list.points);
      for_chunks(list.array, list.count, [&](auto values) {
        if constexpr (std::is_integral_v<typename decltype(values)::value_type>) sink.put(values);
      });
    }
  }

 private:
  void check_count(std::uint64_t count) const {
    if (count > std::numeric_limits<std::uint32_t>::max()) {
      input_.refuse("claims " + std::to_string(count) + " points or cells; at most 4294967295 can be read");
    }
  }

  const Element& array_of(const Element* parent, std::string_view name) const {
    for (const Element& child : parent->children) {
      if (child.name == "DataArray" && (name.empty() || child.attribute("Name") == name)) return child;
    }
    input_.fail("has no array \"" + std::string(name) + "\" in <" + parent->name + ">");
  }

  XmlArray integers(const Element* parent, std::string_view name, std::uint64_t count) const {
    XmlArray array(input_, xml_.file, array_of(parent, name), count);
    if (array.type() >= ScalarType::f32)
      input_.fail("the array \"" + std::string(name) + "\" must hold integers");
    return array;
  }

  void read_points() {
    std::vector<XmlArray> arrays;
    std::vector<std::uint64_t> counts;
    for (std::size_t p = 0; p < xml_.pieces.size(); ++p) {
      if (piece_points_[p] == 0) continue;
      const Element* points = xml_.pieces[p]->find("Points");
      if (points == nullptr) input_.fail("has a piece without <Points>");
      const Element& array = array_of(points, "");
      if (array.attribute("NumberOfComponents", "3") != "3")
        input_.fail("has points of other than 3 components");
      arrays.emplace_back(input_, xml_.file, array, 3 * piece_points_[p]);
      counts.push_back(3 * piece_points_[p]);
    }
    const std::uint64_t total = std::accumulate(piece_points_.begin(), piece_points_.end(), std::uint64_t{0});
    const bool is_float = std::all_of(arrays.begin(), arrays.end(),
                                      [](const XmlArray& array) { return array.type() == ScalarType::f32; });
    raw_.points = is_float ? Points(Array<Vec3f>(total)) : Points(Array<Vec3d>(total));
    raw_.points.visit([&](auto points) {
      using Point = typename decltype(points)::element_type;
      using T = decltype(Point::x);
      T* to = reinterpret_cast<T*>(points.data());
      for (std::size_t i = 0; i < arrays.size(); ++i) {
        if (arrays[i].type() == (is_float ? ScalarType::f32 : ScalarType::f64)) {
          arrays[i].read(std::span(to, counts[i]));
          to += counts[i];
        } else {
          for_chunks(arrays[i], counts[i], [&](auto values) {
            to = std::transform(values.begin(), values.end(), to, [](auto x) { return static_cast<T>(x); });
          });
        }
      }
    });
  }

  void read_grid_cells(const Element& piece, std::uint64_t first_point, std::uint64_t points) {
    const std::uint64_t count = count_attribute(input_, piece, "NumberOfCells", 0);
    check_count(count);
    if (count == 0) return;
    const Element* cells = piece.find("Cells");
    if (cells == nullptr) input_.fail("has a piece without <Cells>");
    XmlArray types = integers(cells, "types", count);
    const std::size_t before = raw_.types.size();
    raw_.types.resize(before + count);
    std::uint8_t* to = raw_.types.data() + before;
    for_chunks(types, count, [&](auto values) {
      to = std::transform(values.begin(), values.end(), to, [](auto type) {
        return type >= 0 && type <= 255 ? static_cast<std::uint8_t>(type) : std::uint8_t{255};
      });
    });
    read_list(*cells, count, first_point, points);
  }

  /// VTK keeps the cells of a PolyData in this order, and so the cell data.
  void read_poly_cells(const Element& piece, std::uint64_t first_point, std::uint64_t points) {
    constexpr std::array<std::tuple<std::string_view, std::string_view, RawType>, 4> kinds = {
        {{"Verts", "NumberOfVerts", poly_vertex},
         {"Lines", "NumberOfLines", poly_line},
         {"Polys", "NumberOfPolys", polygon},
         {"Strips", "NumberOfStrips", triangle_strip}}};
    for (const auto& [name, attribute, type] : kinds) {
      const std::uint64_t count = count_attribute(input_, piece, attribute, 0);
      check_count(count);
      const Element* cells = piece.find(name);
      if (count == 0) continue;
      if (cells == nullptr) input_.fail("has no <" + std::string(name) + ">");
      read_list(*cells, count, first_point, points);
      raw_.types.resize(raw_.ends.size(), type);
    }
  }

  void read_list(const Element& cells, std::uint64_t count, std::uint64_t first_point, std::uint64_t points) {
    XmlArray offsets = integers(&cells, "offsets", count);
    const std::uint64_t base = raw_.ends.last();
    std::uint64_t last = 0;
    for_chunks(offsets, count, [&](auto values) {
      for (const auto value : values) {
        const auto end = static_cast<std::uint64_t>(value);
        if (end < last || end > std::numeric_limits<std::int64_t>::max()) {
          input_.fail("cell " + std::to_string(raw_.ends.size()) + " ends before it begins");
        }
        last = end;
        raw_.ends.push_back(base + end);
      }
    });
    if (last > 0)
      corner_lists_.push_back({integers(&cells, "connectivity", last), last, first_point, points});
  }

  FieldSet read_fields(std::string_view kind, const std::vector<std::uint64_t>& tuples) {
    std::vector<std::uint64_t> starts(tuples.size());
    std::exclusive_scan(tuples.begin(), tuples.end(), starts.begin(), std::uint64_t{0});
    const std::uint64_t total = std::accumulate(tuples.begin(), tuples.end(), std::uint64_t{0});
    return read_joined(xml_, kind, tuples, total, [&](XmlArray& array, Field& whole, std::size_t piece) {
      const std::size_t n = whole.components();
      whole.visit([&](auto values) { array.read(values.subspan(starts[piece] * n, tuples[piece] * n)); });
    });
  }

  XmlPieces& xml_;
  Input& input_;
  RawMesh raw_;
  std::vector<std::uint64_t> piece_points_, piece_cells_;
  std::vector<CornerList> corner_lists_;
};

/// Which of the lists of a PolyData a cell belongs to: vertices, lines, polygons.
std::size_t list_of(std::uint8_t type) {
  return type <= poly_vertex ? 0 : type <= poly_line ? 1 : 2;
}

}  // namespace

PolyData read_xml_poly(XmlPieces& xml) {
  RawCells cells = read_xml_raw(xml, 2);
  RawMesh& raw = cells.mesh;
  if (std::find(raw.types.begin(), raw.types.end(), triangle_strip) != raw.types.end())
    xml.input.refuse("holds triangle strips; only vertices, lines and polygons can be read");
  PolyData poly;
  const std::array<PolyCells*, 3> lists = {&poly.vertices, &poly.lines, &poly.polygons};
  Array<std::uint32_t> order;  // of cells: several pieces have vertices each
  order.reserve(raw.types.size());
  for (std::size_t list = 0; list < lists.size(); ++list) {
    std::uint64_t begin = 0;
    for (std::size_t i = 0; i < raw.types.size(); begin = raw.ends[i++]) {
      if (list_of(raw.types[i]) != list) continue;
      lists[list]->add({cells.corners.data() + begin, raw.ends[i] - begin});
      order.push_back(static_cast<std::uint32_t>(i));
    }
  }
  poly.points = std::move(raw.points);
  poly.point_data = std::move(raw.point_data);
  poly.cell_data = raw.cell_data.gather(order);
  poly.field_data = std::move(raw.field_data);
  return poly;
}

RawCells read_xml_raw(XmlPieces& xml, int dimension) {
  CellReader reader(xml);
  RawCells cells;
  cells.dimension = dimension;
  cells.mesh = reader.read_raw(dimension);
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  if (cells.mesh.points.size() > most || cells.mesh.types.size() > most)
    xml.input.refuse("has more than 4294967295 points or cells");
  cells.corners.resize(cells.mesh.ends.last());
  CornerSink sink(xml.input, cells.corners, cells.mesh.points.size(), cells.mesh.ends);
  reader.fill_corners(sink);
  return cells;
}

AnyMesh read_xml_cells(XmlPieces& xml, int dimension, const ReadOptions& options) {
  CellReader reader(xml);
  RawMesh raw = reader.read_raw(dimension);
  return assemble(
      xml.input, std::move(raw), [&](CornerSink& sink) { reader.fill_corners(sink); }, dimension, options,
      xml.report);
}

}  // namespace tessera::detail::io
