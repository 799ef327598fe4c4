// A round is one kernel, in which eight threads share a vertex. Rounds are queued many at a time: a kernel
// knows from the device's memory how many vertices are active, and does nothing when there are none.
#include <tessera/surface/detail/cuda/fronts.h>

#include <algorithm>

#include <tessera/exec/detail/side.cuh>

namespace tessera::detail::cuda {
namespace {

constexpr unsigned threads_each = 8;  // most vertices have six triangles
constexpr unsigned relax_threads = 128;

template <class Real>
__device__ Front<Real> shuffled(unsigned mask, const Front<Real>& value, unsigned distance) {
  return {__shfl_xor_sync(mask, value.distance, distance), __shfl_xor_sync(mask, value.source, distance),
          __shfl_xor_sync(mask, value.round, distance)};
}

template <class Real>
__global__ void __launch_bounds__(relax_threads) relax_kernel(Relax<Real, true> round) {
  const std::uint32_t active = round.active();
  const Real threshold = round.threshold();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    round.prepare(threshold);
    if (active > 0) round.progress->rounds = round.round;
  }
  const unsigned lane = threadIdx.x % threads_each;
  const unsigned first = threadIdx.x % 32 - lane;
  const unsigned mask = ((1u << threads_each) - 1) << first;
  const std::uint32_t groups = gridDim.x * (relax_threads / threads_each);
  for (std::uint32_t i = (blockIdx.x * relax_threads + threadIdx.x) / threads_each; i < active; i += groups) {
    const std::uint32_t v = round.now[i];
    const Front<Real> before = round.from[v];
    const auto faces = round.faces_at[tiled::VertexId(v)];
    Front<Real> best = before;
    if (round.told[v] == round.round) {
      const auto news = round.news(v);
      for (std::size_t f = lane; f < news.size(); f += threads_each) best = round.across(v, news[f], best);
      __syncwarp(mask);
      if (lane == 0) round.drop_news(v);
      for (unsigned distance = threads_each / 2; distance > 0; distance /= 2)
        best = Relax<Real, true>::better(shuffled(mask, best, distance), best);
    }
    bool tells = false;
    if (lane == 0) tells = round.settle(v, before, best, threshold);
    tells = __shfl_sync(mask, tells ? 1 : 0, static_cast<int>(first)) != 0;
    if (tells) {
      const Real distance = round.improves(before, best) ? best.distance : before.distance;
      for (std::size_t f = lane; f < faces.size(); f += threads_each) round.tell(v, distance, faces[f]);
    }
    __syncwarp(mask);
  }
}

}  // namespace

template <class Real>
std::uint32_t run_fronts(const Exec& exec, const FrontJob<Real>& job, const Monitor& monitor) {
  constexpr std::uint32_t rounds_at_once = 64;
  return detail::run_fronts(DeviceSide{exec}, job, [&](const Relax<Real, true>& start) {
    const CurrentDevice current(exec);
    int multiprocessors = 0;
    check_cuda(exec, cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, exec.device()),
               "asking for its multiprocessors");
    const auto needed = static_cast<unsigned>(job.surface.vertex_count() * threads_each / relax_threads + 1);
    const unsigned blocks = std::min(needed, static_cast<unsigned>(8 * multiprocessors));
    Relax<Real, true> round = next_round<true>(start);
    for (;;) {
      for (std::uint32_t k = 0; k < rounds_at_once; ++k) {
        relax_kernel<<<blocks, relax_threads, 0, cuda_stream(exec)>>>(round);
        round = next_round<true>(round);
      }
      check_launch(exec, "relaxing geodesic distances");
      FrontProgress progress;
      detail::copy(exec, &progress, round.progress, sizeof(progress), CopyKind::to_host);
      monitor.update("running fronts", share_reached(progress, job.surface.vertex_count()));
      if (progress.rounds + 1 < round.round) return progress.rounds;
    }
  });
}

template std::uint32_t run_fronts<float>(const Exec&, const FrontJob<float>&, const Monitor&);
template std::uint32_t run_fronts<double>(const Exec&, const FrontJob<double>&, const Monitor&);

}  // namespace tessera::detail::cuda
