#include "data/diagram_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <tessera/core/error.h>
#include <tessera/io/io.h>
#include <tessera/mesh/cell_mesh.h>

#include "data/files.h"
#include "data/parts.h"
#include "data/threshold.h"

namespace tessera::cli {
namespace {

double number(const Field& field, std::size_t i) {
  return field.visit([i](const auto& values) { return static_cast<double>(values[i]); });
}

/// A file of segments, as it was read.
class DiagramReader {
 public:
  DiagramReader(const std::filesystem::path& file, const CellMesh& mesh) : file_(file), mesh_(mesh) {}

  StoredDiagram run() const {
    const Field& dimensions = array(mesh_.cell_data, "PairType");
    const Field* is_finite = find(mesh_.cell_data, "IsFinite", 1);
    const Field* identifiers = find(mesh_.cell_data, "PairIdentifier", 1);
    StoredDiagram diagram{.file = file_, .has_places = find(mesh_.point_data, "Coordinates", 3) != nullptr};
    for (std::size_t c = 0; c < mesh_.cell_count(); ++c) {
      const std::int64_t dimension = integer(dimensions, c, -1, 3);
      if (dimension == -1) continue;  // the diagonal
      if (mesh_.cells[c].size() != 2) refuse(fmt::format("cell {} is no segment of two points", c));
      DiagramPoint point = read_point(c);
      point.dimension = static_cast<std::uint32_t>(dimension);
      if (is_finite != nullptr && integer(*is_finite, c, 0, 1) == 0) point.death = DiagramPoint::never;
      const auto [place, type] = find_extremum(c, point);
      point.place = place;
      check(c, point);
      constexpr std::int64_t most = std::int64_t{1} << 53;
      const auto own = static_cast<std::int64_t>(diagram.points.size());
      diagram.identifiers.push_back(identifiers != nullptr ? integer(*identifiers, c, -most, most) : own);
      diagram.points.push_back(point);
      diagram.types.push_back(type);
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
  [[nodiscard]] std::int64_t integer(const Field& field, std::size_t i, std::int64_t least,
                                     std::int64_t most) const {
    const double value = number(field, i);
    if (!(value >= static_cast<double>(least) && value <= static_cast<double>(most) &&
          value == std::floor(value)))
      refuse(fmt::format("{} number {} of '{}' cannot be", value, i, field.name()));
    return static_cast<std::int64_t>(value);
  }
  void check(std::size_t c, const DiagramPoint& point) const {
    try {
      check_diagram({&point, 1});
    } catch (const Error& error) {
      refuse(fmt::format("of segment {}, {}", c, error.what()));
    }
  }

  /// The upper point is (birth, death).
  [[nodiscard]] DiagramPoint read_point(std::size_t c) const {
    const Vec3d low = mesh_.points[mesh_.cells[c][0]];
    const Vec3d high = mesh_.points[mesh_.cells[c][1]];
    if (!(low.x == low.y && low.x == high.x))
      refuse(fmt::format("segment {} does not go from (birth, birth) to (birth, death)", c));
    return {.birth = high.x, .death = high.y};
  }

  /// The minimum or maximum of a pair; of two saddles and of a class that never dies, the one it is born
  /// with.
  [[nodiscard]] std::pair<Vec3d, CriticalType> find_extremum(std::size_t c, const DiagramPoint& point) const {
    const Field* types = find(mesh_.point_data, "CriticalType", 1);
    const auto type_at = [&](std::size_t corner) {
      if (types == nullptr) return CriticalType::minimum;
      return static_cast<CriticalType>(
          integer(*types, mesh_.cells[c][corner].index(), 0, static_cast<int>(CriticalType::degenerate)));
    };
    const bool is_at_death =
        point.is_finite() && type_at(0) != CriticalType::minimum && type_at(1) == CriticalType::maximum;
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

std::vector<ValueRange> parse_dimensions(const std::string& text) {
  return text.empty() ? std::vector<ValueRange>() : parse_ranges(text, "--dimensions");
}

}  // namespace

StoredDiagram read_diagram(Session& session, const std::filesystem::path& file) {
  CellMesh cells;
  const Input input = read_input(session, {.file = file, .simplices = false}, &cells);
  if (cells.cell_count() == 0 && vertex_count(input.mesh) == 0) return {.file = file, .has_places = true};
  if (cells.cell_count() == 0)
    throw Error(
        ErrorCode::unsupported,
        fmt::format("'{}' is a {} and no persistence diagram; `tessera persistence {} -o diagram.vtu` "
                    "makes one of a field",
                    file.string(), kind_name(input.mesh), file.string()));
  StoredDiagram diagram = DiagramReader(file, cells).run();
  if (!cells.cell_data.has("IsFinite"))
    session.note(fmt::format("'{}' has no array 'IsFinite', so all of its classes die", file.string()));
  return diagram;
}

void add_selection_options(OptionList& app, PointSelection& selection,
                           const std::optional<Option>& excluded) {
  Option dimensions = app.add_option("--dimensions", selection.dimensions,
                                     "classes of these dimensions alone, such as 0 or 1-2")
                          ->type_name("N[,N-M...]");
  Option threshold =
      app.add_option("--threshold", selection.threshold, "leave out pairs that persist less")->type_name("X");
  if (!excluded) return;
  dimensions->excludes(*excluded);
  threshold->excludes(*excluded);
}

void check_selection(const PointSelection& selection) {
  (void)parse_dimensions(selection.dimensions);
  if (parse_threshold(selection.threshold).is_percent)
    throw Error(ErrorCode::bad_option, "--threshold is a number here: diagrams have no range of their field");
}

StoredDiagram select_points(StoredDiagram diagram, const PointSelection& selection) {
  const double threshold = parse_threshold(selection.threshold).number;
  const auto dimensions = parse_dimensions(selection.dimensions);
  const auto is_wanted = [&](const DiagramPoint& point) {
    if (point.is_finite() && point.death - point.birth < threshold) return false;
    return dimensions.empty() || std::ranges::any_of(dimensions, [&](const ValueRange& range) {
             return point.dimension >= range.low && point.dimension <= range.high;
           });
  };
  StoredDiagram chosen{.file = diagram.file, .has_places = diagram.has_places};
  for (std::size_t i = 0; i < diagram.points.size(); ++i) {
    if (!is_wanted(diagram.points[i])) continue;
    chosen.points.push_back(diagram.points[i]);
    chosen.identifiers.push_back(diagram.identifiers[i]);
    chosen.types.push_back(diagram.types[i]);
  }
  return chosen;
}

}  // namespace tessera::cli
