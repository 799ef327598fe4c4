// tessera devices: where the work can run, and what this build is.
#include <fmt/format.h>

#include <fstream>
#include <thread>

#include <tessera/core/config.h>

#include "application/text.h"
#include "application/verb.h"

namespace tessera::cli {
namespace {

#ifdef VTK_VERSION
constexpr std::string_view vtk_version = VTK_VERSION;
#else
constexpr std::string_view vtk_version;  // nothing is drawn
#endif

struct DevicesOptions {};

/// The processor's name as Linux tells it.
std::string find_cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

/// The machine's memory in bytes, or 0 if Linux does not tell.
Bytes find_memory_total() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("MemTotal:")) return std::stoull(line.substr(line.find(':') + 1)) * 1024;
  }
  return 0;
}

Json describe_device(const DeviceInfo& device) {
  return {{"index", device.index},
          {"name", device.name},
          {"compute_capability", fmt::format("{}.{}", device.compute_major, device.compute_minor)},
          {"multiprocessors", device.multiprocessors},
          {"memory_total", device.memory_total},
          {"memory_free", device.memory_free}};
}

Json describe_build() {
  return {{"version", version},
          {"compiler", __VERSION__},
          {"cuda", built_with_cuda},
          {"vtk", vtk_version.empty() ? Json() : Json(vtk_version)}};
}

void declare_devices(OptionList&, DevicesOptions&) {}

int run_devices(Session& session, const DevicesOptions&) {
  const std::string model = find_cpu_model();
  const unsigned threads = std::thread::hardware_concurrency();
  const Bytes memory = find_memory_total();
  const std::vector<DeviceInfo> gpus = devices();
  Json& result = session.result();
  result["cpu"] = {{"model", model}, {"threads", threads}, {"memory_total", memory}};
  result["cuda"] = Json::array();
  result["no_cuda_reason"] = gpus.empty() ? Json(no_device_reason()) : Json();
  result["build"] = describe_build();

  Table table({Align::left, Align::left});
  table.add(
      {"cpu", fmt::format("{}, {}, {}", model, counted(threads, "thread", "threads"), format_bytes(memory))});
  for (const DeviceInfo& gpu : gpus) {
    result["cuda"].push_back(describe_device(gpu));
    table.add({fmt::format("cuda:{}", gpu.index),
               fmt::format("{}, compute {}.{}, {} multiprocessors, {} free of {}", gpu.name,
                           gpu.compute_major, gpu.compute_minor, gpu.multiprocessors,
                           format_bytes(gpu.memory_free), format_bytes(gpu.memory_total))});
  }
  if (gpus.empty()) table.add({"cuda", "none: " + no_device_reason()});
  table.add(
      {"build", fmt::format("tessera {}, g++ {}, {} CUDA, {}", version, __VERSION__,
                            built_with_cuda ? "with" : "without",
                            vtk_version.empty() ? "without pictures" : fmt::format("VTK {}", vtk_version))});
  session.print("{}", table.text());
  return 0;
}

}  // namespace

Verb devices_verb() {
  return define_verb<DevicesOptions>(
      {"devices", Group::look, "the processors and GPUs there are, and what this build is",
       "  tessera devices\n"
       "  tessera devices --json - | jq .result.cuda"},
      declare_devices, run_devices);
}

}  // namespace tessera::cli
