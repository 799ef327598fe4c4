#include "data/diagram_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <tessera/core/error.h>
#include <tessera/io/io.h>
#include <tessera/mesh/cell_mesh.h>

#include "data/files.h"

namespace tessera::cli {
namespace {

/// A file of segments, as it was read.
class DiagramReader {
 public:
  DiagramReader(const std::filesystem::path& file, const CellMesh& mesh) : file_(file), mesh_(mesh) {}

  StoredDiagram run() const {
    const Field& dimensions = array(mesh_.cell_data, "PairType");
    const Field* is_finite = find(mesh_.cell_data, "IsFinite", 1);
    const Field* identifiers = find(mesh_.cell_data, "PairIdentifier", 1);
    StoredDiagram diagram{file_, {}, {}, {}};
    for (std::size_t c = 0; c < mesh_.cell_count(); ++c) {
      const double dimension = number(dimensions, c);
      if (dimension == -1) continue;  // the diagonal
      if (!(dimension >= 0 && dimension <= 3 && dimension == std::floor(dimension)))
        refuse(fmt::format("segment {} has the PairType {:.6g}, which is no dimension", c, dimension));
      if (mesh_.cells[c].size() != 2) refuse(fmt::format("cell {} is no segment of two points", c));
      DiagramPoint point = read_point(c);
      point.dimension = static_cast<std::uint32_t>(dimension);
      if (is_finite != nullptr && number(*is_finite, c) == 0) point.death = DiagramPoint::never;
      const auto [place, type] = find_extremum(c);
      point.place = place;
      diagram.points.push_back(point);
      diagram.types.push_back(type);
      diagram.identifiers.push_back(static_cast<std::int64_t>(
          identifiers != nullptr ? number(*identifiers, c) : static_cast<double>(diagram.points.size() - 1)));
    }
    return diagram;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ErrorCode::bad_file, fmt::format("'{}' is no persistence diagram: {}", file_.string(), why));
  }
  static const Field* find(const FieldSet& set, const char* name, std::size_t components) {
    const Field* field = set.find(name);
    return field != nullptr && field->components() == components ? field : nullptr;
  }
  [[nodiscard]] const Field& array(const FieldSet& set, const char* name) const {
    if (const Field* field = find(set, name, 1)) return *field;
    refuse(fmt::format(
        "its segments have no array '{}' of one component, which `tessera persistence -o` writes", name));
  }
  static double number(const Field& field, std::size_t i) {
    return field.visit([i](const auto& values) { return static_cast<double>(values[i]); });
  }

  /// The upper point is (birth, death).
  [[nodiscard]] DiagramPoint read_point(std::size_t c) const {
    const Vec3d low = mesh_.points[mesh_.cells[c][0]];
    const Vec3d high = mesh_.points[mesh_.cells[c][1]];
    if (low.x != low.y || low.x != high.x)
      refuse(fmt::format("segment {} does not go from (birth, birth) to (birth, death)", c));
    return {.birth = high.x, .death = high.y};
  }

  /// Where the minimum or maximum of a pair is; of two saddles, where the first one is.
  [[nodiscard]] std::pair<Vec3d, CriticalType> find_extremum(std::size_t c) const {
    const Field* types = find(mesh_.point_data, "CriticalType", 1);
    const auto type_at = [&](std::size_t corner) {
      return types == nullptr ? CriticalType::minimum
                              : static_cast<CriticalType>(
                                    static_cast<int>(number(*types, mesh_.cells[c][corner].index())));
    };
    const bool is_at_death = type_at(0) != CriticalType::minimum && type_at(1) == CriticalType::maximum;
    const std::size_t corner = is_at_death ? 1 : 0;
    const Field* places = find(mesh_.point_data, "Coordinates", 3);
    Vec3d place = {0, 0, 0};
    if (places != nullptr) {
      const std::size_t at = 3 * std::size_t{mesh_.cells[c][corner].index()};
      place = {number(*places, at), number(*places, at + 1), number(*places, at + 2)};
    }
    return {place, type_at(corner)};
  }

  const std::filesystem::path& file_;
  const CellMesh& mesh_;
};

}  // namespace

StoredDiagram read_diagram(Session& session, const std::filesystem::path& file) {
  CellMesh cells;
  const Input input = read_input(session, {.file = file, .simplices = false}, &cells);
  if (cells.cell_count() == 0 && vertex_count(input.mesh) == 0) return {file, {}, {}, {}};
  if (cells.cell_count() == 0)
    throw Error(
        ErrorCode::unsupported,
        fmt::format("'{}' is a {} and no persistence diagram; `tessera persistence {} -o diagram.vtu` "
                    "makes one of a field",
                    file.string(), kind_name(input.mesh), file.string()));
  return DiagramReader(file, cells).run();
}

void select_points(StoredDiagram& diagram, double threshold, const std::vector<ValueRange>& dimensions) {
  const auto is_wanted = [&](const DiagramPoint& point) {
    if (point.is_finite() && point.death - point.birth < threshold) return false;
    return dimensions.empty() || std::ranges::any_of(dimensions, [&](const ValueRange& range) {
             return point.dimension >= range.low && point.dimension <= range.high;
           });
  };
  StoredDiagram chosen{diagram.file, {}, {}, {}};
  for (std::size_t i = 0; i < diagram.points.size(); ++i) {
    if (!is_wanted(diagram.points[i])) continue;
    chosen.points.push_back(diagram.points[i]);
    chosen.identifiers.push_back(diagram.identifiers[i]);
    chosen.types.push_back(diagram.types[i]);
  }
  diagram = std::move(chosen);
}

}  // namespace tessera::cli
