// What do the analyses of a grid cost on a GPU?
//   build/release/benchmarks/grids_cuda [--smoke] [n [FIELD [host]]]
// The grid has n^3 points (512) with a float32 FIELD: rough, smooth (waves) or mri. "resident" has the values
// on the device and leaves the result there; "from_host" begins and ends with host arrays. With "host" the
// host's own time stands beside it. "copy" is the floor: it reads the field once and writes it once. All must
// give the same.
#include <cstdio>
#include <string>
#include <vector>

#include <tessera/mesh/make.h>
#include <tessera/topology/detail/cuda/grid_analyses.h>
#include <tessera/topology/morse_smale.h>

#include "grid_fields.h"
#include "measure.h"

namespace {

using namespace tessera;
using namespace tessera::detail;
using std::uint64_t;

}  // namespace

int main(int argc, char** argv) {
  const bool smoke = bench::is_smoke(argc, argv);
  if (devices().empty()) {
    std::printf("no device: %s\n", no_device_reason().c_str());
    return 0;
  }
  const auto argument = [&](int i, const char* otherwise) {
    return !smoke && argc > i ? std::string(argv[i]) : std::string(otherwise);
  };
  const auto n = static_cast<std::uint32_t>(std::stoi(argument(1, smoke ? "24" : "512")));
  const std::string name = argument(2, "rough");
  const bool with_host = smoke || argument(3, "") == "host";
  const Exec device = Exec::cuda();
  const Exec host = Exec::host();
  const Grid grid = make_lattice(n, n, n);
  const Field field = bench::make_grid_field(grid, name);
  const GridLattice lattice(grid);
  const Monitor monitor;
  const Buffer<float> values(device, std::span<const float>(field.as<float>()));
  bool is_equal = true;
  const auto ask = [&](const std::string& question, std::vector<bench::Variant> variants, std::size_t alike) {
    const auto timings = bench::compare({.question = question,
                                         .input = std::to_string(n) + "^3 " + name,
                                         .items = grid.vertex_count(),
                                         .bytes = field.bytes(),
                                         .device = device.description(),
                                         .threads = host.threads(),
                                         .repeats = smoke ? 1 : 7},
                                        variants);
    for (std::size_t i = alike; i < timings.size(); ++i)
      is_equal = is_equal && timings[i].checksum == timings[alike].checksum;
  };
  {
    Buffer<float> other(device, values.size());
    ask("copy",
        {{"on_device",
          [&] {
            detail::copy(device, other.data(), values.data(), values.bytes(), CopyKind::on_device);
            synchronize(device);
            return uint64_t{0};
          }}},
        1);
  }
  const auto points = [&](const Exec& exec) {
    return bench::variant(
        exec.is_cuda() ? "from_host" : "host",
        [&, exec] { return critical_points(grid, field, {.exec = exec}); },
        [](const CriticalPoints& found) { return bench::hash_of(found); });
  };
  std::vector<bench::Variant> variants = {{"resident",
                                           [&] {
                                             const auto found = cuda::find_critical_points<3, float>(
                                                 lattice, values, monitor);
                                             synchronize(device);
                                             return uint64_t{found.points.size()};
                                           }},
                                          points(device)};
  if (with_host) variants.push_back(points(host));
  ask("grid_critical_points", variants, 1);

  constexpr std::size_t max_points = 600000000;  // gradients are made for 613 million
  if (grid.vertex_count() > max_points) return is_equal ? 0 : 1;
  const auto gradient = [&](const Exec& exec) {
    return bench::variant(
        exec.is_cuda() ? "from_host" : "host",
        [&, exec] { return compute_gradient<3>(grid, field, {.exec = exec}); },
        [](const Gradient<3>& made) { return bench::hash_of(made); });
  };
  const FieldOrder order(field, host);
  FieldOrderView order_on_device = order.view();
  order_on_device.values = reinterpret_cast<const std::uint32_t*>(values.data());
  variants = {{"resident",
               [&] {
                 const auto made = cuda::pair_grid<3>(lattice, order_on_device, device, monitor);
                 synchronize(device);
                 return uint64_t{made.critical.size()};
               }},
              gradient(device)};
  if (with_host) variants.push_back(gradient(host));
  ask("grid_gradient", variants, 1);
  std::printf("{\"question\":\"device_peak\",\"input\":\"%u^3 %s\",\"bytes\":%llu}\n", n, name.c_str(),
              static_cast<unsigned long long>(device_peak_bytes(device)));
  if (!is_equal) std::fprintf(stderr, "device and host have different results\n");
  return is_equal ? 0 : 1;
}
