#include <cmath>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/exec/for_each.h>
#include <tessera/generate/interpolate.h>
#include <tessera/generate/isosurface.h>
#include <tessera/generate/key_reduce.h>
#include <tessera/generate/surface_parts.h>
#include <tessera/generate/tet_surface.h>

namespace tessera {
namespace {

template <class T>
Array<std::uint8_t> marks_of(std::span<const T> values, const Isovalue<T>& isovalue, const Exec& exec) {
  Array<std::uint8_t> marks(values.size());
  const T threshold = isovalue.threshold;
  const std::uint8_t high = isovalue.never ? low_mark : high_mark;
  host::for_each_share(exec.threads(), values.size(), [&](host::Range range) {
    for (std::size_t v = range.begin; v < range.end; ++v) {
      const T value = values[v];
      marks[v] = value >= threshold ? high : value == value ? low_mark : nan_mark;
    }
  });
  return marks;
}

/// The mean of the field's gradients in the tets around each point, weighted by volume; what is NaN does not
/// count.
template <class T>
Array<Vec3d> point_gradients(const TetMesh& mesh, std::span<const T> values, const Exec& exec) {
  const auto around = vertex_incidence<TetId, 4>(mesh.cells, mesh.vertex_count(), exec);
  Array<Vec3d> gradients(mesh.vertex_count());
  mesh.points.visit([&](auto points) {
    // Six times the volume times the gradient, with the sign of the volume taken out.
    const auto weighted = [&](const TetMesh::Cell& tet) {
      const auto at = [&](int c) { return vec_cast<double>(points[tet[c].index()]); };
      const auto rise = [&](int c) {
        return static_cast<double>(values[tet[c].index()]) - static_cast<double>(values[tet[0].index()]);
      };
      const Vec3d a = at(1) - at(0);
      const Vec3d b = at(2) - at(0);
      const Vec3d c = at(3) - at(0);
      const Vec3d sum = rise(1) * cross(b, c) + rise(2) * cross(c, a) + rise(3) * cross(a, b);
      return dot(cross(a, b), c) < 0 ? -1.0 * sum : sum;
    };
    host_for_each(exec, gradients.size(), [&](std::size_t v) {
      Vec3d sum = {0, 0, 0};
      for (const TetId t : around[VertexId(static_cast<std::uint32_t>(v))]) {
        const Vec3d one = weighted(mesh[t]);
        if (std::isfinite(one.x + one.y + one.z)) sum = sum + one;
      }
      gradients[v] = sum;
    });
  });
  return gradients;
}

/// Appends the vertices of a level: coordinates, normals, provenance.
template <class T, class Real>
class VertexWriter {
 public:
  VertexWriter(std::span<const Vec3<Real>> from, std::span<const T> values, std::span<const Vec3d> gradients)
      : from_(from), values_(values), gradients_(gradients) {}

  void append(const TetLevel& level, const Isovalue<T>& isovalue, Provenance* provenance, const Exec& exec) {
    const std::size_t begin = points_.size();
    const std::size_t count = level.edges.size();
    points_.resize(begin + count);
    if (!gradients_.empty()) normals_.resize(3 * points_.size());
    if (provenance != nullptr) {
      provenance->edges.resize(points_.size());
      provenance->weights.resize(points_.size());
    }
    host_for_each(exec, count, [&](std::size_t i) {
      const std::uint32_t a = level.edges[i][0].index();
      const std::uint32_t b = level.edges[i][1].index();
      using Weight = WeightOf<T>;
      const Weight t =
          edge_weight(static_cast<Weight>(values_[a]), static_cast<Weight>(values_[b]), isovalue.value);
      const std::size_t v = begin + i;
      points_[v] = lerp(from_[a], from_[b], static_cast<Real>(t));
      if (!gradients_.empty()) {
        const Vec3f normal = unit_vector(-1.0 * lerp(gradients_[a], gradients_[b], static_cast<double>(t)));
        normals_[3 * v] = normal.x;
        normals_[3 * v + 1] = normal.y;
        normals_[3 * v + 2] = normal.z;
      }
      if (provenance == nullptr) return;
      provenance->edges[v] = {a, b};
      provenance->weights[v] = static_cast<double>(t);
    });
  }

  void move_to(TriMesh& mesh) {
    mesh.points = Points(std::move(points_));
    if (!gradients_.empty()) mesh.point_data.add(Field("Normals", std::move(normals_), 3));
  }
  [[nodiscard]] std::size_t size() const { return points_.size(); }

 private:
  std::span<const Vec3<Real>> from_;
  std::span<const T> values_;
  std::span<const Vec3d> gradients_;
  Array<Vec3<Real>> points_;
  Array<float> normals_;
};

/// Appends the triangles of a level, whose vertices come after `vertices` others.
void append_cells(TriMesh& mesh, TetLevel& level, std::size_t vertices, Provenance* provenance,
                  const Exec& exec) {
  const std::size_t begin = mesh.cell_count();
  if (begin == 0 && vertices == 0) {
    mesh.cells = std::move(level.cells);
  } else {
    mesh.cells.resize(begin + level.cells.size());
    host_for_each(exec, level.cells.size(), [&](std::size_t t) {
      for (int c = 0; c < 3; ++c) {
        mesh.cells[begin + t][c] = VertexId(level.cells[t][c].index() + static_cast<std::uint32_t>(vertices));
      }
    });
  }
  if (provenance == nullptr) return;
  provenance->cells.insert(provenance->cells.end(), level.tets.begin(), level.tets.end());
}

template <class T>
Isosurface tet_isosurface(const TetMesh& mesh, const Field& field, std::span<const double> isovalues,
                          const IsosurfaceOptions& options) {
  const std::span<const T> values = field.as<T>();
  const Exec& exec = options.exec;
  const auto report = [&](std::string_view stage, std::size_t level) {
    if (options.monitor == nullptr) return;
    options.monitor->update(stage, static_cast<double>(level) / static_cast<double>(isovalues.size()));
  };
  Isosurface surface;
  const bool records = needs_provenance(mesh.point_data, mesh.cell_data, field, options);
  Provenance* provenance = records ? &surface.provenance : nullptr;
  Array<Vec3d> gradients;
  if (options.normals == SurfaceNormals::gradient) gradients = point_gradients(mesh, values, exec);
  std::vector<std::size_t> ends;
  mesh.points.visit([&](auto points) {
    using Vector = typename decltype(points)::value_type;
    VertexWriter<T, decltype(Vector::x)> writer(points, values, gradients);
    for (std::size_t l = 0; l < isovalues.size(); ++l) {
      report("cutting tetrahedra", l);
      const auto isovalue = Isovalue<T>::of(isovalues[l]);
      TetLevel level = make_tet_level(mesh, marks_of(values, isovalue, exec), records, exec);
      if (writer.size() + level.edges.size() >= 0xFFFFFFFFull) {
        throw Error(ErrorCode::unsupported,
                    "the isosurfaces have more than 4294967294 vertices; make one at a time");
      }
      report("writing vertices", l);
      append_cells(surface.mesh, level, writer.size(), provenance, exec);
      writer.append(level, isovalue, provenance, exec);
      ends.push_back(writer.size());
    }
    writer.move_to(surface.mesh);
  });
  if (options.transfer_data) surface.mesh.point_data.add(isovalue_field(field, isovalues, ends, exec));
  if (options.merge_exact) merge_exact_vertices(surface, mesh.vertex_count(), exec);
  finish_surface(surface, mesh.point_data, mesh.cell_data, field, options);
  return surface;
}

}  // namespace

Isosurface isosurface(const TetMesh& mesh, const Field& field, std::span<const double> isovalues,
                      const IsosurfaceOptions& options) {
  expect_contourable(field, mesh.vertex_count(), isovalues);
  return field.visit([&](auto values) {
    return tet_isosurface<typename decltype(values)::value_type>(mesh, field, isovalues, options);
  });
}

}  // namespace tessera
