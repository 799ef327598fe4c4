#include "application/session.h"

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <fstream>

#include <tessera/core/config.h>
#include <tessera/exec/buffer.h>

#include "application/text.h"
#include "data/files.h"
#include "data/standard_streams.h"

namespace tessera::cli {
namespace {

Bytes parse_limit(const std::string& memory, const char* option) {
  if (memory.empty()) return MemoryBudget::unlimited;
  const Bytes limit = parse_bytes(memory);
  if (limit == 0) {
    throw Error(ErrorCode::bad_option,
                fmt::format("{} 0 allows nothing; write a size such as 512M or 8G", option));
  }
  return limit;
}

void write_json(const std::string& target, const Json& object) {
  const std::string text = object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  if (target == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
  } else {
    write_file(target, text);
  }
}

/// Whether an error may be written to a file. What stands there and is no JSON was named by mistake, or
/// before it could be found that the input is read from it.
bool may_hold_error(const std::string& target) {
  std::error_code ignored;
  if (target == "-" || !std::filesystem::is_regular_file(target, ignored)) return true;
  std::ifstream file(target, std::ios::binary);
  const int first = file.get();
  return first == std::ifstream::traits_type::eof() || first == '{';
}

/// Do two paths name one file, through links too?
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code failed;
  if (std::filesystem::equivalent(a, b, failed) && !failed) return true;
  // Neither may be there yet, and one may be a link to the other.
  const auto resolved = [](const std::filesystem::path& path) {
    std::error_code unresolved;
    std::filesystem::path whole = std::filesystem::absolute(path, unresolved);
    for (int links = 0; links < 40 && std::filesystem::is_symlink(whole, unresolved); ++links) {
      const std::filesystem::path target = std::filesystem::read_symlink(whole, unresolved);
      if (unresolved) break;
      whole = whole.parent_path() / target;  // the target alone if it is absolute
    }
    const std::filesystem::path canonical = std::filesystem::weakly_canonical(whole, unresolved);
    return unresolved ? whole.lexically_normal() : canonical;
  };
  return resolved(a) == resolved(b);
}

/// Names under which the files that the standard streams were redirected to can be compared with others.
constexpr const char* standard_input = "/dev/stdin";
constexpr const char* standard_output = "/dev/stdout";

void refuse_if_same(const std::filesystem::path& a, const std::filesystem::path& b, const char* what) {
  if (!is_same_file(a, b)) return;
  const std::filesystem::path& named = b == standard_input || b == standard_output ? a : b;
  throw Error(ErrorCode::bad_option, fmt::format("'{}' is {}; choose another name", named.string(), what));
}

Json make_error(const Error& error) {
  return {
      {"code", static_cast<int>(error.code())}, {"name", to_string(error.code())}, {"message", error.what()}};
}

}  // namespace

Session::Session(std::string verb, CommonOptions options, std::stop_token stop, const VerbMemory& memory)
    : verb_(std::move(verb)),
      verb_memory_(memory),
      options_(std::move(options)),
      bar_(!options_.quiet && ProgressBar::is_wanted()),
      memory_option_(parse_limit(options_.memory, "--memory")),
      memory_(memory.is_bound ? memory_option_ : MemoryBudget::unlimited, MemoryBudget::Scope::process),
      device_memory_(options_.device_memory.empty() ? 0
                                                    : parse_limit(options_.device_memory, "--device-memory")),
      exec_(parse_device()) {
  monitor_.report = [this](std::string_view stage, double fraction) { bar_.update(stage, fraction); };
  monitor_.stop = std::move(stop);
  if (memory_.limit() == MemoryBudget::unlimited) return;
  program_bytes_ = memory_.held() + MemoryBound::code_bytes + (exec_ ? gpu_bytes(*exec_) : 0);
  if (program_bytes_ >= memory_.limit()) {
    throw Error(ErrorCode::out_of_memory,
                fmt::format("the program itself takes {}{}, and --memory allows {}; allow {} and what the "
                            "input takes",
                            format_bytes(program_bytes_), exec_ && exec_->is_cuda() ? " with a GPU" : "",
                            format_bytes(memory_.limit()), format_limit(usual_limit())));
  }
  memory_.adopt(program_bytes_);
  is_gpu_booked_ = exec_ && exec_->is_cuda();
  if (!exec_ || !exec_->is_cuda()) bound_memory();
}

Bytes Session::gpu_bytes(const Exec& exec) const {
  return exec.is_cuda() && !is_gpu_booked_ ? MemoryBound::kernel_bytes + device_copy_bytes(exec) : 0;
}

void Session::bound_memory() {
  if (memory_.limit() == MemoryBudget::unlimited) return;
  bound_.set(memory_.limit() + driver_bytes_, host().threads());
}

void Session::settle_memory() {
  if (memory_.limit() == MemoryBudget::unlimited) return;
  const Bytes reserved = memory_.reserved();
  const Bytes held = memory_.held();
  if (held > reserved) memory_.adopt(held - reserved);
}

void Session::count_input(Bytes bytes, bool is_grid) {
  input_bytes_ +=
      static_cast<Bytes>(static_cast<double>(bytes) * (is_grid ? verb_memory_.grid : verb_memory_.mesh));
}

void Session::count_grid(const Grid& grid, Bytes counted) {
  constexpr Bytes of_point = 4;  // of VerbMemory's numbers; what is made of smaller ones is no smaller
  const Bytes bytes = std::max(grid.bytes(), of_point * grid.vertex_count());
  if (bytes > counted) count_input(bytes - counted, true);
}

void Session::expect_results(std::size_t count) {
  verb_memory_.mesh *= static_cast<double>(count);
  verb_memory_.grid *= static_cast<double>(count);
}

Bytes Session::usual_limit(Bytes factor) const {
  return program_bytes_ + mib(12) + mib(2) * static_cast<Bytes>(host().threads()) + factor * input_bytes_;
}

std::string Session::ample_advice() const {
  if (is_in_slabs_) return "; allow " + format_limit(2 * memory_.limit());
  constexpr Bytes unusual = 4;  // times what a file of its size takes: meshes and fields are of all kinds
  const Bytes failed = memory_.limit() + memory_.limit() / 8;
  for (Bytes factor = 1; factor <= unusual * unusual; factor *= unusual) {
    if (usual_limit(factor) > failed) return "; allow " + format_limit(usual_limit(factor));
  }
  return "; allow more";
}

std::string Session::large_result_advice() const {
  const Bytes named = memory_.named_limit();
  const bool is_useful = verb_memory_.has_large_results && named != 0 && usual_limit() > named + named / 8;
  return is_useful ? fmt::format(", and up to {} if the result is large", format_limit(usual_limit())) : "";
}

Exec Session::cuda(int device) {
  return with_devices([&] {
    Exec exec = Exec::cuda(device, options_.threads).with_memory_limit(device_memory_);
    (void)device_available_bytes(exec);  // starts it
    return exec;
  });
}

Exec Session::gpu() {
  if (exec_ && exec_->is_cuda()) return *exec_;
  if (options_.device == "cpu")
    throw Error(ErrorCode::bad_option,
                "a GPU is asked for, and --device cpu excludes it; leave one of them out");
  const Exec exec = cuda(0);
  memory_.reserve(gpu_bytes(exec), "what a GPU takes on the host");
  is_gpu_booked_ = true;
  return exec;
}

/// The Exec that `--device` names, or none for `auto`.
std::optional<Exec> Session::parse_device() {
  const std::string& device = options_.device;
  if (options_.threads < 0) {
    throw Error(ErrorCode::bad_option, "--threads must be 0 (all of them) or more");
  }
  if (is_automatic()) return std::nullopt;
  if (device == "cpu" && device_memory_ != 0)
    throw Error(ErrorCode::bad_option, "--device-memory is of a GPU; leave it out with --device cpu");
  if (device == "cpu") return host();
  if (device == "cuda") return cuda(0);
  constexpr std::string_view prefix = "cuda:";
  if (device.starts_with(prefix)) {
    int index = 0;
    const char* end = device.data() + device.size();
    const auto [stop, status] = std::from_chars(device.data() + prefix.size(), end, index);
    if (status == std::errc{} && stop == end && index >= 0) return cuda(index);
  }
  throw Error(ErrorCode::bad_option,
              fmt::format("'{}' is not a device; write --device auto, cpu, cuda or cuda:1", device));
}

Session::PhaseScope::~PhaseScope() {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  session_.seconds_[static_cast<std::size_t>(phase_)] += seconds;
}

Reservation Session::reserve(const Work& work) {
  return {memory_, work.host_bytes_of(host().threads()), verb_};
}

Exec Session::choose(const Work& work, std::string_view why_host) {
  estimated_ = work.device_bytes;
  if (!is_automatic()) {
    is_on_device_ = exec_->is_cuda();
    return *exec_;
  }
  const DeviceChoice choice =
      with_devices([&] { return choose_device(work, options_.threads, device_memory_); });
  // Nobody who has no GPU and did not ask for one wants to hear of it.
  const bool is_asked_for = !options_.device.empty();
  if (!why_host.empty()) {
    exec_ = host();
    bound_memory();
    if (is_asked_for || choice.exec.is_cuda())
      note(fmt::format("running on the {}: {}", exec_->description(), why_host));
    return *exec_;
  }
  exec_ = choice.exec;
  if (gpu_bytes(*exec_) > memory_.left()) {
    exec_ = host();
    note(fmt::format("running on the {}: --memory leaves less than the {} that a GPU takes on the host",
                     exec_->description(), format_bytes(gpu_bytes(choice.exec))));
    bound_memory();
    return *exec_;
  }
  memory_.adopt(gpu_bytes(*exec_));
  is_gpu_booked_ = is_gpu_booked_ || exec_->is_cuda();
  if (!exec_->is_cuda()) bound_memory();
  if (choice.reason == DeviceChoice::Reason::worth_it) {
    note(fmt::format("running on {}", exec_->description()));
  } else if (is_asked_for || choice.reason == DeviceChoice::Reason::too_large) {
    note(fmt::format("running on the {}: {}", exec_->description(), choice.sentence));
  }
  return *exec_;
}

bool Session::is_of_device(const Error& error) {
  return error.code() == ErrorCode::device_failed || error.code() == ErrorCode::out_of_device_memory;
}

Error Session::with_advice(const Error& error) const {
  if (memory_.limit() != MemoryBudget::unlimited) {
    if (error.remedy() == Remedy::raise_limit)
      return {error.code(), error.what() + std::string(" (--memory)") + large_result_advice()};
    if (error.remedy() == Remedy::more_memory)
      return {error.code(), error.what() + ample_advice() + " with --memory"};
  }
  return with_device_advice(error);
}

void Session::go_on_with_host(const Error& error) {
  exec_ = host();
  bound_memory();
  note(fmt::format("{}; going on with the {}", error.what(), exec_->description()));
}

void Session::say_if_device_was_idle() {
  if (!exec_ || !exec_->is_cuda() || is_automatic() || is_on_device_) return;
  const std::string device = exec_->description();
  exec_ = host();
  note(fmt::format("nothing of this is work that {} can do; the {} did it", device, exec_->description()));
}

void Session::note(const std::string& sentence) {
  notes_.push_back(sentence);
  if (options_.quiet) return;
  bar_.clear();
  fmt::print(stderr, "tessera: {}\n", printable(sentence));
}

Json Session::go_on_after(const Error& error) {
  if (error.code() == ErrorCode::cancelled || error.code() == ErrorCode::bad_option) throw error;
  const Error advised = with_advice(error);
  bar_.clear();
  print_error(advised);
  if (!first_error_) first_error_ = advised;
  return make_error(advised);
}

void Session::refuse_json_onto(const std::filesystem::path& file, const char* what) {
  if (options_.json.empty() || options_.json == "-" || !is_same_file(options_.json, file)) return;
  const std::string json =
      std::exchange(options_.json, "");  // the object that tells of the error would be written there too
  throw Error(ErrorCode::bad_option,
              fmt::format("'{}' is {} and the file of --json; choose another name", json, what));
}

void Session::add_input(const std::filesystem::path& file) {
  if (file == "-" && std::ranges::find(inputs_, "-") != inputs_.end())
    throw Error(ErrorCode::bad_option, "standard input can be read once; name a file for the other");
  inputs_.push_back(file.string());
  // Of a pipe or a terminal nothing can be overwritten.
  if (file != "-") return add_part(file);
  if (std::error_code unknown; std::filesystem::is_regular_file(standard_input, unknown))
    add_part(standard_input);
}

void Session::add_part(const std::filesystem::path& file) {
  parts_.push_back(file);
  refuse_json_onto(file, "the input");
  for (const std::filesystem::path& output : outputs_) refuse_if_same(file, output, "read and written");
}

void Session::add_output(const std::filesystem::path& file) {
  if (file == "-") {
    if (has_output_on_stdout_ || options_.json == "-") {
      throw Error(ErrorCode::bad_option,
                  fmt::format("standard output cannot hold {}; write one of them to a file",
                              has_output_on_stdout_ ? "two outputs" : "an output and the object of --json"));
    }
    has_output_on_stdout_ = true;
    std::error_code unknown;
    if (std::filesystem::is_regular_file(standard_output, unknown)) add_output(standard_output);
    return;
  }
  for (const std::filesystem::path& part : parts_) refuse_if_same(part, file, "read and written");
  for (const std::filesystem::path& output : outputs_) refuse_if_same(output, file, "written twice");
  refuse_json_onto(file, "an output");
  outputs_.push_back(file);
}

void Session::print_text(const std::string& text) {
  // Who closed standard output and names a file wants the file alone.
  const bool has_file = !outputs_.empty() || !options_.json.empty();
  const bool is_unwanted = options_.quiet || (has_file && is_closed(STDOUT_FILENO));
  if (!is_unwanted) print_data(text);
}

void Session::print_data(const std::string& text) {
  if (options_.json == "-") return;
  bar_.clear();
  const std::string shown = printable(text, "\n");
  std::fwrite(shown.data(), 1, shown.size(), has_output_on_stdout_ ? stderr : stdout);
}

std::optional<Error> Session::find_overrun() const {
  const Bytes limit = memory_.limit();
  const Bytes resident = peak_resident_bytes();
  const Bytes peak = resident - std::min(resident, driver_bytes_);
  if (!MemoryBound::is_possible || peak <= limit || peak - limit <= limit / 50) return std::nullopt;
  return Error(
      ErrorCode::out_of_memory,
      fmt::format("this took {}, more than the {} that --memory allows; what it has written is whole",
                  format_bytes(peak), format_bytes(limit)));
}

Error Session::out_of_memory() const {
  if (memory_.limit() == MemoryBudget::unlimited)
    return {ErrorCode::out_of_memory, "the machine has no more memory to give; use a smaller input"};
  return {ErrorCode::out_of_memory,
          fmt::format("this takes more than the {} that --memory allows; it held {} at most{}",
                      format_bytes(memory_.limit()), format_bytes(peak_resident_bytes()), ample_advice())};
}

void Session::check_stop() const {
  if (monitor_.is_stopped()) throw Error(ErrorCode::cancelled, "stopped on request");
}

double Session::total_seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

Json Session::make_json(const Error* failure) const {
  const Error* const error = failure != nullptr || !first_error_ ? failure : &*first_error_;
  const Exec exec = exec_.value_or(host());
  Json object;
  object["verb"] = verb_;
  object["version"] = version;
  object["input"] = inputs_.empty() ? Json() : inputs_.size() == 1 ? Json(inputs_.front()) : Json(inputs_);
  object["device"] = exec.description();
  object["threads"] = exec.threads();
  object["seconds"] = {{"read", seconds_[0]},
                       {"prepare", seconds_[1]},
                       {"compute", seconds_[2]},
                       {"write", seconds_[3]},
                       {"total", total_seconds()}};
  object["peak_bytes"] = peak_resident_bytes();
  object["device_peak_bytes"] = device_peak_bytes(exec);
  if (exec.is_cuda() && estimated_ > 0) object["device_estimated_bytes"] = estimated_;
  if (driver_bytes_ > 0) object["driver_bytes"] = driver_bytes_;
  if (memory_option_ != MemoryBudget::unlimited) object["memory_limit"] = memory_option_;
  object["notes"] = notes_;
  object["result"] = failure == nullptr ? result_ : Json();
  if (error != nullptr) object["error"] = make_error(*error);
  return object;
}

void Session::finish(const Error* failure) {
  bar_.clear();
  std::optional<Error> advised;
  if (failure != nullptr) advised = with_advice(*failure);
  const Error* const error = advised ? &*advised : nullptr;
  if (error != nullptr) print_error(*error);
  if (error == nullptr) say_if_device_was_idle();
  if (options_.json.empty() || (error != nullptr && !may_hold_error(options_.json))) return;
  write_json(options_.json, make_json(error));
}

void write_error_json(const std::string& target, std::string_view verb, const Error& error) {
  Json object;
  object["verb"] = verb.empty() ? Json() : Json(verb);
  object["version"] = version;
  object["result"] = nullptr;
  object["error"] = make_error(error);
  if (may_hold_error(target)) write_json(target, object);
}

void print_error(const Error& error) {
  fmt::print(stderr, "tessera: {}\n", printable(error.what()));
}

Error with_device_advice(const Error& error) {
  if (!Session::is_of_device(error)) return error;
  return {error.code(), fmt::format("{}; use --device cpu", error.what())};
}

}  // namespace tessera::cli
