// What do queries on a surface cost on a GPU, and what does it cost to get there?
//   build/release/benchmarks/queries_cuda [--smoke] [INPUT (surfaces.h) [launches a measurement]]
// A function writes the rows it gets. Each query is timed with the rows it reads in place, which is how it
// runs from the second time on; making them is timed apart ("make"), and so is building the surface, from
// arrays of the device and of the host, with all that a first query needs. `bytes` are those of the rows,
// read once and written once. "half_edge" walks around vertices on an index-based half-edge structure of
// arrays, as the thesis compares with.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <tessera/core/hash.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/attribute.h>
#include <tessera/surface/surface.cuh>

#include "measure.h"
#include "surfaces.h"

namespace {

using namespace tessera;
using std::size_t;
using std::uint32_t;
using std::uint64_t;

int launches = 20;

bench::Setup setup_of(const std::string& question, const std::string& input, size_t items, uint64_t bytes,
                      const Exec& exec) {
  return {question, input, items, bytes, exec.description(), 1, 9};
}

/// The time of one launch of work that is queued many times.
void time_launches(const bench::Setup& setup, const std::string& name, const Exec& exec,
                   const std::function<void()>& launch, const std::function<uint64_t()>& checksum) {
  std::vector<double> times;
  launch();
  for (int round = 0; round < setup.repeats; ++round) {
    synchronize(exec);
    times.push_back(bench::seconds_of([&] {
                      for (int i = 0; i < launches; ++i) launch();
                      synchronize(exec);
                    }) /
                    launches);
  }
  std::sort(times.begin(), times.end());
  bench::print(setup, {name, times[times.size() / 2], times.front(), times.back(), 0, checksum()});
}

uint64_t hash_of(const Buffer<uint32_t>& values) {
  const Array<uint32_t> host = values.to_host();
  return hash_values(std::span<const uint32_t>(host));
}

/// Entry k of all rows, then entry k + 1, as structures of arrays lie: what neighbouring threads write is
/// together.
template <class R>
void write_planes(const Surface& surface, uint32_t* out) {
  using Entry = typename R::TiledEntry;
  const size_t n = surface.count(R::from);
  for_each<R>(
      surface, TS_LAMBDA(typename R::TiledRow id, IdSpan<Entry> row) {
        for (size_t k = 0; k < row.size(); ++k) out[k * n + id.index()] = row[k].index();
      });
}
/// Row by row where the rows lie, so that what is written is what was read.
template <class R>
void write_rows(const Surface& surface, const uint32_t* values, uint32_t* out) {
  using Entry = typename R::TiledEntry;
  for_each<R>(
      surface, TS_LAMBDA(typename R::TiledRow, IdSpan<Entry> row) {
        uint32_t* to = out + (row.data() - values);
        for (size_t k = 0; k < row.size(); ++k) to[k] = row[k].index();
      });
}

template <class R>
void time_query(const Surface& surface, const std::string& name, const std::string& input) {
  const Exec& exec = surface.exec();
  const auto rows = surface.rows<R>();
  const SurfaceRows<R> view = rows.template get<R>();
  uint64_t entries = uint64_t{SurfaceRows<R>::width} * view.size();
  uint64_t bytes = 0;
  if (SurfaceRows<R>::width == 0) {
    uint32_t last = 0;
    detail::copy(exec, &last, view.offsets() + view.size(), 4, detail::CopyKind::to_host);
    entries = last;
    bytes = 4 * (view.size() + 1);
  }
  bytes += 8 * entries;
  Buffer<uint32_t> out(exec, entries);
  time_launches(
      setup_of("query_" + name, input, view.size(), bytes, exec), "rows", exec,
      [&] { write_rows<R>(surface, view.values(), out.data()); }, [&] { return hash_of(out); });
  uint32_t longest = SurfaceRows<R>::width;
  if (longest == 0) {
    Array<uint32_t> offsets(view.size() + 1);
    detail::copy(exec, offsets.data(), view.offsets(), 4 * offsets.size(), detail::CopyKind::to_host);
    for (size_t i = 0; i < view.size(); ++i) longest = std::max(longest, offsets[i + 1] - offsets[i]);
  }
  Buffer<uint32_t> planes(exec, longest * view.size());
  time_launches(
      setup_of("query_" + name, input, view.size(), bytes, exec), "planes", exec,
      [&] { write_planes<R>(surface, planes.data()); }, [] { return uint64_t{0}; });
}

struct HalfEdges {
  Buffer<uint32_t> target;  ///< by half-edge: the vertex it leads to
  Buffer<uint32_t> twin;
  Buffer<uint32_t> of_vertex;  ///< one that leads away
};

/// Half-edge 3 f + k leads from corner k of face f to the next. Nothing for surfaces that are not closed, or
/// so large that the host would sort their sides for long.
std::optional<HalfEdges> make_half_edges(const Exec& exec, const TriMesh& mesh) {
  if (mesh.cell_count() > 8'000'000) return std::nullopt;
  const size_t n = 3 * mesh.cell_count();
  std::vector<std::pair<uint64_t, uint32_t>> sides(n);
  Array<uint32_t> target(n);
  Array<uint32_t> twin(n);
  Array<uint32_t> of_vertex(mesh.vertex_count());
  for (uint32_t h = 0; h < n; ++h) {
    const uint32_t from = mesh.cells[h / 3][h % 3].index();
    target[h] = mesh.cells[h / 3][(h % 3 + 1) % 3].index();
    sides[h] = {uint64_t{std::min(from, target[h])} << 32 | std::max(from, target[h]), h};
    of_vertex[from] = h;
  }
  std::sort(sides.begin(), sides.end());
  for (size_t i = 0; i < n; i += 2) {
    const bool is_pair = i + 1 < n && sides[i].first == sides[i + 1].first;
    if (!is_pair || (i + 2 < n && sides[i].first == sides[i + 2].first)) return std::nullopt;
    twin[sides[i].second] = sides[i + 1].second;
    twin[sides[i + 1].second] = sides[i].second;
  }
  return HalfEdges{Buffer<uint32_t>(exec, std::span<const uint32_t>(target)),
                   Buffer<uint32_t>(exec, std::span<const uint32_t>(twin)),
                   Buffer<uint32_t>(exec, std::span<const uint32_t>(of_vertex))};
}

void time_half_edges(const TriMesh& mesh, const std::string& input, const Exec& exec) {
  const std::optional<HalfEdges> half = make_half_edges(exec, mesh);
  if (!half) return;
  const Surface surface(mesh, {.exec = exec, .order = VertexOrder::input});
  const auto rows = surface.rows<VV>();
  const size_t entries = 6 * mesh.cell_count() / 2;
  Buffer<uint32_t> out(exec, entries);
  const uint32_t* target = half->target.data();
  const uint32_t* twin = half->twin.data();
  const uint32_t* of_vertex = half->of_vertex.data();
  const uint32_t* offsets = rows.get<VV>().offsets();
  uint32_t* to = out.data();
  const auto launch = [&] {
    for_each(
        exec, mesh.vertex_count(), TS_LAMBDA(size_t v) {
          const uint32_t first = of_vertex[v];
          uint32_t h = first;
          uint32_t at = offsets[v];
          do {
            to[at++] = target[h];
            const uint32_t back = twin[h];
            h = back % 3 == 2 ? back - 2 : back + 1;
          } while (h != first);
        });
  };
  time_launches(setup_of("query_VV", input, mesh.vertex_count(), 8 * entries, exec), "half_edge", exec,
                launch, [&] { return hash_of(out); });
}

/// The mesh in the order of its tiles.
TriMesh make_sorted(const TriMesh& mesh) {
  const Surface surface(mesh);
  const auto to_input = surface.to_input(Kind::vertex);
  const auto rows = surface.rows<OrientedFV>();
  const SurfaceRows<OrientedFV> corners = rows.get<OrientedFV>();
  TriMesh sorted;
  sorted.points = to_input.empty() ? mesh.points : mesh.points.gather(to_input);
  sorted.cells.resize(mesh.cell_count());
  for (uint32_t f = 0; f < mesh.cell_count(); ++f) {
    const auto c = corners[tiled::FaceId(f)];
    sorted.cells[f] = {VertexId(c[0].index()), VertexId(c[1].index()), VertexId(c[2].index())};
  }
  return sorted;
}

/// Vertex normals in one function, and in two over normals of faces.
void time_normals(const Surface& surface, const std::string& input) {
  const Exec& exec = surface.exec();
  const auto position = positions<float>(surface);
  VertexAttribute<Vec3f> normal(surface);
  FaceAttribute<Vec3f> area(surface);
  const auto p = position.view();
  const auto n = normal.view();
  const auto a = area.view();
  const auto kept = surface.rows<OrientedFV>();
  const SurfaceRows<OrientedFV> corners = kept.get<OrientedFV>();
  const bench::Setup setup = setup_of("vertex_normals", input, surface.vertex_count(),
                                      12 * surface.face_count() + 24 * surface.vertex_count(), exec);
  const auto checksum = [&] {
    const Array<Vec3f> values = normal.values();
    return hash_values(std::span<const Vec3f>(values));
  };
  time_launches(
      setup, "one_function", exec,
      [&] {
        for_each<VF>(
            surface, TS_LAMBDA(tiled::VertexId v, IdSpan<tiled::FaceId> faces) {
              Vec3f sum = {0, 0, 0};
              for (const tiled::FaceId f : faces) {
                const auto c = corners[f];
                const Vec3f at = p[c[0]];
                sum = sum + cross(p[c[1]] - at, p[c[2]] - at);
              }
              const float size = length(sum);
              n[v] = size > 0 ? (1 / size) * sum : sum;
            });
      },
      checksum);
  time_launches(
      setup, "two_functions", exec,
      [&] {
        for_each<OrientedFV>(
            surface, TS_LAMBDA(tiled::FaceId f, IdSpan<tiled::VertexId> c) {
              const Vec3f at = p[c[0]];
              a[f] = cross(p[c[1]] - at, p[c[2]] - at);
            });
        for_each<VF>(
            surface, TS_LAMBDA(tiled::VertexId v, IdSpan<tiled::FaceId> faces) {
              Vec3f sum = {0, 0, 0};
              for (const tiled::FaceId f : faces) sum = sum + a[f];
              const float size = length(sum);
              n[v] = size > 0 ? (1 / size) * sum : sum;
            });
      },
      checksum);
}

template <class R>
void time_making(const TriMesh& mesh, const std::string& name, const std::string& input, const Exec& exec) {
  std::vector<double> times;
  Bytes rows = 0;
  for (int round = 0; round < 6; ++round) {
    const Surface surface(mesh, {.exec = exec});
    synchronize(exec);
    const double seconds = bench::seconds_of([&] {
      (void)surface.rows<R>();
      synchronize(exec);
    });
    if (round > 0) times.push_back(seconds);
    rows = surface.bytes().rows;
  }
  std::sort(times.begin(), times.end());
  bench::print(setup_of("make_" + name, input, mesh.cell_count(), rows, exec),
               {"rows", times[2], times.front(), times.back(), 0, 0});
}

void time_building(const TriMesh& mesh, const std::string& input, const Exec& exec) {
  const bench::Setup setup = setup_of("build", input, mesh.cell_count(), mesh.bytes(), exec);
  SurfaceBytes bytes;
  const auto finish = [&](const Surface& surface) {
    (void)surface.rows<VV, VF, FV>();
    synchronize(exec);
    bytes = surface.bytes();
    return uint64_t{surface.face_count()};
  };
  mesh.points.visit([&](auto points) {
    using Point = std::remove_const_t<typename decltype(points)::element_type>;
    const Buffer<Point> place(exec, points);
    const Buffer<TriMesh::Cell> cells(exec, std::span<const TriMesh::Cell>(mesh.cells));
    const ResidentMesh<2, decltype(Point::x)> resident = {place.span(), cells.span()};
    bench::compare(setup,
                   {{"structure_from_device",
                     [&] {
                       const Surface surface(resident, {.exec = exec});
                       synchronize(exec);
                       return uint64_t{surface.face_count()};
                     }},
                    {"from_device_with_VV_VF_FV", [&] { return finish(Surface(resident, {.exec = exec})); }},
                    {"structure_from_host",
                     [&] {
                       const Surface surface(mesh, {.exec = exec});
                       synchronize(exec);
                       return uint64_t{surface.face_count()};
                     }},
                    {"from_host_with_VV_VF_FV", [&] { return finish(Surface(mesh, {.exec = exec})); }}});
  });
  const double faces = static_cast<double>(mesh.cell_count());
  std::fprintf(stderr, "%s: structure %.2f bytes a face, input ids %.2f, edges VV VF FV %.2f\n",
               input.c_str(), static_cast<double>(bytes.structure) / faces,
               static_cast<double>(bytes.input_ids) / faces, static_cast<double>(bytes.rows) / faces);
}

void run(const TriMesh& mesh, const std::string& input, const Exec& exec) {
  time_building(mesh, input, exec);
  time_making<VF>(mesh, "VF", input, exec);
  time_making<VV>(mesh, "VV", input, exec);
  time_making<EF>(mesh, "EF", input, exec);
  const Surface surface(mesh, {.exec = exec});
  time_query<VV>(surface, "VV", input);
  time_query<VE>(surface, "VE", input);
  time_query<VF>(surface, "VF", input);
  time_query<EV>(surface, "EV", input);
  time_query<EF>(surface, "EF", input);
  time_query<EE>(surface, "EE", input);
  time_query<FV>(surface, "FV", input);
  time_query<FE>(surface, "FE", input);
  time_query<FF>(surface, "FF", input);
  time_query<CyclicVV>(surface, "cyclic_VV", input);
  time_query<Diamond>(surface, "diamond", input);
  time_normals(surface, input);
  time_half_edges(mesh, input, exec);
}

}  // namespace

int main(int argc, char** argv) {
  const bool smoke = argc > 1 && std::string(argv[1]) == "--smoke";
  const int skip = smoke ? 1 : 0;
  const std::string name = argc > 1 + skip ? argv[1 + skip] : smoke ? "ico3" : "ico8";
  launches = argc > 2 + skip ? std::atoi(argv[2 + skip]) : smoke ? 2 : 50;
  if (devices().empty()) {
    std::fprintf(stderr, "no GPU: %s\n", no_device_reason().c_str());
    return 0;
  }
  const Exec exec = Exec::cuda();
  const TriMesh mesh = bench::make_surface(name);
  run(mesh, name, exec);
  run(make_shuffled(mesh), name + " shuffled", exec);
  time_half_edges(make_sorted(mesh), name + " sorted", exec);
  return 0;
}
