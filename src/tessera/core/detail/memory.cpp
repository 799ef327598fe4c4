#include <tessera/core/memory.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <utility>

#include <tessera/core/error.h>
#include <tessera/core/macros.h>

namespace tessera {
namespace {

constexpr std::string_view unit_letters = "KMGTP";

[[noreturn]] void throw_bad_size(std::string_view text) {
  throw Error(ErrorCode::bad_option, "'" + std::string(text) +
                                         "' is not a memory size; write a number with an optional "
                                         "suffix, such as 512M, 8G or 1.5GiB");
}

/// The power of 1024 that "", "B", "G", "GB" or "GiB" stands for, or -1.
int unit_exponent(std::string_view suffix) {
  if (suffix.empty() || suffix == "B" || suffix == "b") return 0;
  const char letter = static_cast<char>(std::toupper(static_cast<unsigned char>(suffix.front())));
  const std::size_t place = unit_letters.find(letter);
  const std::string_view rest = suffix.substr(1);
  const bool known_rest = rest.empty() || rest == "B" || rest == "b" || rest == "iB" || rest == "ib";
  return place == std::string_view::npos || !known_rest ? -1 : static_cast<int>(place) + 1;
}

}  // namespace

Bytes parse_bytes(std::string_view text) {
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{} || !std::isfinite(number) || number < 0) throw_bad_size(text);
  std::string_view suffix = text.substr(static_cast<std::size_t>(end - text.data()));
  while (!suffix.empty() && suffix.front() == ' ') suffix.remove_prefix(1);
  const int exponent = unit_exponent(suffix);
  if (exponent < 0) throw_bad_size(text);
  const double bytes = std::ldexp(number, 10 * exponent);
  if (bytes >= 0x1p63) throw_bad_size(text);
  return static_cast<Bytes>(bytes);
}

std::string format_bytes(Bytes bytes) {
  if (bytes < 1024) return std::to_string(bytes) + " B";
  double number = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (number /= 1024; number >= 1024 && unit + 1 < unit_letters.size(); number /= 1024) ++unit;
  std::array<char, 32> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.2f %ciB", number, unit_letters[unit]);
  return {text.data(), static_cast<std::size_t>(length)};
}

std::string format_limit(Bytes bytes) {
  const Bytes unit = bytes >= mib(64) ? mib(1) : kib(1);
  return std::to_string((bytes + unit - 1) / unit) + (unit == mib(1) ? 'M' : 'K');
}

Bytes peak_resident_bytes() {
  // getrusage() would also count what the process was before it became this program.
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<Bytes>(usage.ru_maxrss) * 1024;
}

Bytes resident_bytes() {
  std::ifstream pages("/proc/self/statm");
  Bytes all = 0;
  Bytes resident = 0;
  pages >> all >> resident;
  return resident * static_cast<Bytes>(sysconf(_SC_PAGESIZE));
}

Bytes MemoryBudget::held() const {
  const Bytes resident = resident_bytes();
  return resident - std::min(resident, left_out_);
}

Bytes MemoryBudget::unreserved(Bytes reserved) const {
  if (scope_ == Scope::reservations || limit_ == unlimited) return 0;
  const Bytes all = held();
  return all > reserved ? all - reserved : 0;
}

Bytes MemoryBudget::used() const {
  const Bytes reserved = used_.load(std::memory_order_relaxed);
  return reserved + unreserved(reserved);
}

Bytes MemoryBudget::left() const {
  return limit_ == unlimited ? limit_ : limit_ - std::min(limit_, used());
}

namespace {

/// What a process holds by itself differs by less than this from run to run: pages of its files that the
/// operating system happens to have in memory.
constexpr Bytes noise = mib(4);

void raise_to(std::atomic<Bytes>& peak, Bytes bytes) {
  Bytes highest = peak.load(std::memory_order_relaxed);
  while (highest < bytes && !peak.compare_exchange_weak(highest, bytes, std::memory_order_relaxed)) {
  }
}

}  // namespace

void MemoryBudget::refuse(Bytes bytes, std::string_view what, Bytes used) {
  const Bytes least = used + bytes + bytes / 64 + (scope_ == Scope::process ? noise : mib(1));
  named_.store(least, std::memory_order_relaxed);
  throw Error(ErrorCode::out_of_memory,
              std::string(what) + " needs " + format_bytes(bytes) + ", but " + format_bytes(used) +
                  " of the allowed " + format_bytes(limit_) + " are in use; the limit must be at least " +
                  format_limit(least),
              Remedy::raise_limit);
}

bool MemoryBudget::try_reserve(Bytes bytes) {
  Bytes used = used_.load(std::memory_order_relaxed);
  const Bytes taken = unreserved(used);
  do {
    if (bytes > limit_ || taken > limit_ - bytes || used > limit_ - bytes - taken) return false;
  } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  raise_to(peak_, used + bytes);
  return true;
}

void MemoryBudget::adopt(Bytes bytes) {
  raise_to(peak_, used_.fetch_add(bytes, std::memory_order_relaxed) + bytes);
}

void MemoryBudget::reserve(Bytes bytes, std::string_view what) {
  if (try_reserve(bytes)) return;
  refuse(bytes, what, used());
}

void MemoryBudget::release(Bytes bytes) {
  const Bytes before = used_.fetch_sub(bytes, std::memory_order_relaxed);
  TS_EXPECTS(before >= bytes);
}

Reservation::Reservation(MemoryBudget& budget, Bytes bytes, std::string_view what)
    : budget_(&budget), bytes_(bytes) {
  budget.reserve(bytes, what);
}

Reservation Reservation::of_held(MemoryBudget& budget, Bytes bytes, std::string_view what) {
  Reservation reservation;
  reservation.budget_ = &budget;
  reservation.bytes_ = bytes;
  budget.adopt(bytes);
  const Bytes used = budget.used();
  if (used > budget.limit()) budget.refuse(bytes, what, used - bytes);
  return reservation;
}

Reservation::Reservation(Reservation&& other) noexcept
    : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Reservation& Reservation::operator=(Reservation&& other) noexcept {
  std::swap(budget_, other.budget_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Reservation::~Reservation() {
  if (budget_ != nullptr) budget_->release(bytes_);
}

}  // namespace tessera
