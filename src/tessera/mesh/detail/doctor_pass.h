// How the doctor walks large arrays: chunks in parallel, their results joined in order, progress in between.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/array.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/core/progress.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/exec.h>

namespace tessera::detail::doctor {

/// Announces that memory will be read soon.
inline void prefetch(const void* address) {
  __builtin_prefetch(address);
}

/// Counts elements and keeps the ids of the first `limit` of them: `arity` numbers each, one after another.
class Listing {
 public:
  static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

  Listing() = default;
  Listing(std::size_t arity, std::size_t limit) : arity_(arity), limit_(limit) {}

  void add(std::span<const std::uint32_t> element) {
    if (count_++ < limit_) ids_.insert(ids_.end(), element.begin(), element.end());
  }
  void add(std::uint32_t id) { add(std::span<const std::uint32_t>(&id, 1)); }
  /// Adds the elements of a listing of the same arity and limit that come after these.
  void append(const Listing& other) {
    const std::size_t room = std::min(other.kept(), limit_ - kept());
    ids_.insert(ids_.end(), other.ids_.begin(),
                other.ids_.begin() + static_cast<std::ptrdiff_t>(room * arity_));
    count_ += other.count_;
  }

  [[nodiscard]] std::size_t arity() const { return arity_; }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::size_t kept() const { return ids_.size() / arity_; }
  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t i) const {
    return {ids_.data() + i * arity_, arity_};
  }

 private:
  std::size_t arity_ = 1;
  std::size_t limit_ = 0;
  std::uint64_t count_ = 0;
  Array<std::uint32_t> ids_;
};

/// What every pass needs to know.
struct PassContext {
  Exec exec;  ///< of the host
  const Monitor& monitor;
  std::size_t max_ids;  ///< the limit of listings

  PassContext(const Exec& where, const Monitor* listener, std::size_t limit)
      : exec(Exec::host(where.threads())), monitor(monitor_of(listener)), max_ids(limit) {}

  void update(std::string_view stage, double fraction) const { monitor.update(stage, fraction); }
};

/// Calls work(range, worker, result) for chunks of [0, n) in parallel, each with its own copy of `blank`, and
/// merge(result) in the order of the chunks. Reports and may be cancelled after every few hundred chunks.
template <class Result, class Work, class Merge>
void run_pass(const PassContext& context, std::string_view stage, std::size_t n, const Result& blank,
              Work&& work, Merge&& merge) {
  constexpr std::size_t chunk = 1024;
  constexpr std::size_t round = 256 * chunk;
  context.update(stage, 0.0);
  std::vector<Result> results;
  for (std::size_t begin = 0; begin < n; begin += round) {
    const std::size_t size = std::min(round, n - begin);
    results.assign((size + chunk - 1) / chunk, blank);
    host::for_each_chunk(context.exec.threads(), size, chunk, [&](host::Range range, int worker) {
      work(host::Range{begin + range.begin, begin + range.end}, worker, results[range.begin / chunk]);
    });
    for (const Result& result : results) merge(result);
    context.update(stage, static_cast<double>(begin + size) / static_cast<double>(n));
  }
}

/// Calls f(i) for i in [0, n) in parallel.
template <class F>
void for_each_element(const PassContext& context, std::string_view stage, std::size_t n, F&& f) {
  struct Nothing {};
  run_pass(
      context, stage, n, Nothing{},
      [&](host::Range range, int, Nothing&) {
        for (std::size_t i = range.begin; i < range.end; ++i) f(i);
      },
      [](const Nothing&) {});
}

/// The elements of [0, n) for which is_listed(i) holds, ascending.
template <class Predicate>
[[nodiscard]] Listing list_elements(const PassContext& context, std::string_view stage, std::size_t n,
                                    Predicate&& is_listed) {
  const Listing blank(1, context.max_ids);
  Listing all = blank;
  run_pass(
      context, stage, n, blank,
      [&](host::Range range, int, Listing& found) {
        for (std::size_t i = range.begin; i < range.end; ++i) {
          if (is_listed(i)) found.add(static_cast<std::uint32_t>(i));
        }
      },
      [&](const Listing& found) { all.append(found); });
  return all;
}

}  // namespace tessera::detail::doctor
