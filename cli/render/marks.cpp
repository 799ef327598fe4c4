#include "render/marks.h"

#include <fmt/format.h>
#include <vtkCellArray.h>
#include <vtkGlyph3D.h>
#include <vtkPoints.h>
#include <vtkSphereSource.h>
#include <vtkTubeFilter.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <tessera/core/error.h>

namespace tessera::cli {
namespace {

/// Cold to hot, as the values are.
struct Kind {
  const char* name;
  Color color;
};
constexpr std::array<Kind, 5> point_kinds = {{{"minimum", {0.09, 0.27, 0.65}},
                                              {"1-saddle", {0.32, 0.68, 0.90}},
                                              {"2-saddle", {0.96, 0.66, 0.20}},
                                              {"maximum", {0.76, 0.12, 0.12}},
                                              {"degenerate", {0.45, 0.45, 0.45}}}};
constexpr std::array<Kind, 3> path_kinds = {{{"descending", {0.20, 0.45, 0.80}},
                                             {"connector", {0.62, 0.62, 0.62}},
                                             {"ascending", {0.87, 0.36, 0.18}}}};

constexpr double sphere_share = 0.011;  // radius of a sphere, of the diagonal
constexpr double tube_share = 0.3;      // radius of a tube, of a sphere's
constexpr double few_marks = 120;       // more than that make all of them smaller
constexpr std::size_t most_tube_points = 150000;
constexpr int smoothing_passes = 24;

/// A field of small whole numbers as such.
Array<int> read_types(const Field& field) {
  Array<int> types(field.size());
  field.visit([&](auto values) {
    for (std::size_t i = 0; i < types.size(); ++i)
      types[i] = static_cast<int>(values[i * field.components()]);
  });
  return types;
}

/// Which of point_kinds each point is. Of a surface the cells of dimension 2 are maxima.
Array<int> find_point_kinds(const PolyData& points, int dimension) {
  if (const Field* types = points.point_data.find("CriticalType")) return read_types(*types);
  const Field* dimensions = points.point_data.find("CellDimension");
  if (dimensions == nullptr) {
    throw Error(ErrorCode::bad_file,
                "the file of --critical-points has neither CriticalType nor CellDimension on its points; "
                "write it with 'tessera critical-points' or 'tessera morse-smale'");
  }
  Array<int> kinds = read_types(*dimensions);
  if (dimension == 2) std::ranges::replace(kinds, 2, 3);
  return kinds;
}

Array<int> find_path_kinds(const PolyData& paths, int dimension) {
  const Field* types = paths.cell_data.find("SeparatrixType");
  if (types == nullptr) {
    throw Error(ErrorCode::bad_file,
                "the file of --separatrices has no SeparatrixType on its lines; write it with 'tessera "
                "morse-smale'");
  }
  Array<int> kinds = read_types(*types);
  if (dimension == 2) std::ranges::replace(kinds, 1, 2);
  return kinds;
}

vtkSmartPointer<vtkPolyData> make_spheres(const PolyData& points, const Array<int>& kinds, int kind,
                                          double radius) {
  const auto centres = vtkSmartPointer<vtkPoints>::New();
  for (std::uint32_t v = 0; v < points.vertex_count(); ++v) {
    if (kinds[v] != kind) continue;
    const Vec3d p = points.points[VertexId(v)];
    centres->InsertNextPoint(p.x, p.y, p.z);
  }
  const auto cloud = vtkSmartPointer<vtkPolyData>::New();
  cloud->SetPoints(centres);
  const bool are_many = kinds.size() > 3000;
  const auto sphere = vtkSmartPointer<vtkSphereSource>::New();
  sphere->SetRadius(radius);
  sphere->SetThetaResolution(are_many ? 8 : 20);
  sphere->SetPhiResolution(are_many ? 6 : 14);
  const auto glyphs = vtkSmartPointer<vtkGlyph3D>::New();
  glyphs->SetInputData(cloud);
  glyphs->SetSourceConnection(sphere->GetOutputPort());
  glyphs->ScalingOff();
  glyphs->Update();
  return glyphs->GetOutput();
}

/// A path without its zigzag from cell to cell; its ends stay.
std::vector<Vec3d> smooth(const Points& points, std::span<const VertexId> path) {
  std::vector<Vec3d> places;
  for (const VertexId v : path) places.push_back(points[v]);
  for (int pass = 0; pass < smoothing_passes; ++pass) {
    Vec3d before = places.front();
    for (std::size_t i = 1; i + 1 < places.size(); ++i) {
      const Vec3d moved = 0.25 * (before + 2.0 * places[i] + places[i + 1]);
      before = std::exchange(places[i], moved);
    }
  }
  return places;
}

vtkSmartPointer<vtkPolyData> make_lines(const PolyData& paths, const Array<int>& kinds, int kind) {
  const auto points = vtkSmartPointer<vtkPoints>::New();
  const auto lines = vtkSmartPointer<vtkCellArray>::New();
  const std::size_t first_line = paths.vertices.size();
  for (std::size_t i = 0; i < paths.lines.size(); ++i) {
    if (kinds[first_line + i] != kind || paths.lines[i].size() < 2) continue;
    const std::vector<Vec3d> places = smooth(paths.points, paths.lines[i]);
    lines->InsertNextCell(static_cast<int>(places.size()));
    for (const Vec3d p : places) lines->InsertCellPoint(points->InsertNextPoint(p.x, p.y, p.z));
  }
  const auto data = vtkSmartPointer<vtkPolyData>::New();
  data->SetPoints(points);
  data->SetLines(lines);
  return data;
}

vtkSmartPointer<vtkPolyData> make_tubes(const vtkSmartPointer<vtkPolyData>& lines, double radius) {
  const auto tubes = vtkSmartPointer<vtkTubeFilter>::New();
  tubes->SetInputData(lines);
  tubes->SetRadius(radius);
  tubes->SetNumberOfSides(10);
  tubes->CappingOn();
  tubes->Update();
  return tubes->GetOutput();
}

std::size_t count_of(const Array<int>& kinds, int kind) {
  return static_cast<std::size_t>(std::ranges::count(kinds, kind));
}

/// "saddle" where there is one kind only.
std::string name_of(const Kind& kind, const MarkOptions& options) {
  return options.dimension == 2 && &kind == &point_kinds[1] ? "saddle" : kind.name;
}

void add_points(std::vector<Mark>& marks, const PolyData& points, const MarkOptions& options, double radius) {
  const Array<int> kinds = find_point_kinds(points, options.dimension);
  for (int kind = 0; kind < static_cast<int>(point_kinds.size()); ++kind) {
    const Kind& own = point_kinds[static_cast<std::size_t>(kind)];
    const std::size_t number = count_of(kinds, kind);
    if (number == 0) continue;
    marks.push_back({make_spheres(points, kinds, kind, radius), own.color, name_of(own, options), number});
  }
}

void add_paths(std::vector<Mark>& marks, const PolyData& paths, const MarkOptions& options, double radius) {
  const Array<int> kinds = find_path_kinds(paths, options.dimension);
  const bool is_thin = paths.lines.corners.size() > most_tube_points;
  for (int kind = 0; kind < static_cast<int>(path_kinds.size()); ++kind) {
    const Kind& own = path_kinds[static_cast<std::size_t>(kind)];
    const std::size_t number = count_of(kinds, kind);
    if (number == 0 || (&own == &path_kinds[1] && !options.has_connectors)) continue;
    const auto lines = make_lines(paths, kinds, kind);
    marks.push_back(
        {is_thin ? lines : make_tubes(lines, radius), own.color, own.name, number, true, is_thin});
  }
}

}  // namespace

int guess_dimension(const MarkFiles& files) {
  const auto reaches = [](const FieldSet& fields, const char* name, int type) {
    const Field* field = fields.find(name);
    return field != nullptr && count_of(read_types(*field), type) > 0;
  };
  const bool is_solid = std::ranges::any_of(files.critical_points,
                                            [&](const PolyData& poly) {
                                              return reaches(poly.point_data, "CellDimension", 3) ||
                                                     reaches(poly.point_data, "CriticalType", 2);
                                            }) ||
                        std::ranges::any_of(files.separatrices, [&](const PolyData& poly) {
                          return reaches(poly.cell_data, "SeparatrixType", 2);
                        });
  return is_solid ? 3 : 2;
}

std::vector<Mark> make_marks(const MarkFiles& files, const MarkOptions& options) {
  std::vector<Mark> marks;
  std::size_t count = 0;
  for (const PolyData& points : files.critical_points) count += points.vertex_count();
  const double crowd = std::cbrt(std::min(1.0, few_marks / std::max(static_cast<double>(count), 1.0)));
  const double radius = sphere_share * options.diagonal * options.size * crowd;
  for (const PolyData& points : files.critical_points) add_points(marks, points, options, radius);
  for (const PolyData& paths : files.separatrices) add_paths(marks, paths, options, tube_share * radius);
  return marks;
}

}  // namespace tessera::cli
