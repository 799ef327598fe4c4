#include <tessera/connect/connectivity.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include <tessera/connect/detail/account.h>
#include <tessera/connect/detail/connect_tiled.h>
#include <tessera/connect/detail/cuda/row_factory.h>
#include <tessera/connect/detail/device_queue.h>
#include <tessera/connect/detail/input_ids.h>
#include <tessera/core/config.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/tile/detail/link_maker.h>
#include <tessera/tile/detail/lookup.h>
#include <tessera/tile/detail/rows.h>
#include <tessera/tile/links.h>
#include <tessera/tile/materialize.h>

namespace tessera {

using namespace detail;
namespace detail {

using std::size_t;
using std::uint32_t;

/// What a thread needs to work out rows and links.
template <int Dim>
struct Scratch : RowWorker<Dim> {
  Scratch(const TiledMesh<Dim>& tiles, const Enumeration<Dim>* enumeration)
      : RowWorker<Dim>(tiles, enumeration), links(this->lookup) {}

  template <class R>
  const TileRows& fill(TileId tile) {
    if constexpr (is_link<R>) {
      links.template fill<R>(tile, this->rows);
    } else {
      this->maker.template fill<R>(tile, this->rows);
    }
    return this->rows;
  }

  LinkMaker<Dim> links;
};

/// The scratch of all workers, for as many at a time as the budget counts on. Who finds none waits.
template <int Dim>
class ScratchPool {
 public:
  explicit ScratchPool(int workers) : workers_(workers) {}

  /// Lets fewer workers compute: waits until no more than that do, and drops what the others needed.
  void limit(int workers) {
    std::unique_lock lock(mutex_);
    workers_ = std::min(workers_, workers);
    shrunk_.wait(lock, [&] { return lent_ <= workers_; });
    idle_.resize(std::min(idle_.size(), static_cast<size_t>(workers_ - lent_)));
  }

  /// One worker's scratch for as long as this lives.
  class Loan {
   public:
    Loan() = default;
    Loan(ScratchPool& pool, const TiledMesh<Dim>& tiles, const Enumeration<Dim>& enumeration)
        : Loan(pool.take(), pool) {
      if (scratch_ == nullptr) scratch_ = std::make_unique<Scratch<Dim>>(tiles, &enumeration);
    }
    Loan(Loan&& other) noexcept
        : scratch_(std::move(other.scratch_)), pool_(std::exchange(other.pool_, nullptr)) {}
    Loan& operator=(Loan&&) = delete;
    ~Loan() {
      if (pool_ != nullptr) pool_->give_back(std::move(scratch_));
    }
    Scratch<Dim>* operator->() { return scratch_.get(); }

   private:
    Loan(std::unique_ptr<Scratch<Dim>> scratch, ScratchPool& pool)
        : scratch_(std::move(scratch)), pool_(&pool) {}

    std::unique_ptr<Scratch<Dim>> scratch_;
    ScratchPool* pool_ = nullptr;
  };

 private:
  /// Null if it is still to be made.
  std::unique_ptr<Scratch<Dim>> take() {
    std::unique_lock lock(mutex_);
    returned_.wait(lock, [&] { return lent_ < workers_; });
    idle_.reserve(static_cast<size_t>(workers_));  // so that give_back() cannot fail
    ++lent_;
    if (idle_.empty()) return nullptr;
    std::unique_ptr<Scratch<Dim>> scratch = std::move(idle_.back());
    idle_.pop_back();
    return scratch;
  }
  void give_back(std::unique_ptr<Scratch<Dim>> scratch) noexcept {
    {
      const std::scoped_lock lock(mutex_);
      if (scratch != nullptr) idle_.push_back(std::move(scratch));
      --lent_;
    }
    returned_.notify_one();
    shrunk_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable returned_;  // for who wants scratch
  std::condition_variable shrunk_;    // for limit()
  std::vector<std::unique_ptr<Scratch<Dim>>> idle_;
  int workers_;
  int lent_ = 0;
};

/// What all handles share: the enumeration, a store for each relation, scratch for whoever computes, helper
/// threads.
template <int Dim>
class ConnectionCore {
 public:
  static constexpr Kind top = Dim == 3 ? Kind::tet : Kind::face;

  /// `tiles_bytes` of the tiles are the connection's own.
  ConnectionCore(std::shared_ptr<const TiledMesh<Dim>> tiles, Bytes tiles_bytes,
                 const ConnectOptions& options, bool speaks_tiled_ids = false)
      : shared_tiles_(std::move(tiles)),
        tiles_(*shared_tiles_),
        options_(checked(options)),
        host_(Exec::host(options.exec.threads())),
        speaks_tiled_ids_(speaks_tiled_ids),
        input_ids_(tiles_, !speaks_tiled_ids),
        account_(options.mode, options.memory, tiles_bytes),
        store_(tiles_.tile_count(), 0),
        scratch_(options.exec.threads() + options.producers) {
    if (options.mode != StorageMode::materialized) start_helpers(options.producers);
  }
  ~ConnectionCore() {
    for (std::jthread& helper : helpers_) helper.request_stop();
    wake_.notify_all();
  }

  [[nodiscard]] const TiledMesh<Dim>& tiles() const { return tiles_; }
  const Enumeration<Dim>& enumeration() {
    const std::scoped_lock lock(prepare_mutex_);
    if (account_.numbering() == Numbering::none) {
      if (!try_book_enumeration_by_bounds()) {
        count_for(std::array{key_of<EV>});
        account_.book_enumeration();
      }
      scratch_.limit(account_.workers());
    }
    return enumeration_locked();
  }

  /// Decides how the relations are stored that were not requested before, by bounds where those are enough.
  void admit(std::span<const RelationKey> relations) {
    const std::scoped_lock lock(prepare_mutex_);
    std::vector<RelationKey> wanted;
    for (const RelationKey& key : relations) {
      const bool is_known = std::ranges::find(account_.booked(), key) != account_.booked().end() ||
                            std::ranges::find(wanted, key) != wanted.end();
      if (!is_known) wanted.push_back(key);
    }
    if (wanted.empty()) return;
    std::optional<ModeChoice> choice;
    if (counted_.none()) choice = choose_by_bounds(wanted);
    if (!choice) {
      count_for(wanted);
      choice = account_.choose(wanted);
    }
    account_.book(wanted, *choice);
    scratch_.limit(account_.workers());
    store_.set_budget(account_.store_budget());
  }

  [[nodiscard]] ModeChoice choice() {
    const std::scoped_lock lock(prepare_mutex_);
    return account_.summary();
  }

  template <class R>
  void prepare() {
    const std::scoped_lock lock(prepare_mutex_);
    Provider& provider = provider_of<R>();
    if (provider.is_prepared) return;
    if (needs_enumeration<R, Dim>) (void)enumeration_locked();
    input_ids_.template prepare<R>(host_);
    if (account_.is_materialized(key_of<R>)) {
      make_whole<R>(provider);
    } else {
      provider.compute = [](ConnectionCore& core, TileId tile) { return core.template compute<R>(tile); };
      store_.open(slot<R>());
      open_queue<R>();
    }
    provider.is_prepared = true;
  }

  template <class R>
  TileStore::Pin acquire(TileId tile) {
    bool first_read = false;
    TileStore::Pin pin = store_.acquire(
        {slot<R>(), tile.index()}, [&] { return compute<R>(tile); }, first_read,
        [&](double seconds) {
          if (queues_[slot<R>()] != nullptr) queues_[slot<R>()]->count_wait(seconds);
        });
    if (first_read && (!helpers_.empty() || queues_[slot<R>()] != nullptr)) look_ahead(slot<R>(), tile);
    return pin;
  }

  template <class R>
  typename R::TiledRow to_tiled(typename R::Row asked) const {
    return input_ids_.template to_tiled<R>(asked);
  }

  /// Where a row lies: its tile and its place there.
  template <class R>
  std::pair<TileId, uint32_t> locate(typename R::TiledRow id) const {
    if constexpr (R::from == Kind::vertex) {
      const TileId tile = tiles_.tile_of(id);
      return {tile, id.index() - tiles_.vertices(tile).begin};
    } else if constexpr (R::from == top) {
      const TileId tile = tiles_.tile_of(id);
      return {tile, id.index() - tiles_.internal_cells(tile).begin};
    } else {
      const TileId tile = enumeration_.tile_of(id);
      if constexpr (R::from == Kind::edge) return {tile, id.index() - enumeration_.first_edge(tile)};
      return {tile, id.index() - enumeration_.first_face(tile)};
    }
  }

  template <class R>
  std::span<const uint32_t> materialized_row(typename R::Row id) const {
    const Provider& provider = providers_[slot<R>()];
    const uint32_t row = input_ids_.template to_tiled<R>(id).index();
    const uint32_t begin = provider.offsets[row];
    return {provider.values + begin, provider.offsets[row + 1] - begin};
  }
  template <class R>
  [[nodiscard]] bool is_materialized() const {
    return providers_[slot<R>()].offsets != nullptr;
  }

  template <class R>
  [[nodiscard]] size_t row_count() const {
    return R::from == Kind::vertex ? tiles_.vertex_count()
           : R::from == top        ? tiles_.cell_count()
           : R::from == Kind::edge ? enumeration_.edge_count()
                                   : enumeration_.face_count();
  }

  template <class R>
  [[nodiscard]] StoreStatistics statistics() const {
    return store_.statistics(slot<R>());
  }
  template <class R>
  [[nodiscard]] DeviceReport device_report() const {
    const auto& queue = queues_[slot<R>()];
    return queue == nullptr ? DeviceReport{} : queue->report();
  }
  [[nodiscard]] bool has_windows() {
    const std::scoped_lock lock(prepare_mutex_);
    if constexpr (built_with_cuda) return factory_ != nullptr && factory_->has_windows();
    return false;
  }
  [[nodiscard]] std::string no_device() {
    const std::scoped_lock lock(prepare_mutex_);
    return no_device_;
  }
  template <class R>
  [[nodiscard]] Bytes bytes() const {
    const Provider& provider = providers_[slot<R>()];
    if (provider.offsets == nullptr) return statistics<R>().bytes;
    return 4 * (row_count<R>() + 1 + provider.offsets[row_count<R>()]);
  }

 private:
  /// A tile's rows, and the scratch they were made with: lent until the rows are in the store, so that no
  /// more tiles wait there than the budget counts on.
  struct Made {
    StoredRows rows;
    typename ScratchPool<Dim>::Loan loan;
    operator StoredRows() && { return std::move(rows); }  // NOLINT(google-explicit-constructor)
  };
  struct Provider {
    bool is_prepared = false;
    Made (*compute)(ConnectionCore&, TileId) = nullptr;
    std::shared_ptr<void> whole;  // a materialized relation, seen through the two pointers
    const uint32_t* offsets = nullptr;
    const uint32_t* values = nullptr;
  };
  struct Request {
    size_t relation = 0;
    TileId tile;
  };

  static const ConnectOptions& checked(const ConnectOptions& options) {
    const auto expect = [](bool is_right, const char* what) {
      if (!is_right) throw Error(ErrorCode::bad_option, what);
    };
    expect(options.producers >= 0, "ConnectOptions::producers must not be negative");
    expect(options.look_ahead >= 1, "ConnectOptions::look_ahead must be 1 or more");
    expect(options.device_look_ahead >= 0, "ConnectOptions::device_look_ahead must not be negative");
    expect(options.device_batch >= 1, "ConnectOptions::device_batch must be 1 or more");
    expect(options.device_threads >= 32 && options.device_threads <= 1024 && options.device_threads % 32 == 0,
           "ConnectOptions::device_threads must be a multiple of 32 from 32 to 1024");
    return options;
  }

  template <class R>
  static constexpr size_t slot() {
    return key_of<R>.index();
  }
  template <class R>
  Provider& provider_of() {
    return providers_[slot<R>()];
  }
  /// Nothing if it was not counted.
  [[nodiscard]] EnumerationSize expected_enumeration() const {
    const ConnectCosts& costs = account_.costs();
    return costs.counts().source == ConnectCounts::Source::exact ? costs.enumeration_size()
                                                                 : EnumerationSize{};
  }
  const Enumeration<Dim>& enumeration_locked() {
    if (!has_enumeration_) {
      monitor_of(options_.monitor).update("numbering edges and faces", 0);
      const Numbering numbering = account_.numbering();
      const Exec exec = Exec::host(account_.threads());
      const Squeeze room(*this, account_.costs().enumeration_peak(numbering, exec.threads()));
      if (numbering == Numbering::implicit) {
        enumeration_ = Enumeration<Dim>::make_implicit(tiles_, exec);
      } else if (!enumerate_on_device()) {
        enumeration_ = Enumeration<Dim>::make_explicit(tiles_, exec, expected_enumeration());
      }
      has_enumeration_ = true;
      ConnectCounts counts = account_.costs().counts();
      counts.edges = enumeration_.edge_count();
      counts.faces = enumeration_.face_count();
      account_.settle_enumeration(ConnectCosts(counts, 1, 0).enumeration(numbering));
    }
    return enumeration_;
  }

  /// The store's budget is less by so much for as long as this lives, however that ends.
  class Squeeze {
   public:
    Squeeze(ConnectionCore& core, Bytes by) : core_(core) {
      core_.store_.set_budget(core_.account_.store_budget(by));
    }
    Squeeze(const Squeeze&) = delete;
    Squeeze& operator=(const Squeeze&) = delete;
    ~Squeeze() { core_.store_.set_budget(core_.account_.store_budget()); }

   private:
    ConnectionCore& core_;
  };

  /// Materializes a relation; the store makes room for it meanwhile.
  template <class R>
  void make_whole(Provider& provider) {
    const Exec exec = Exec::host(account_.threads());
    const Bytes peak = account_.costs().rows_peak(key_of<R>, account_.numbering(), exec.threads());
    const Squeeze room(*this, peak);
    auto csr = std::make_shared<TiledCsr<R>>([&] {
      if constexpr (is_link<R>) {
        return materialize_links<R>(tiles_, enumeration_, {.exec = exec, .monitor = options_.monitor});
      } else {
        return materialize<R>(
            tiles_, enumeration_,
            {.exec = exec, .monitor = options_.monitor, .expected = expected_enumeration()});
      }
    }());
    uint32_t* values = reinterpret_cast<uint32_t*>(csr->values.data());  // an id is its index
    host::for_each_share(options_.exec.threads(), csr->size(), [&](host::Range rows) {
      input_ids_.template rename<R>(std::span(csr->offsets).subspan(rows.begin, rows.size() + 1), values);
    });
    account_.settle_rows(key_of<R>,
                         taken_by_array(4 * csr->offsets.size()) + taken_by_array(4 * csr->values.size()));
    provider.offsets = csr->offsets.data();
    provider.values = values;
    provider.whole = std::move(csr);
  }

  /// A choice that better numbers would not change: all in one piece, or a mode that was asked for, with as
  /// many threads as there are.
  std::optional<ModeChoice> choose_by_bounds(std::span<const RelationKey> wanted) {
    set_costs(bound_relations(tiles_));
    std::optional<ModeChoice> choice = account_.find_choice(wanted);
    const auto is_best = [&](const std::optional<ModeChoice>& found) {
      return found && found->threads == account_.costs().threads() &&
             found->workers == account_.costs().workers();
    };
    if (choice && choice->mode == StorageMode::materialized && is_best(choice)) return choice;
    const bool are_stars = wanted.size() == 1 && wanted[0] == RelationKey{Kind::vertex, top, false};
    if (!are_stars || options_.mode == StorageMode::automatic) return std::nullopt;
    set_costs(bound_stars(tiles_, host_));
    choice = account_.find_choice(wanted);
    return is_best(choice) ? choice : std::nullopt;
  }

  /// Is there room for the most that an enumeration can take? Then nothing has to be counted.
  bool try_book_enumeration_by_bounds() {
    if (counted_.any() || !account_.booked().empty()) return false;
    set_costs(bound_relations(tiles_));
    return account_.try_book_enumeration();
  }

  void set_costs(ConnectCounts counts) {
    if (speaks_tiled_ids_) counts.renames_cells = false;
    account_.set_costs({counts, options_.exec.threads(), options_.producers});
  }
  /// Counts for these relations and all that are booked, unless that was done.
  void count_for(std::span<const RelationKey> wanted) {
    if ((set_of(wanted) & ~counted_).none()) return;
    std::vector<RelationKey> all = account_.booked();
    all.insert(all.end(), wanted.begin(), wanted.end());
    if (counted_.none()) set_costs(bound_relations(tiles_));
    const Exec exec = Exec::host(account_.counting_threads());
    const Squeeze room(*this, static_cast<Bytes>(exec.threads()) * account_.costs().counter());
    set_costs(count_relations(tiles_, std::span<const RelationKey>(all), exec));
    counted_ = set_of(list_counted(all, Dim));
  }

  template <class R>
  static constexpr bool is_made_by_devices() {
    if constexpr (built_with_cuda && !is_link<R>) return !R::is_boundary;
    return false;
  }

  /// Lets work(factory) use the device that makes rows; false if there is none, or it fails.
  template <class Work>
  bool with_factory(const Work& work) {
    if constexpr (built_with_cuda) {
      if (!options_.exec.is_cuda() || !no_device_.empty()) return false;
      try {
        if (factory_ == nullptr) {
          factory_ = std::make_shared<cuda::RowFactory<Dim>>(
              tiles_, options_.exec,
              cuda::RowFactoryOptions{
                  options_.device_threads, options_.device_memory,
                  options_.pinned_memory == 0 ? options_.memory : options_.pinned_memory});
        }
        return work(*factory_);
      } catch (const Error& error) {
        no_device_ = error.what();
      }
    }
    return false;
  }

  bool enumerate_on_device() {
    return with_factory([&](auto& factory) {
      if (factory.has_windows()) return false;
      enumeration_ = factory.enumerate();
      return true;
    });
  }

  /// Has a device make the relation, if there is one that can.
  template <class R>
  void open_queue() {
    if constexpr (is_made_by_devices<R>()) {
      if (!with_factory([&](auto& factory) { return factory.template prepare<R>(enumeration_); })) return;
      queues_[slot<R>()] = std::make_unique<DeviceQueue>(
          store_, slot<R>(), static_cast<size_t>(options_.device_batch),
          [this](std::span<const uint32_t> tiles) { return factory_->template make<R>(tiles); },
          [this](StoredRows& rows) { input_ids_.template rename<R>(rows.offsets(), rows.values()); });
    }
  }

  template <class R>
  Made compute(TileId tile) {
    if (DeviceQueue* const queue = queues_[slot<R>()].get(); queue != nullptr && !has_failed_) {
      try {
        return {queue->fetch(tile.index()), {}};
      } catch (const Error& error) {
        const std::scoped_lock lock(prepare_mutex_);
        no_device_ = error.what();
        has_failed_ = true;  // consumers go on by themselves
      }
    }
    typename ScratchPool<Dim>::Loan loan(scratch_, tiles_, enumeration_);
    TileRows exact = loan->template fill<R>(tile);  // copied: exactly as large as it is
    input_ids_.template rename<R>(exact.offsets, exact.values.data());
    return {std::move(exact), std::move(loan)};
  }

  /// Asks helpers for the tiles a consumer will want next. It goes where there is nothing yet: if the tile
  /// before is gone or was never made but the one after is there, it is going down.
  void look_ahead(size_t relation, TileId tile) {
    const std::int64_t count = static_cast<std::int64_t>(tiles_.tile_count());
    const std::int64_t here = tile.index();
    const auto is_missing = [&](std::int64_t t) {
      return t >= 0 && t < count && store_.is_empty({relation, static_cast<size_t>(t)});
    };
    const bool down = is_missing(here - 1) && !is_missing(here + 1);
    if (queues_[relation] != nullptr) {
      if (has_failed_) return;
      // Not for every tile: half of what is ahead must be missing before the device is asked for more.
      const int most = options_.device_look_ahead;
      const std::int64_t half = (most + 1) / 2;
      if (!is_missing(std::clamp<std::int64_t>(down ? here - half : here + half, 0, count - 1))) return;
      std::vector<uint32_t> tiles;
      for (int k = most; k >= 1; --k) {
        const std::int64_t next = down ? here - k : here + k;
        if (is_missing(next)) tiles.push_back(static_cast<uint32_t>(next));
      }
      return queues_[relation]->look_ahead(tiles);
    }
    std::vector<Request> wanted;
    for (int k = options_.look_ahead; k >= 1; --k) {  // the nearest last: helpers take the newest first
      const std::int64_t next = down ? here - k : here + k;
      if (is_missing(next)) wanted.push_back({relation, TileId(static_cast<uint32_t>(next))});
    }
    if (wanted.empty()) return;
    const size_t most = 4 * static_cast<size_t>(options_.look_ahead) * helpers_.size();
    {
      const std::scoped_lock lock(queue_mutex_);
      queue_.insert(queue_.end(), wanted.begin(), wanted.end());
      while (queue_.size() > most) queue_.pop_front();  // consumers have long passed those
    }
    wake_.notify_all();
  }

  /// As many as the system allows. Those who ask compute what nobody has made for them.
  void start_helpers(int count) {
    try {
      for (int i = 0; i < count; ++i) {
        helpers_.emplace_back([this](const std::stop_token& stop) { help(stop); });
      }
    } catch (const std::system_error&) {
      return;
    }
  }

  void help(const std::stop_token& stop) {
    while (true) {
      Request request;
      {
        std::unique_lock lock(queue_mutex_);
        if (!wake_.wait(lock, stop, [&] { return !queue_.empty(); })) return;
        request = queue_.back();
        queue_.pop_back();
      }
      // What fails ahead of need fails again, and is then reported, when a consumer wants it.
      try {
        store_.produce({request.relation, request.tile.index()},
                       [&] { return providers_[request.relation].compute(*this, request.tile); });
      } catch (...) {
        continue;
      }
    }
  }

  std::shared_ptr<const TiledMesh<Dim>> shared_tiles_;
  const TiledMesh<Dim>& tiles_;
  ConnectOptions options_;
  Exec host_;  // its threads
  bool speaks_tiled_ids_;
  InputIds<Dim> input_ids_;
  std::mutex prepare_mutex_;
  Account account_;               // guarded by prepare_mutex_
  RelationSet counted_;           // the relations that the account's costs are exact for
  Enumeration<Dim> enumeration_;  // in place, so that scratch made before it is filled knows it too
  bool has_enumeration_ = false;
  std::array<Provider, RelationKey::count> providers_;
  TileStore store_;
  ScratchPool<Dim> scratch_;
  std::mutex queue_mutex_;
  std::condition_variable_any wake_;
  std::deque<Request> queue_;
  std::vector<std::jthread> helpers_;  // these and those below come last: they stop before the rest goes
  std::string no_device_;              // why there are no queues
  std::atomic<bool> has_failed_{false};
  std::shared_ptr<cuda::RowFactory<Dim>> factory_;  // shared: without CUDA nobody can destroy one
  std::array<std::unique_ptr<DeviceQueue>, RelationKey::count> queues_;  // by relation
};

}  // namespace detail

namespace {

/// A pointer to what its owner keeps alive.
template <int Dim>
std::shared_ptr<const TiledMesh<Dim>> borrow(const TiledMesh<Dim>& tiles) {
  return {std::shared_ptr<void>(), &tiles};
}

}  // namespace

template <class R, int Dim>
Row<R> Rows<R, Dim>::operator[](typename R::Row id) const {
  if (core_->template is_materialized<R>())
    return {TileStore::Pin(), core_->template materialized_row<R>(id)};
  const auto [tile, row] = core_->template locate<R>(core_->template to_tiled<R>(id));
  TileStore::Pin pin = core_->template acquire<R>(tile);
  const auto values = pin.rows()[row];
  return {std::move(pin), values};
}

template <class R, int Dim>
IdSpan<typename R::Entry> Rows<R, Dim>::Reader::operator[](typename R::Row id) {
  using Entries = IdSpan<typename R::Entry>;
  if (rows_.core_->template is_materialized<R>())
    return Entries(rows_.core_->template materialized_row<R>(id));
  const typename R::TiledRow tiled = rows_.core_->template to_tiled<R>(id);
  if (!pin_ || tiled.index() - first_ >= pin_.rows().size()) {
    const auto [tile, row] = rows_.core_->template locate<R>(tiled);
    pin_ = {};  // a reader holds one tile, also while it waits for the next
    pin_ = rows_.core_->template acquire<R>(tile);
    first_ = tiled.index() - row;
  }
  return Entries(pin_.rows()[tiled.index() - first_]);
}

template <class R, int Dim>
std::size_t Rows<R, Dim>::size() const {
  return core_->template row_count<R>();
}

template <class R, int Dim>
StoreStatistics Rows<R, Dim>::statistics() const {
  return core_->template statistics<R>();
}

template <class R, int Dim>
DeviceReport Rows<R, Dim>::device_report() const {
  return core_->template device_report<R>();
}

template <class R, int Dim>
Bytes Rows<R, Dim>::bytes() const {
  return core_->template bytes<R>();
}

template <int Dim>
Connectivity<Dim>::Connectivity(const TiledMesh<Dim>& tiles, const ConnectOptions& options)
    : core_(std::make_shared<ConnectionCore<Dim>>(borrow(tiles), 0, options)) {}

template <int Dim>
Connectivity<Dim>::Connectivity(const SimplexMesh<Dim>& mesh, const ConnectOptions& options) {
  const auto cut = [&](const Exec& exec) {
    return std::make_shared<const TiledMesh<Dim>>(
        tile(mesh, {.max_vertices = options.tile_vertices, .exec = exec, .monitor = options.monitor}));
  };
  const Exec host = Exec::host(options.exec.threads());
  std::shared_ptr<const TiledMesh<Dim>> tiles;
  try {
    // A mesh that a device gets in windows is cut by the host, as one that is too large for it.
    tiles = cut(options.device_memory == 0 ? options.exec : host);
  } catch (const Error& error) {
    const bool is_of_device =
        error.code() == ErrorCode::device_failed || error.code() == ErrorCode::out_of_device_memory;
    if (!is_of_device) throw;
    tiles = cut(host);
  }
  const Bytes bytes = tiles->bytes();
  core_ = std::make_shared<ConnectionCore<Dim>>(std::move(tiles), bytes, options);
}

template <int Dim>
const TiledMesh<Dim>& Connectivity<Dim>::tiles() const {
  return core_->tiles();
}

template <int Dim>
Connectivity<Dim> detail::connect_tiled(const TiledMesh<Dim>& tiles, const ConnectOptions& options) {
  return Connectivity<Dim>(std::make_shared<ConnectionCore<Dim>>(borrow(tiles), 0, options, true));
}

template <int Dim>
const Enumeration<Dim>& Connectivity<Dim>::enumeration() {
  return core_->enumeration();
}

template <int Dim>
ModeChoice Connectivity<Dim>::choice() const {
  return core_->choice();
}

template <int Dim>
std::string Connectivity<Dim>::no_device_producers() const {
  return core_->no_device();
}

template <int Dim>
bool Connectivity<Dim>::has_device_windows() const {
  return core_->has_windows();
}

template <int Dim>
void Connectivity<Dim>::admit(std::span<const RelationKey> relations) {
  core_->admit(relations);
}

template <int Dim>
template <class R>
void Connectivity<Dim>::prepare() {
  core_->template prepare<R>();
}

template class Connectivity<2>;
template class Connectivity<3>;
template Connectivity<2> detail::connect_tiled(const TiledMesh<2>&, const ConnectOptions&);
template Connectivity<3> detail::connect_tiled(const TiledMesh<3>&, const ConnectOptions&);

#define TS_INSTANTIATE(R, Dim) \
  template class Rows<R, Dim>; \
  template void Connectivity<Dim>::prepare<R>()
#include <tessera/tile/detail/instantiate_relations.inc>

#define TS_INSTANTIATE_LINK(L, Dim) \
  template class Rows<L, Dim>;      \
  template void Connectivity<Dim>::prepare<L>()
TS_INSTANTIATE_LINK(VertexLink<2>, 2);
TS_INSTANTIATE_LINK(EdgeLink<2>, 2);
TS_INSTANTIATE_LINK(VertexLink<3>, 3);
TS_INSTANTIATE_LINK(EdgeLink<3>, 3);
TS_INSTANTIATE_LINK(FaceLink<3>, 3);
#undef TS_INSTANTIATE_LINK

}  // namespace tessera
