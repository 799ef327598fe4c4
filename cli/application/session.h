// Session: what every verb shares. The common options, where the work runs, progress and Ctrl-C, how long
// each phase took, what to print and the JSON object.
#pragma once

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/core/memory.h>
#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/work.h>
#include <tessera/mesh/mesh.h>

#include "application/memory_bound.h"
#include "application/progress_bar.h"

namespace tessera::cli {

/// Keeps keys in the order they were written, so that the object reads like the documentation.
using Json = nlohmann::ordered_json;

/// The options that every verb takes, as they were typed.
struct CommonOptions {
  std::string device;         ///< empty: auto, and only looked for by verbs that can use a GPU
  int threads = 0;            ///< 0: as many as the machine has
  std::string memory;         ///< empty: no limit
  std::string device_memory;  ///< likewise, of the GPU
  std::string json;           ///< a file, "-" for standard output, empty for none
  bool quiet = false;
};

enum class Phase : std::uint8_t { read, prepare, compute, write };

class Session {
 public:
  /// Error(bad_option) for options that mean nothing, Error(device_failed) for a GPU that is asked for and
  /// not there.
  Session(std::string verb, CommonOptions options, std::stop_token stop, const VerbMemory& memory);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Runs run(exec) where --device says. `auto` takes a GPU if the host's threads would need longer than
  /// starting one and the work fits there, says so in one line, and goes on with the host if the GPU fails,
  /// with the reason; a GPU that was asked for by name must do it.
  ///
  /// `why_host`: what keeps `auto` from taking a GPU at all; empty if nothing does.
  template <class Run>
  void run_on_device(const Work& work, const Run& run, const char* why_host = "") {
    const Reservation room = reserve(work);
    const Exec exec = choose(work, why_host);
    try {
      return run(exec);
    } catch (const Error& error) {
      if (!exec.is_cuda() || !is_automatic() || !is_of_device(error)) throw;
      go_on_with_host(error);
    }
    run(host());
  }
  /// Is a GPU asked for by name?
  [[nodiscard]] bool needs_gpu() const { return exec_ && exec_->is_cuda() && !is_automatic(); }
  /// The host's memory for a piece of work, whoever does it. Error(out_of_memory) before it begins.
  [[nodiscard]] Reservation reserve(const Work& work);
  /// CUDA device k with what --threads and --device-memory say. Error(device_failed) if it cannot be used.
  [[nodiscard]] Exec cuda(int device);
  /// The GPU of --device, or the first. Error(bad_option) if that is the host.
  [[nodiscard]] Exec gpu();
  /// Says that a GPU takes part which run_on_device() did not choose.
  void count_as_on_device() { is_on_device_ = true; }
  /// The host threads of --threads, for work that only the host does. A GPU that was asked for by name and
  /// got no work at all is mentioned at the end.
  [[nodiscard]] Exec host() const { return Exec::host(options_.threads); }
  [[nodiscard]] const Monitor& monitor() const { return monitor_; }
  /// What --memory allows the process; everything large is reserved here before it is made.
  [[nodiscard]] MemoryBudget& memory() { return memory_; }
  /// --memory itself, also if the verb is not bound by it.
  [[nodiscard]] Bytes memory_option() const { return memory_option_; }
  /// Reserves what the process holds beyond all reservations: what a finished stage has left behind.
  void settle_memory();
  /// Counts bytes of a file to read, or of a mesh that was made of one and is larger.
  void count_input(Bytes bytes, bool is_grid);
  /// The same for a grid, of which `counted` bytes were counted before.
  void count_grid(const Grid& grid, Bytes counted);
  /// The input is gone through in slabs that fit: what fails later is a result, whatever the input takes.
  void count_in_slabs() { is_in_slabs_ = true; }
  /// The result is so many times what VerbMemory speaks of. Comes before files are read.
  void expect_results(std::size_t count);
  /// The --memory for files like those that were counted: an estimate, for what is refused before they are
  /// read. `factor` times what they usually take.
  [[nodiscard]] Bytes usual_limit(Bytes factor = 1) const;
  /// Leaves --memory to the reservations from now on (MemoryBound).
  void lift_memory_bound() { bound_.lift(); }

  /// Runs f() and adds its time to the phase. Error(cancelled) instead if Ctrl-C was pressed before.
  template <class F>
  decltype(auto) in_phase(Phase phase, F&& f) {
    const PhaseScope scope(*this, phase);
    return std::forward<F>(f)();
  }

  /// Text for people, on standard output, or on stderr if an output goes there; nowhere with --quiet or
  /// --json -.
  template <class... Args>
  void print(fmt::format_string<Args...> text, Args&&... args) {
    print_text(fmt::format(text, std::forward<Args>(args)...));
  }
  /// Text that is itself what the verb is run for, also with --quiet; nowhere with --json -.
  void print_data(const std::string& text);
  /// One line on stderr that is not an error; nowhere with --quiet. The JSON object has it too.
  void note(const std::string& sentence);

  /// What the verb found: the `result` of the JSON object.
  [[nodiscard]] Json& result() { return result_; }
  /// Files that are read, and those that will be written. Error(bad_option) if a file is both, or is written
  /// twice: called before any work, so that nothing is lost. `-` is standard input or output.
  void add_input(const std::filesystem::path& file);
  /// Another file that an input was read from.
  void add_part(const std::filesystem::path& file);
  void add_output(const std::filesystem::path& file);

  /// For one of several inputs: prints the error and lets the run go on with the others. The first one
  /// decides exit_code() and is the `error` of the JSON object, beside the result. What is not about that
  /// input (Ctrl-C, an option) is thrown on. Returned is the error for the result.
  [[nodiscard]] Json go_on_after(const Error& error);
  /// 0, or the code of the first error that the run went on after.
  [[nodiscard]] int exit_code() const { return first_error_ ? static_cast<int>(first_error_->code()) : 0; }

  /// An error if the process has held more than --memory allows, where nothing stopped it.
  [[nodiscard]] std::optional<Error> find_overrun() const;
  /// The error for memory that was not to be had.
  [[nodiscard]] Error out_of_memory() const;
  /// Error(cancelled) if Ctrl-C was pressed.
  void check_stop() const;
  /// Would the host do what failed?
  [[nodiscard]] static bool is_of_device(const Error& error);
  /// What a GPU takes on the host beside the driver: its program, and the memory it is copied through. 0 if
  /// that is booked.
  [[nodiscard]] Bytes gpu_bytes(const Exec& exec) const;
  [[nodiscard]] double total_seconds() const;

  /// Ends the run: takes the progress line away, prints the error if there is one and writes the JSON object.
  /// Error(write_failed) if that is not possible.
  void finish(const Error* failure);

 private:
  using Clock = std::chrono::steady_clock;

  /// Adds the time from its making to its end to one phase.
  class PhaseScope {
   public:
    PhaseScope(Session& session, Phase phase) : session_(session), phase_(phase), start_(Clock::now()) {
      session_.check_stop();
    }
    PhaseScope(const PhaseScope&) = delete;
    PhaseScope& operator=(const PhaseScope&) = delete;
    ~PhaseScope();

   private:
    Session& session_;
    Phase phase_;
    Clock::time_point start_;
  };

  [[nodiscard]] bool is_automatic() const { return options_.device.empty() || options_.device == "auto"; }
  [[nodiscard]] Exec choose(const Work& work, std::string_view why_host);
  void go_on_with_host(const Error& error);
  void say_if_device_was_idle();
  void refuse_json_onto(const std::filesystem::path& file, const char* what);
  void print_text(const std::string& text);
  [[nodiscard]] std::optional<Exec> parse_device();
  void bound_memory();
  /// Calls f(), which may start a GPU. Libraries of GPUs are not bound, and what they take does not count.
  template <class F>
  auto with_devices(const F& f) {
    bound_.lift();
    const Bytes before = resident_bytes();
    auto result = f();
    const Bytes after = resident_bytes();
    const Bytes taken = after > before ? after - before : 0;
    memory_.leave_out(taken);
    driver_bytes_ += taken;
    return result;
  }
  [[nodiscard]] Error with_advice(const Error& error) const;
  /// "; allow 120M", or more where a run with so much has failed.
  [[nodiscard]] std::string ample_advice() const;
  /// ", and up to 120M if the result is large" where the verb's may be, and that is more than was named.
  [[nodiscard]] std::string large_result_advice() const;
  [[nodiscard]] Json make_json(const Error* failure) const;

  std::string verb_;
  VerbMemory verb_memory_;
  CommonOptions options_;
  Clock::time_point start_ = Clock::now();
  ProgressBar bar_;
  Monitor monitor_;
  Bytes memory_option_;
  MemoryBudget memory_;
  MemoryBound bound_;
  Bytes program_bytes_ = 0;  ///< what it held at first
  Bytes input_bytes_ = 0;    ///< that the run takes for its files, by VerbMemory
  Bytes driver_bytes_ = 0;   ///< that starting a GPU took, which --memory does not count
  Bytes device_memory_;      ///< 0: no limit
  std::optional<Exec> exec_;
  bool is_on_device_ = false;
  bool is_gpu_booked_ = false;
  bool is_in_slabs_ = false;
  Bytes estimated_ = 0;  ///< of a GPU's memory
  std::vector<std::string> inputs_;
  std::vector<std::filesystem::path> parts_;  ///< of the inputs
  std::vector<std::filesystem::path> outputs_;
  bool has_output_on_stdout_ = false;
  std::vector<std::string> notes_;
  std::optional<Error> first_error_;
  std::array<double, 4> seconds_{};
  Json result_ = Json::object();
};

/// Writes a JSON object for a run that ended before there was a session, such as a wrong option.
void write_error_json(const std::string& target, std::string_view verb, const Error& error);

/// "tessera: SENTENCE" on stderr.
void print_error(const Error& error);

/// The library's error with the option that helps, if there is one: the library does not know of options.
[[nodiscard]] Error with_device_advice(const Error& error);

}  // namespace tessera::cli
