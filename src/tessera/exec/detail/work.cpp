#include <tessera/exec/work.h>

#include <tessera/core/error.h>
#include <tessera/exec/buffer.h>

namespace tessera {

DeviceChoice choose_device(const Work& work, int threads, Bytes device_memory) {
  using Reason = DeviceChoice::Reason;
  constexpr double start_seconds = 0.3;  // of a GPU with the first copies; part of it is asking for one
  const Exec host = Exec::host(threads);
  if (work.host_seconds / host.threads() < start_seconds) return {host, Reason::small, "the work is small"};
  const std::vector<DeviceInfo> found = devices();
  if (found.empty()) return {host, Reason::no_device, no_device_reason()};
  try {
    const Exec device = Exec::cuda(found.front().index, threads).with_memory_limit(device_memory);
    const Bytes free = device_available_bytes(device);
    if (work.device_bytes <= free) return {device, Reason::worth_it, {}};
    return {host, Reason::too_large,
            "the work takes " + format_bytes(work.device_bytes) + ", and " + found.front().name + " has " +
                format_bytes(free) + " free"};
  } catch (const Error& error) {  // somebody else has it to themselves
    return {host, Reason::no_device, error.what()};
  }
}

}  // namespace tessera
