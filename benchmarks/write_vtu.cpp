// What does writing a compressed vtu file cost? zlib's levels on the arrays of a mesh, one block of 64 KiB
// after the other on one thread, and the whole writer, raw and compressed, on one thread and on several.
// Targets: at most 1.15 times the bytes of zlib's default level 6, and a sixth of its time on two threads.
//
//   write_vtu [THREADS] [--smoke]
#include <unistd.h>

#include <filesystem>
#include <numeric>

#include <zlib.h>

#include <tessera/core/random.h>
#include <tessera/io/io.h>
#include <tessera/mesh/make.h>

#include "measure.h"

namespace {

using namespace tessera;
using ByteSpan = std::span<const unsigned char>;

template <class Values>
ByteSpan bytes_of(const Values& values) {
  return {reinterpret_cast<const unsigned char*>(values.data()), values.size() * sizeof(values[0])};
}

/// How many bytes a level makes of the arrays.
std::uint64_t compress(const std::vector<ByteSpan>& arrays, int level) {
  constexpr std::size_t block_bytes = 1 << 16;
  std::vector<unsigned char> packed(compressBound(block_bytes));
  std::uint64_t total = 0;
  for (ByteSpan rest : arrays) {
    while (!rest.empty()) {
      const ByteSpan block = rest.first(std::min(block_bytes, rest.size()));
      uLongf size = packed.size();
      compress2(packed.data(), &size, block.data(), block.size(), level);
      total += size;
      rest = rest.subspan(block.size());
    }
  }
  return total;
}

/// Ends of the cells, as a vtu file has them.
Array<std::int32_t> list_ends(const TetMesh& mesh) {
  Array<std::int32_t> ends(mesh.cell_count());
  for (std::size_t i = 0; i < ends.size(); ++i) ends[i] = static_cast<std::int32_t>(4 * (i + 1));
  return ends;
}

/// The mesh with its points in a random order and its cells where they were.
TetMesh renumber(TetMesh mesh) {
  std::vector<std::uint32_t> order(mesh.vertex_count());
  std::iota(order.begin(), order.end(), 0U);
  SplitMix64 random(1);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  Array<VertexId> places(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) places[order[i]] = VertexId(i);
  mesh.points = mesh.points.gather(order);
  mesh.point_data = mesh.point_data.gather(order);
  for (TetMesh::Cell& cell : mesh.cells) {
    for (VertexId& v : cell) v = places[v.index()];
  }
  return mesh;
}

/// A variant whose result is a number of bytes, which its name tells.
bench::Variant make_variant(const std::string& name, const std::function<std::uint64_t()>& run) {
  return {name + ", " + std::to_string(run()) + " bytes", run};
}

int run(const TetMesh& mesh, const std::string& input, int threads, bool is_smoke,
        const std::filesystem::path& folder) {
  const Array<std::int32_t> ends = list_ends(mesh);
  std::vector<ByteSpan> arrays = {bytes_of(mesh.cells), bytes_of(ends),
                                  bytes_of(mesh.field("rough").as<float>())};
  mesh.points.visit([&](auto points) { arrays.push_back(bytes_of(points)); });

  std::vector<bench::Variant> variants;
  for (const int level : {6, 1, 2, 3, 4, 5}) {
    variants.push_back(
        make_variant("zlib level " + std::to_string(level), [&, level] { return compress(arrays, level); }));
  }
  const auto write = [&](bool is_compressed, int count) {
    const std::filesystem::path file = folder / (std::to_string(count) + (is_compressed ? "z" : "") + ".vtu");
    write_mesh(file, mesh, {.compress = is_compressed, .exec = Exec::host(count)});
    return std::uint64_t{std::filesystem::file_size(file)};
  };
  const std::string several = std::to_string(threads) + " threads";
  variants.push_back(make_variant("writer, raw", [&] { return write(false, 1); }));
  variants.push_back(make_variant("writer, zlib, 1 thread", [&] { return write(true, 1); }));
  variants.push_back(make_variant("writer, zlib, " + several, [&] { return write(true, threads); }));

  bench::Setup setup;
  setup.question = "write_vtu";
  setup.input = input;
  setup.items = mesh.cell_count();
  setup.bytes = mesh.bytes();
  setup.threads = threads;
  setup.repeats = is_smoke ? 1 : 7;
  const auto timings = bench::compare(setup, variants);
  const std::size_t last = timings.size() - 1;
  return timings[last].checksum == timings[last - 1].checksum ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::string folder = (std::filesystem::temp_directory_path() / "tessera-write-vtu-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return 1;
  const int threads = Exec::host(bench::threads_argument(argc, argv)).threads();
  const bool is_smoke = bench::is_smoke(argc, argv);
  TetMesh mesh = make_kuhn(is_smoke ? 12 : 64);
  mesh.point_data.add(make_wave_field(mesh.points, WaveField::rough));
  const std::string name = is_smoke ? "kuhn12" : "kuhn64";
  const int status = run(mesh, name, threads, is_smoke, folder) |
                     run(renumber(mesh), name + " renumbered", threads, is_smoke, folder);
  std::filesystem::remove_all(folder);
  return status;
}
