// The fields of the test meshes: seeded waves, a distance, and waves with noise like a scanner's.
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <tessera/core/random.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/for_each.h>
#include <tessera/mesh/make.h>

namespace tessera {

using namespace detail;
namespace {

constexpr double two_pi = 2 * std::numbers::pi;
constexpr int wave_count = 20;

struct Wave {
  Vec3d frequency;
  double phase;
  double amplitude;
};

std::array<Wave, wave_count> make_waves(std::uint64_t seed, double frequency) {
  SplitMix64 random(seed);
  std::array<Wave, wave_count> waves{};
  for (Wave& wave : waves) {  // the order of the draws defines the field
    wave.frequency.x = frequency * (2 * random.uniform() - 1);
    wave.frequency.y = frequency * (2 * random.uniform() - 1);
    wave.frequency.z = frequency * (2 * random.uniform() - 1);
    wave.phase = two_pi * random.uniform();
    wave.amplitude = 0.5 + random.uniform();
  }
  return waves;
}

/// Noise in [-1, 1) that depends on the position alone, so that it survives renumbering.
double positional_noise(Vec3d p, std::uint64_t seed) {
  constexpr double cells = 1 << 20;
  // Through a signed integer: points may lie outside the unit cube.
  const auto cell = [](double x) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor(x * cells))) & 0x1FFFFF;
  };
  const std::uint64_t bits = cell(p.x) | cell(p.y) << 21 | cell(p.z) << 42;
  return 2 * unit_interval(splitmix64(seed * 1000003ull + bits)) - 1;
}

}  // namespace

Field make_wave_field(const Points& points, WaveField kind, const Exec& exec) {
  constexpr std::uint64_t seed = 42;
  const bool rough = kind == WaveField::rough;
  const auto waves = make_waves(seed, rough ? 12.0 : 2.5);
  Array<float> values(points.size());
  points.visit([&](auto coordinates) {
    host_for_each(exec, values.size(), [&](std::size_t v) {
      const Vec3d p = vec_cast<double>(coordinates[v]);
      double sum = 0;
      for (const Wave& wave : waves) {
        const double along = wave.frequency.x * p.x + wave.frequency.y * p.y + wave.frequency.z * p.z;
        sum += wave.amplitude * std::sin(two_pi * along + wave.phase);
      }
      if (rough) sum += 0.30 * positional_noise(p, seed);
      values[v] = static_cast<float>(sum);
    });
  });
  return {rough ? "rough" : "smooth", std::move(values)};
}

Field make_sphere_field(const Grid& grid, const Exec& exec) {
  Array<float> values(grid.vertex_count());
  const auto [nx, ny, nz] = grid.dims;
  host_for_each(exec, values.size(), [&, nx = nx, ny = ny](std::size_t v) {
    const double x = static_cast<double>(v % nx) * grid.spacing.x - 0.5001;
    const double y = static_cast<double>(v / nx % ny) * grid.spacing.y - 0.5003;
    const double z = static_cast<double>(v / nx / ny) * grid.spacing.z - 0.5007;
    values[v] = static_cast<float>(std::sqrt(x * x + y * y + z * z));
  });
  return {"sphere", std::move(values)};
}

Field make_mri_field(const Grid& grid, const Exec& exec) {
  constexpr double frequency = 10.0;
  constexpr double noise = 0.25;
  const std::size_t nx = grid.dims[0];
  const std::size_t ny = grid.dims[1];
  std::array<Wave, wave_count> waves{};
  std::vector<double> sin_x(wave_count * nx);  // sin(a + b) is split so that rows need no sines
  std::vector<double> cos_x(wave_count * nx);
  for (std::uint64_t m = 0; m < wave_count; ++m) {
    const auto draw = [&](std::uint64_t axis) { return (2 * uniform01(42, 4 * m + axis) - 1) * frequency; };
    waves[m] = {{draw(0), draw(1), draw(2)}, two_pi * uniform01(42, 4 * m + 3), 1};
    for (std::size_t i = 0; i < nx; ++i) {
      const double angle = two_pi * waves[m].frequency.x * (static_cast<double>(i) * grid.spacing.x);
      sin_x[m * nx + i] = std::sin(angle);
      cos_x[m * nx + i] = std::cos(angle);
    }
  }
  const double amplitude = 1.0 / std::sqrt(static_cast<double>(wave_count));
  Array<float> values(grid.vertex_count());
  host::for_each_chunk(exec.threads(), values.size() / nx, 16, [&](host::Range rows, int) {
    std::vector<double> sum(nx);
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
      std::fill(sum.begin(), sum.end(), 0.0);
      const double y = static_cast<double>(row % ny) * grid.spacing.y;
      const double z = static_cast<double>(row / ny) * grid.spacing.z;
      for (std::size_t m = 0; m < wave_count; ++m) {
        const Wave& wave = waves[m];
        const double b = two_pi * (wave.frequency.y * y + wave.frequency.z * z) + wave.phase;
        const double sin_b = std::sin(b);
        const double cos_b = std::cos(b);
        for (std::size_t i = 0; i < nx; ++i) sum[i] += sin_x[m * nx + i] * cos_b + cos_x[m * nx + i] * sin_b;
      }
      for (std::size_t i = 0; i < nx; ++i) {
        const std::size_t v = row * nx + i;
        values[v] = static_cast<float>(amplitude * sum[i] + noise * (2 * uniform01(7, v) - 1));
      }
    }
  });
  return {"mri", std::move(values)};
}

}  // namespace tessera
