// Runs the real program in a folder of its own and collects what it says.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <tessera/core/memory.h>

namespace tessera::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

struct Outcome {
  int code = -1;  ///< the exit code, or 128 + the signal that ended it
  std::string out;
  std::string err;
  std::uint64_t peak = 0;  ///< bytes of memory that it held at most
};

/// A test with an empty folder, which is where the program runs; removed afterwards.
class ProgramTest : public testing::Test {
 protected:
  ProgramTest();
  ~ProgramTest() override;

  using Arguments = std::vector<std::string>;

  /// By how much the memory of the program itself differs from run to run, at most. A sanitizer takes memory
  /// of its own, some MiB more or less with the addresses that the run happens to get.
  static constexpr Bytes memory_noise = is_sanitized ? mib(8) : 0;

  /// Runs `tessera ARGUMENTS` to its end. `environment` entries are NAME=VALUE; NAME alone unsets it.
  Outcome run(const Arguments& arguments, const Arguments& environment = {}) const;
  /// The same, and the JSON object on its standard output, which must hold nothing else.
  nlohmann::json run_json(Arguments arguments, int expected_code = 0) const;

  /// Starts the program and leaves it running; end it with wait_for().
  pid_t start(const Arguments& arguments) const;
  /// Waits for the program's end and collects its exit code, and the most memory that it held.
  static int wait_for(pid_t child, std::uint64_t* peak = nullptr);

  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  /// The names in the folder, hidden ones too, less what the test keeps for itself.
  [[nodiscard]] std::vector<std::string> files() const;
  void write(const std::string& name, const std::string& content) const;
  [[nodiscard]] std::string read(const std::string& name) const;

 private:
  pid_t spawn(const Arguments& arguments, const Arguments& environment) const;

  std::filesystem::path folder_;
  std::filesystem::path log_folder_;
};

/// One sentence for the user: "tessera: ..." and nothing else.
void expect_one_sentence(const Outcome& outcome, int code, const std::vector<std::string>& parts);

}  // namespace tessera::test
