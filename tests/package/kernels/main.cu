// A user's kernels: one function over every relation of triangles and tetrahedra, on the host and on a GPU,
// hashed and compared; two relations at once, some of the elements, a star of 10,000 neighbours, and normals
// in floats.
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include <tessera/core/id.h>
#include <tessera/exec/buffer.h>
#include <tessera/mesh/make.h>
#include <tessera/tile/links.h>
#include <tessera/tile/push.cuh>

namespace ts = tessera;

namespace {

int failures = 0;

/// The sum of the hashes of all elements with their rows.
template <class R, int Dim>
std::uint64_t hash_rows(const ts::TiledMesh<Dim>& tiles, const ts::PushOptions<Dim>& options,
                        std::size_t elements) {
  using Row = typename R::TiledRow;
  using Entry = typename R::TiledEntry;
  const std::vector<std::uint64_t> zeros(elements, 0);
  ts::Buffer<std::uint64_t> hashes(options.exec, std::span(zeros));
  std::uint64_t* out = hashes.data();
  ts::for_each<R>(
      tiles, options, TS_LAMBDA(Row id, ts::IdSpan<Entry> row) {
        std::uint64_t hash = 1 + row.size();
        for (const Entry entry : row) hash = 0x9E3779B97F4A7C15u * (hash + entry.index()) ^ hash >> 29;
        out[id.index()] = hash * (id.index() + 1);
      });
  std::uint64_t sum = 0;
  for (const std::uint64_t hash : hashes.to_host()) sum += hash;
  return sum;
}

template <class R, int Dim>
void compare(const ts::TiledMesh<Dim>& tiles, std::size_t elements, const std::string& what) {
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t i = 0; i < elements; i += 1 + i % 13) chosen.push_back(i);
  const std::span<const std::uint32_t> active(chosen);
  const auto host = ts::Exec::host();
  const auto device = ts::Exec::cuda();
  const bool is_equal =
      hash_rows<R>(tiles, ts::PushOptions<Dim>{.exec = host}, elements) ==
          hash_rows<R>(tiles, ts::PushOptions<Dim>{.exec = device}, elements) &&
      hash_rows<R>(tiles, ts::PushOptions<Dim>{.exec = host, .active = active}, elements) ==
          hash_rows<R>(tiles, ts::PushOptions<Dim>{.exec = device, .active = active}, elements);
  if (is_equal) return;
  std::cout << what << " differs\n";
  ++failures;
}

template <int Dim>
void compare_all(const ts::SimplexMesh<Dim>& mesh, const std::string& name, bool is_huge = false) {
  const ts::TiledMesh<Dim> tiles = ts::tile(mesh);
  const auto enumeration = ts::Enumeration<Dim>::make_explicit(tiles);
  ts::for_each_relation<Dim>([&](auto relation, std::string_view relation_name) {
    using R = decltype(relation);
    if (is_huge && R::is_adjacency && R::from != ts::Kind::vertex) return;
    const std::size_t elements = R::from == ts::Kind::vertex        ? mesh.vertex_count()
                                 : static_cast<int>(R::from) == Dim ? mesh.cell_count()
                                 : R::from == ts::Kind::edge        ? enumeration.edge_count()
                                                                    : enumeration.face_count();
    compare<R>(tiles, elements, name + " " + std::string(relation_name));
  });
}

ts::TriMesh make_fan(std::uint32_t n) {
  ts::TriMesh fan;
  ts::Array<ts::Vec3f> points(n + 1);
  for (std::uint32_t i = 0; i <= n; ++i)
    points[i] = {static_cast<float>(i % 100), static_cast<float>(i / 100), 0};
  fan.points = std::move(points);
  for (std::uint32_t i = 1; i <= n; ++i)
    fan.cells.push_back({ts::VertexId(0), ts::VertexId(i), ts::VertexId(i == n ? 1 : i + 1)});
  return fan;
}

/// Normals of vertices, from the corners of the faces around them: two relations in two walks.
std::vector<float> compute_normals(const ts::TriMesh& mesh, const ts::TiledMesh<2>& tiles,
                                   const ts::Exec& exec) {
  std::vector<ts::Vec3f> points;
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v)
    points.push_back(ts::vec_cast<float>(mesh.points[tiles.input(ts::tiled::VertexId(v))]));
  const ts::Buffer<ts::Vec3f> place(exec, std::span<const ts::Vec3f>(points));
  ts::Buffer<ts::Vec3f> of_face(exec, mesh.cell_count());
  ts::Buffer<ts::Vec3f> of_vertex(exec, mesh.vertex_count());
  const ts::Vec3f* p = place.data();
  ts::Vec3f* n = of_face.data();
  ts::Vec3f* out = of_vertex.data();
  ts::for_each<ts::OrientedFV>(
      tiles, {.exec = exec}, TS_LAMBDA(ts::tiled::FaceId f, ts::IdSpan<ts::tiled::VertexId> c) {
        const ts::Vec3f a = p[c[0].index()];
        n[f.index()] = ts::cross(p[c[1].index()] - a, p[c[2].index()] - a);
      });
  ts::for_each<ts::VF>(
      tiles, {.exec = exec}, TS_LAMBDA(ts::tiled::VertexId v, ts::IdSpan<ts::tiled::FaceId> faces) {
        ts::Vec3f sum = {0, 0, 0};
        for (const ts::tiled::FaceId f : faces) sum = sum + n[f.index()];
        out[v.index()] = sum;
      });
  std::vector<float> values;
  for (const ts::Vec3f& n : of_vertex.to_host()) values.insert(values.end(), {n.x, n.y, n.z});
  return values;
}

}  // namespace

int main() {
  if (ts::devices().empty()) {
    std::cout << "no device: " << ts::no_device_reason() << '\n';
    return 77;
  }
  compare_all(ts::make_shuffled(ts::make_kuhn(12)), "tetrahedra");
  const ts::TriMesh torus = ts::make_shuffled(ts::make_torus(80, 41));
  compare_all(torus, "triangles");
  compare_all(make_fan(10000), "fan", true);
  const ts::TiledMesh<2> tiles = ts::tile(torus);
  compare<ts::CyclicVV>(tiles, torus.vertex_count(), "rings");
  if (compute_normals(torus, tiles, ts::Exec::host()) != compute_normals(torus, tiles, ts::Exec::cuda())) {
    std::cout << "normals differ\n";
    ++failures;
  }
  if (failures == 0) std::cout << "16 + 9 relations, rings and normals are equal on both sides\n";
  return failures == 0 ? 0 : 1;
}
