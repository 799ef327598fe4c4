// Work: how much there is to do, and whether a GPU should do it.
//
//   const ts::DeviceChoice place = ts::choose_device(ts::morse_smale_work(mesh));
//   const auto complex = ts::morse_smale(mesh, "height", {.exec = place.exec});
#pragma once

#include <cstdint>
#include <string>

#include <tessera/core/memory.h>
#include <tessera/exec/exec.h>

namespace tessera {

/// What an operation would take, estimated from the size of its input. Operations that run on a device have
/// a function for it: critical_points_work(mesh).
struct Work {
  double host_seconds = 0;  ///< of one host thread
  Bytes device_bytes = 0;   ///< of a GPU's memory
  Bytes host_bytes = 0;     ///< of the host's memory beyond the input, at the peak, if the host does it
  Bytes thread_bytes = 0;   ///< more of it for each host thread

  [[nodiscard]] Bytes host_bytes_of(int threads) const {
    return host_bytes + static_cast<Bytes>(threads) * thread_bytes;
  }
};

/// `count` elements, each of which takes a host thread and the memory of a GPU so much.
[[nodiscard]] inline Work work_of(std::uint64_t count, double nanoseconds, Bytes device_bytes) {
  return {1e-9 * nanoseconds * static_cast<double>(count), device_bytes * count};
}

struct DeviceChoice {
  enum class Reason : std::uint8_t {
    worth_it,
    small,      ///< the host has done it before a GPU has started
    no_device,  ///< there is none that can be used
    too_large,  ///< for what is free on the device
  };
  Exec exec = Exec::host();
  Reason reason = Reason::small;
  std::string sentence;  ///< why the host; empty where a device was chosen
};

/// The first GPU if it pays and has room for the work, else host threads. `threads` as in Exec::host(),
/// `device_memory` as in Exec::with_memory_limit().
[[nodiscard]] DeviceChoice choose_device(const Work& work, int threads = 0, Bytes device_memory = 0);

}  // namespace tessera
