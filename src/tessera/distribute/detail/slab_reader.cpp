#include <tessera/distribute/detail/slab_reader.h>

#include <algorithm>
#include <string>

#include <tessera/core/detail/monitor.h>
#include <tessera/core/macros.h>
#include <tessera/exec/detail/host_only.h>
#include <tessera/topology/detail/check_field.h>

namespace tessera::detail {

void SlabReader::keep(std::uint32_t kept, std::uint32_t layers) {
  const std::size_t last = values_ ? values_->size() - kept * layer_points_ : 0;
  const std::size_t tuples = layers * layer_points_;
  const auto move = [&](const Field& from, std::size_t at, Field& to) {
    if (kept == 0) return;
    from.visit([&]<class T>(std::span<const T> values) {
      const auto part = values.subspan(at * field_.components, kept * layer_points_ * field_.components);
      std::copy(part.begin(), part.end(), to.as<T>().begin());
    });
  };
  if (values_ && values_->size() == tuples) return move(*values_, last, *values_);
  // Never both as a whole: the ghosts wait while one goes and the other comes.
  Field ghosts(field_.name, field_.type, kept * layer_points_, field_.components);
  if (values_) move(*values_, last, ghosts);
  values_.reset();
  values_.emplace(field_.name, field_.type, tuples, field_.components);
  move(ghosts, 0, *values_);
}

const Field& SlabReader::read(const Slab& slab) {
  TS_EXPECTS(slab.seen_begin >= begin_);
  const std::uint32_t kept = end_ > slab.seen_begin ? end_ - slab.seen_begin : 0;
  keep(kept, slab.seen());
  const std::uint32_t first = slab.seen_begin + kept;
  file_.read(field_, first * layer_points_, (slab.seen_end - first) * layer_points_, *values_,
             kept * layer_points_);
  begin_ = slab.seen_begin;
  end_ = slab.seen_end;
  return *values_;
}

std::vector<Slab> plan_slabs(const GridFile& file, const StoredField& field, const SlabOptions& options,
                             const SlabCost& cost) {
  (void)host_only(options.exec, "an analysis in slabs");
  file.expect_parts(field);
  const std::uint32_t layers = layers_of(file.shape()).count;
  const std::uint32_t height =
      options.height > 0 ? options.height : choose_height(layers, cost, MemoryBudget::unlimited);
  return cut_into_slabs(layers, height, cost.ghosts);
}

void refuse_nan_in(const GridFile& file, const StoredField& field, const Exec& exec) {
  const GridLayers layers = layers_of(file.shape());
  SlabReader reader(file, field);
  NanCount all;
  for (const Slab& slab : cut_into_slabs(layers.count, 1, {})) {
    const NanCount found = reader.read(slab).visit([&](auto values) { return count_nan(values, exec); });
    if (all.count == 0) all.first = slab.begin * layers.points + found.first;
    all.count += found.count;
  }
  refuse_nan(all, field.tuples, field.name);
  throw Error(ErrorCode::bad_file, file.name() + ": changed while it was read");
}

SlabMonitor::SlabMonitor(const Monitor* monitor, std::string_view stage, std::size_t slabs, double begin,
                         double end)
    : monitor_(monitor_of(monitor)),
      stage_(stage),
      begin_(begin),
      step_((end - begin) / static_cast<double>(slabs)) {
  within_.stop = monitor_.stop;
  update(0);
}

void SlabMonitor::update(std::size_t done) const {
  monitor_.update(stage_, begin_ + step_ * static_cast<double>(done));
}

}  // namespace tessera::detail
