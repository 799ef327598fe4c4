// Writer of legacy VTK files, version 3.0, which every reader knows: big-endian or text. VTK's own writer
// prints floats with six digits, so the numbers would not come back as they were.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <vector>

#include <tessera/io/detail/cells.h>
#include <tessera/io/detail/formats.h>
#include <tessera/io/detail/text.h>

namespace tessera::detail::io {
namespace {

constexpr std::array<std::string_view, 10> type_names = {
    "char",         "unsigned_char", "short",         "unsigned_short", "int",
    "unsigned_int", "vtktypeint64",  "vtktypeuint64", "float",          "double"};

std::string_view type_name(ScalarType type) {
  return type_names[static_cast<std::size_t>(type)];
}

class LegacyWriter {
 public:
  LegacyWriter(Output& output, bool is_text) : output_(output), is_text_(is_text) {}

  template <class Mesh>
  void write(const Mesh& mesh) {
    output_.write(is_text_ ? "# vtk DataFile Version 3.0\nwritten by tessera\nASCII\n"
                           : "# vtk DataFile Version 3.0\nwritten by tessera\nBINARY\n");
    write_geometry(mesh);
    write_data("POINT_DATA", mesh.point_data, mesh.vertex_count());
    write_data("CELL_DATA", mesh.cell_data, mesh.cell_count());
  }

 private:
  void write_geometry(const Grid& grid) {
    output_.write("DATASET STRUCTURED_POINTS\n");
    write_fields(grid.field_data);
    output_.write("DIMENSIONS " + std::to_string(grid.dims[0]) + " " + std::to_string(grid.dims[1]) + " " +
                  std::to_string(grid.dims[2]) + "\n");
    write_vector("SPACING", grid.spacing);
    write_vector("ORIGIN", grid.origin);
  }

  void write_vector(std::string_view keyword, Vec3d v) {
    output_.write(keyword);
    for (const double x : {v.x, v.y, v.z}) {
      output_.write(" ");
      output_.number(x);
    }
    output_.write("\n");
  }

  template <int Dim>
  void write_geometry(const SimplexMesh<Dim>& mesh) {
    output_.write(Dim == 3 ? "DATASET UNSTRUCTURED_GRID\n" : "DATASET POLYDATA\n");
    write_fields(mesh.field_data);
    write_points(mesh.points);
    const std::size_t count = mesh.cells.size();
    output_.write((Dim == 3 ? "CELLS " : "POLYGONS ") + std::to_string(count) + " " +
                  std::to_string(count * (Dim + 2)) + "\n");
    for (const auto& cell : mesh.cells) {
      std::array<std::int32_t, Dim + 2> row = {Dim + 1};
      for (int i = 0; i <= Dim; ++i) row[i + 1] = static_cast<std::int32_t>(cell[i].index());
      write_numbers(std::span<const std::int32_t>(row), row.size());
    }
    output_.write("\n");
    if constexpr (Dim == 3) {
      output_.write("CELL_TYPES " + std::to_string(count) + "\n");
      const std::int32_t type = tetrahedron;
      for (std::size_t i = 0; i < count; ++i) write_numbers(std::span(&type, 1), 1);
      output_.write("\n");
    }
  }

  void write_geometry(const PolyData& poly) {
    output_.write("DATASET POLYDATA\n");
    write_fields(poly.field_data);
    write_points(poly.points);
    write_cells("VERTICES", poly.vertices);
    write_cells("LINES", poly.lines);
    write_cells("POLYGONS", poly.polygons);
  }

  void write_geometry(const CellMesh& mesh) {
    output_.write("DATASET UNSTRUCTURED_GRID\n");
    write_fields(mesh.field_data);
    write_points(mesh.points);
    write_cells("CELLS", mesh.cells);
    output_.write("CELL_TYPES " + std::to_string(mesh.cell_count()) + "\n");
    for (const CellType cell : mesh.types) {
      const auto type = static_cast<std::int32_t>(cell);
      write_numbers(std::span(&type, 1), 1);
    }
    output_.write("\n");
  }

  void write_cells(std::string_view keyword, const PolyCells& cells) {
    if (cells.empty()) return;
    output_.write(std::string(keyword) + " " + std::to_string(cells.size()) + " " +
                  std::to_string(cells.size() + cells.corners.size()) + "\n");
    std::vector<std::int32_t> row;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      row.assign(1, static_cast<std::int32_t>(cells[i].size()));
      for (const VertexId v : cells[i]) row.push_back(static_cast<std::int32_t>(v.index()));
      write_numbers(std::span<const std::int32_t>(row), row.size());
    }
    output_.write("\n");
  }

  void write_points(const Points& points) {
    points.visit([&](auto places) {
      using T = std::remove_const_t<decltype(places[0].x)>;
      output_.write("POINTS " + std::to_string(places.size()) + (sizeof(T) == 8 ? " double\n" : " float\n"));
      write_numbers(std::span<const T>(reinterpret_cast<const T*>(places.data()), 3 * places.size()), 3);
    });
    output_.write("\n");  // some readers want a line to end before the next keyword, in binary files too
  }

  void write_data(std::string_view keyword, const FieldSet& fields, std::size_t count) {
    if (fields.empty()) return;
    output_.write(std::string(keyword) + " " + std::to_string(count) + "\n");
    write_fields(fields);
  }

  void write_fields(const FieldSet& fields) {
    if (fields.empty()) return;
    output_.write("FIELD FieldData " + std::to_string(fields.size()) + "\n");
    for (const Field& field : fields) {
      output_.write(encode_name(field.name()) + " " + std::to_string(field.components()) + " " +
                    std::to_string(field.size()) + " " + std::string(type_name(field.type())) + "\n");
      field.visit([&](auto values) { write_numbers(values, field.components()); });
      output_.write("\n");
    }
  }

  template <class T>
  void write_numbers(std::span<const T> values, std::size_t row) {
    if (is_text_) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        output_.number(values[i]);
        output_.write((i + 1) % row == 0 ? "\n" : " ");
      }
      return;
    }
    std::array<T, 4096> chunk;
    for (; !values.empty(); values = values.subspan(std::min(values.size(), chunk.size()))) {
      const std::size_t count = std::min(values.size(), chunk.size());
      std::copy_n(values.begin(), count, chunk.begin());
      if constexpr (std::endian::native == std::endian::little) swap_bytes(chunk.data(), count, sizeof(T));
      output_.write(chunk.data(), count * sizeof(T));
    }
  }

  Output& output_;
  bool is_text_;
};

constexpr std::size_t most_points = std::numeric_limits<std::int32_t>::max();

}  // namespace

void write_poly_legacy(Output& output, const PolyData& poly, const WriteOptions& options) {
  if (poly.vertex_count() > most_points)
    output.refuse("a legacy vtk file holds at most 2147483647 points; write a vtp file");
  LegacyWriter(output, options.ascii).write(poly);
}

void write_vtk_legacy(Output& output, const MeshRef& mesh, const WriteOptions& options) {
  std::visit(
      [&](const auto* own) {
        if constexpr (std::is_same_v<decltype(own), const Grid*>) {
          if (own->direction != Grid{}.direction)
            output.refuse("a legacy vtk file cannot hold a rotated grid; write a vti file");
        } else if (own->vertex_count() > most_points) {
          output.refuse("a legacy vtk file holds at most 2147483647 points; write a vtu file");
        }
        LegacyWriter(output, options.ascii).write(*own);
      },
      mesh);
}

}  // namespace tessera::detail::io
