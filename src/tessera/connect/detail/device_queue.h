// DeviceQueue: consumers ask a device for tiles of one relation (after GALE).
//
//   consumer ──request, waits──┐
//   consumer ──request, waits──┼──► queue ──► leader ──one batch──► device
//   consumer ──tiles ahead─────┘                 └──► requests answered, tiles ahead put into the store
//
// A consumer leads, or three of them at a time: it takes whatever is waiting, adds tiles that consumers will
// want next, has the device make all of them at once and hands them out. A leader that is a thread of its own
// would have to wait for a core, for milliseconds where all of them are busy, which is longer than any batch
// takes. Two consumers never ask for the same tile: the store lets one of them ask and the other wait. A
// batch takes a quarter of the store at most, so that it does not push out what consumers read.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <tessera/connect/detail/store.h>

namespace tessera::detail {

class DeviceQueue {
 public:
  using Clock = std::chrono::steady_clock;
  using Make = std::function<std::vector<StoredRows>(std::span<const std::uint32_t>)>;
  using Rename = std::function<void(StoredRows&)>;

  /// `make` lets the device make tiles, `rename` gives rows the ids that consumers speak.
  DeviceQueue(TileStore& store, std::size_t relation, std::size_t most_tiles, Make make, Rename rename)
      : store_(store),
        relation_(relation),
        most_tiles_(most_tiles),
        make_(std::move(make)),
        rename_(std::move(rename)) {}

  /// Asks for a tile that the caller has claimed, and waits. Throws what the device threw.
  [[nodiscard]] StoredRows fetch(std::uint32_t tile) {
    Request request;
    request.tile = tile;
    request.begun = Clock::now();
    {
      std::unique_lock lock(mutex_);
      request.pushed = Clock::now();
      requests_.push_back(&request);
      while (!request.is_done) {
        if (request.is_taken || leaders_ == most_leaders) {
          changed_.wait(lock);
        } else {
          lead(lock);
        }
      }
    }
    if (request.error) std::rethrow_exception(request.error);
    rename_(request.rows);
    count(request);
    return std::move(request.rows);
  }

  /// Has tiles made that will be wanted, or leaves them to the next leader if there are enough now.
  void look_ahead(std::span<const std::uint32_t> tiles) {
    const Clock::time_point begun = Clock::now();
    std::unique_lock lock(mutex_);
    ahead_.insert(ahead_.end(), tiles.begin(), tiles.end());
    while (ahead_.size() > 4 * most_tiles_) ahead_.pop_front();  // consumers have long passed those
    if (leaders_ == most_leaders) return;
    lead(lock);
    DeviceStatistics& own = own_statistics();
    const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
    own.waiting += seconds;
    own.leading += seconds;
  }

  /// The calling consumer has waited for a tile that was under way.
  void count_wait(double seconds) {
    const std::scoped_lock lock(mutex_);
    DeviceStatistics& own = own_statistics();
    own.waiting += seconds;
    own.sharing += seconds;
  }

  [[nodiscard]] DeviceReport report() const {
    const std::scoped_lock lock(mutex_);
    DeviceReport report;
    report.batches = batches_;
    report.tiles = tiles_;
    for (const Consumer& consumer : consumers_) {
      report.all += consumer.statistics;
      report.consumers.push_back(consumer.statistics);
    }
    return report;
  }

 private:
  static constexpr int most_leaders = 3;

  struct Request {
    std::uint32_t tile = 0;
    StoredRows rows;
    std::exception_ptr error;
    Clock::time_point begun, pushed, taken, prepared, made;
    bool is_taken = false;  // this and the next are guarded by the queue's mutex
    bool is_done = false;
  };
  struct Consumer {
    std::thread::id thread;
    DeviceStatistics statistics;
  };

  /// One batch. The lock is held before and after.
  void lead(std::unique_lock<std::mutex>& lock) {
    ++leaders_;
    const std::vector<Request*> requests = std::exchange(requests_, {});
    for (Request* request : requests) request->is_taken = true;
    std::vector<std::uint32_t> ahead;
    const std::size_t most = most_tiles_now();
    while (!ahead_.empty() && requests.size() + ahead.size() < most) {
      ahead.push_back(ahead_.back());  // the newest first
      ahead_.pop_back();
    }
    lock.unlock();
    const Clock::time_point taken = Clock::now();
    std::vector<std::uint32_t> batch;
    for (Request* request : requests) {
      request->taken = taken;
      batch.push_back(request->tile);
    }
    for (const std::uint32_t tile : ahead) {
      if (store_.claim({relation_, tile})) batch.push_back(tile);
    }
    std::vector<StoredRows> rows;
    if (!batch.empty()) rows = make(requests, batch);
    lock.lock();
    for (Request* request : requests) request->is_done = true;
    if (!batch.empty()) ++batches_;
    tiles_ += rows.size();
    for (const StoredRows& tile : rows) bytes_ += tile.bytes();
    for (std::size_t i = 0; i < requests.size() && i < rows.size(); ++i) {
      requests[i]->rows = std::move(rows[i]);
    }
    lock.unlock();
    changed_.notify_all();  // those who have their tiles go on before the others are put aside
    for (std::size_t i = requests.size(); i < rows.size(); ++i) put_aside(batch[i], std::move(rows[i]));
    lock.lock();
    --leaders_;
    changed_.notify_all();
  }

  /// Under the mutex.
  [[nodiscard]] std::size_t most_tiles_now() const {
    if (tiles_ == 0) return std::min<std::size_t>(most_tiles_, 16);  // how large they are is not known yet
    const Bytes tile = std::max<Bytes>(bytes_ / tiles_, 1);
    return std::clamp<std::size_t>(store_.budget() / 4 / tile, 1, most_tiles_);
  }

  /// The rows of a batch, whose first tiles are requests; none if the device fails.
  std::vector<StoredRows> make(const std::vector<Request*>& requests,
                               const std::vector<std::uint32_t>& batch) {
    const Clock::time_point prepared = Clock::now();
    std::vector<StoredRows> rows;
    std::exception_ptr error;
    try {
      rows = make_(batch);
    } catch (...) {
      error = std::current_exception();
      // What fails ahead of need fails again when it is needed.
      for (std::size_t i = requests.size(); i < batch.size(); ++i) store_.give_up({relation_, batch[i]});
    }
    const Clock::time_point made = Clock::now();
    for (Request* request : requests) {
      request->prepared = prepared;
      request->made = made;
      request->error = error;
    }
    return rows;
  }

  /// Without memory for it the slot is empty again.
  void put_aside(std::uint32_t tile, StoredRows rows) {
    try {
      rename_(rows);
    } catch (...) {
      return store_.give_up({relation_, tile});
    }
    try {
      store_.fill({relation_, tile}, std::move(rows));
    } catch (...) {
      return;  // the store has given it up
    }
  }

  void count(const Request& request) {
    const auto seconds = [](Clock::time_point from, Clock::time_point to) {
      return std::chrono::duration<double>(to - from).count();
    };
    const Clock::time_point now = Clock::now();
    const std::scoped_lock lock(mutex_);
    own_statistics() += {.requests = 1,
                         .waiting = seconds(request.begun, now),
                         .pushing = seconds(request.begun, request.pushed),
                         .queued = seconds(request.pushed, request.taken),
                         .preparing = seconds(request.taken, request.prepared),
                         .computing = seconds(request.prepared, request.made),
                         .integrating = seconds(request.made, now)};
  }

  /// The calling thread's; under the mutex.
  DeviceStatistics& own_statistics() {
    const std::thread::id self = std::this_thread::get_id();
    const auto found = std::ranges::find(consumers_, self, &Consumer::thread);
    if (found != consumers_.end()) return found->statistics;
    consumers_.push_back({self, {}});
    return consumers_.back().statistics;
  }

  TileStore& store_;
  std::size_t relation_;
  std::size_t most_tiles_;
  Make make_;
  Rename rename_;
  mutable std::mutex mutex_;  // of the rest
  std::condition_variable changed_;
  int leaders_ = 0;
  std::vector<Request*> requests_;
  std::deque<std::uint32_t> ahead_;
  std::vector<Consumer> consumers_;
  std::uint64_t batches_ = 0;
  std::uint64_t tiles_ = 0;
  Bytes bytes_ = 0;  // of the tiles
};

}  // namespace tessera::detail
