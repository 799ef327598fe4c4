#include <tessera/connect/any_rows.h>

#include <optional>
#include <string>

#include <tessera/connect/connectivity.h>
#include <tessera/core/error.h>
#include <tessera/tile/links.h>

namespace tessera {
namespace {

using std::uint32_t;

template <class R, int Dim>
class ReaderOf final : public detail::ErasedReader {
 public:
  explicit ReaderOf(const Rows<R, Dim>& rows) : reader_(rows) {}
  [[nodiscard]] std::span<const uint32_t> row(uint32_t id) override {
    return reader_[typename R::Row(id)].indices();
  }

 private:
  typename Rows<R, Dim>::Reader reader_;
};

template <class R, int Dim>
class RowsOf final : public detail::ErasedRows {
 public:
  RowsOf(const Rows<R, Dim>& rows, const TiledMesh<Dim>& tiles) : rows_(rows), tiles_(&tiles) {}
  [[nodiscard]] RelationKey relation() const override { return key_of<R>; }
  [[nodiscard]] std::size_t size() const override { return rows_.size(); }
  [[nodiscard]] uint32_t in_tile_order(uint32_t i) const override {
    if constexpr (R::from == Kind::vertex || static_cast<int>(R::from) == Dim)
      return tiles_->input(typename R::TiledRow(i)).index();
    return i;  // edges and faces are numbered by tiles
  }
  [[nodiscard]] StoreStatistics statistics() const override { return rows_.statistics(); }
  [[nodiscard]] std::unique_ptr<detail::ErasedReader> reader() const override {
    return std::make_unique<ReaderOf<R, Dim>>(rows_);
  }

 private:
  Rows<R, Dim> rows_;
  const TiledMesh<Dim>* tiles_;  // which the rows keep alive
};

}  // namespace

template <int Dim>
AnyRows Connectivity<Dim>::rows(RelationKey key) {
  std::shared_ptr<const detail::ErasedRows> rows;
  const auto offer = [&]<class R>(R) {
    if (key == key_of<R>) rows = std::make_shared<RowsOf<R, Dim>>(std::get<0>(request<R>()), tiles());
  };
  for_each_relation<Dim>([&](auto relation, std::string_view) { offer(relation); });
  offer(VertexLink<Dim>{});
  offer(EdgeLink<Dim>{});
  if constexpr (Dim == 3) offer(FaceLink<3>{});
  if (rows == nullptr) {
    throw Error(ErrorCode::unsupported,
                std::string(Dim == 3 ? "tetrahedra have no " : "triangles have no ") + key.name());
  }
  return AnyRows(std::move(rows));
}

template AnyRows Connectivity<2>::rows(RelationKey key);
template AnyRows Connectivity<3>::rows(RelationKey key);

}  // namespace tessera
