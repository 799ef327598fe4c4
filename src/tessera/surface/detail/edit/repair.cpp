#include <tessera/surface/detail/edit/repair.h>

#include <algorithm>
#include <utility>

#include <tessera/exec/primitives.h>
#include <tessera/surface/detail/edit/repair_loops.h>
#include <tessera/surface/detail/run_loop.h>

namespace tessera::detail {

namespace {

/// All pairs that a source visits for i in [0, n).
template <class Source>
[[nodiscard]] Buffer<std::uint64_t> pairs_of(const Exec& exec, std::size_t n, const Source& source) {
  if (n == 0) return {};
  Buffer<std::uint32_t> counts(exec, n);
  Buffer<std::uint32_t> offsets(exec, n + 1);
  run_loop(exec, n, WritePairs<Source>{source, counts.data(), nullptr, nullptr});
  exclusive_scan<std::uint32_t, std::uint32_t>(exec, counts.span(), offsets.span());
  const std::uint32_t total = read_word(exec, offsets.data() + n);
  Buffer<std::uint64_t> pairs(exec, total);
  if (total != 0) run_loop(exec, n, WritePairs<Source>{source, nullptr, offsets.data(), pairs.data()});
  return pairs;
}

[[nodiscard]] Buffer<std::uint64_t> joined(const Exec& exec, const Buffer<std::uint64_t>& a,
                                           const Buffer<std::uint64_t>& b) {
  Buffer<std::uint64_t> both(exec, a.size() + b.size());
  copy_here(exec, both.data(), a.data(), a.bytes());
  copy_here(exec, both.data() + a.size(), b.data(), b.bytes());
  return both;
}

}  // namespace

Repair::Repair(DynamicStore& store, const RoundView& round, std::size_t winners,
               const std::array<std::uint32_t, 3>& ends)
    : store_(&store), exec_(store.exec()), vertex_flags_(exec_, ends[0]), edge_flags_(exec_, ends[1]) {
  run_loop(exec_, ends[0], FillBytes{vertex_flags_.data()});
  run_loop(exec_, ends[1], FillBytes{edge_flags_.data()});
  run_loop(exec_, winners, FlagSuspects{round, vertex_flags_.data(), edge_flags_.data()});
  run_loop(exec_, winners, UnflagRemoved{round, vertex_flags_.data()});
  vertices_ = Buffer<std::uint32_t>(exec_, vertex_flags_.size());
  edges_ = Buffer<std::uint32_t>(exec_, edge_flags_.size());
  vertex_count_ = static_cast<std::uint32_t>(compact_indices(exec_, vertex_flags_.span(), vertices_.span()));
  edge_count_ = static_cast<std::uint32_t>(compact_indices(exec_, edge_flags_.span(), edges_.span()));

  vertex_pairs_ = joined(exec_, pairs_of(exec_, vertex_count_, EdgesOfVertices{round.mesh, vertices_.data()}),
                         pairs_of(exec_, winners, NewEdges{round, vertex_flags_.data()}));
  edge_pairs_ = joined(exec_, pairs_of(exec_, edge_count_, SidesOfEdges{round.mesh, edges_.data()}),
                       pairs_of(exec_, winners, NewSides{round, edge_flags_.data()}));
  // Pairs are sorted, made unique and merged with the lists, in about so many bytes for each.
  constexpr std::size_t bytes_each = 128;
  const std::size_t listed = store.lists(Kind::edge).values.size() + store.lists(Kind::vertex).values.size();
  const std::size_t bytes = bytes_each * (edge_pairs_.size() + 2 * vertex_pairs_.size() + 3 * listed);
  store.check_room(bytes);
  cushion_ = Buffer<std::byte>(exec_, bytes);
}

Buffer<std::uint64_t> Repair::sorted(Buffer<std::uint64_t> pairs) const {
  if (pairs.empty()) return pairs;
  sort_keys<std::uint64_t>(exec_, pairs.span());
  Buffer<std::uint64_t> once(exec_, pairs.size());
  const std::size_t count = unique<std::uint64_t>(exec_, pairs.span(), once.span());
  if (count == once.size()) return once;
  Buffer<std::uint64_t> fitting(exec_, count);
  copy_here(exec_, fitting.data(), once.data(), fitting.bytes());
  return fitting;
}

void Repair::rebuild(Kind kind, const Buffer<std::uint64_t>& pairs, const std::uint8_t* flags) {
  Lists& lists = store_->lists(kind);
  const EditArrays mesh = store_->arrays();
  const Buffer<std::uint64_t> kept = pairs_of(exec_, lists.count, KeptLists{lists.view(), mesh, flags, kind});
  const Buffer<std::uint64_t> made = pairs_of(exec_, pairs.size(), NewLists{mesh, pairs.data(), kind});
  const Buffer<std::uint64_t> all = sorted(joined(exec_, kept, made));
  Lists next;
  if (!all.empty()) {
    Buffer<std::uint32_t> keys(exec_, all.size());
    next.values = Buffer<std::uint32_t>(exec_, all.size());
    run_loop(exec_, all.size(), SplitPairs{all.data(), keys.data(), next.values.data()});
    next.keys = Buffer<std::uint32_t>(exec_, all.size());
    Buffer<std::uint32_t> lengths(exec_, all.size());
    next.count = static_cast<std::uint32_t>(
        run_lengths<std::uint32_t>(exec_, keys.span(), next.keys.span(), lengths.span()));
    next.offsets = Buffer<std::uint32_t>(exec_, next.count + std::size_t{1});
    exclusive_scan<std::uint32_t, std::uint32_t>(exec_, lengths.span().first(next.count),
                                                 next.offsets.span());
  }
  lists = std::move(next);
}

void Repair::finish_edges() {
  const EditArrays mesh = store_->arrays();
  const Buffer<std::uint64_t> pairs =
      sorted(pairs_of(exec_, edge_pairs_.size(), LiveSides{mesh, edge_pairs_.data()}));
  Buffer<std::uint8_t> is_dead(exec_, edge_count_);
  run_loop(exec_, edge_count_,
           ResolveEdges{mesh, edges_.data(), pairs.data(), static_cast<std::uint32_t>(pairs.size()),
                        is_dead.data()});
  Buffer<std::uint32_t> dead(exec_, edge_count_);
  const std::size_t count =
      compact<std::uint32_t>(exec_, edges_.span().first(edge_count_), is_dead.span(), dead.span());
  if (count != 0) {
    store_->reserve_freed(Kind::edge, count);
    copy_here(exec_, store_->freed_end(Kind::edge), dead.data(), count * sizeof(std::uint32_t));
    store_->add_freed(Kind::edge, static_cast<std::uint32_t>(count));
  }
  rebuild(Kind::edge, pairs, edge_flags_.data());
}

void Repair::finish_vertices() {
  const Buffer<std::uint64_t> pairs = sorted(pairs_of(
      exec_, vertex_pairs_.size(), CornersOfEdges{EditMesh(store_->arrays()), vertex_pairs_.data()}));
  run_loop(exec_, vertex_count_,
           ResolveVertices{store_->arrays(), vertices_.data(), pairs.data(),
                           static_cast<std::uint32_t>(pairs.size())});
  rebuild(Kind::vertex, pairs, vertex_flags_.data());
}

void Repair::finish() {
  cushion_ = Buffer<std::byte>();
  finish_edges();
  finish_vertices();
}

}  // namespace tessera::detail
