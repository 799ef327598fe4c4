// AnyRows: the rows of a relation that is known only when the program runs.
//
//   ts::AnyRows rows = conn.rows(*ts::find_relation("VT", 3));
//   auto reader = rows.reader();
//   for (std::uint32_t id : reader[v]) { ... }
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include <tessera/connect/statistics.h>
#include <tessera/tile/relation.h>

namespace tessera {

namespace detail {

/// What AnyRows and its readers stand for.
class ErasedReader {
 public:
  virtual ~ErasedReader() = default;
  [[nodiscard]] virtual std::span<const std::uint32_t> row(std::uint32_t id) = 0;
};
class ErasedRows {
 public:
  virtual ~ErasedRows() = default;
  [[nodiscard]] virtual RelationKey relation() const = 0;
  [[nodiscard]] virtual std::size_t size() const = 0;
  [[nodiscard]] virtual std::uint32_t in_tile_order(std::uint32_t i) const = 0;
  [[nodiscard]] virtual StoreStatistics statistics() const = 0;
  [[nodiscard]] virtual std::unique_ptr<ErasedReader> reader() const = 0;
};

}  // namespace detail

/// As Rows, with ids as plain numbers: those of the input, where it has any. Copy it freely, use it from any
/// thread.
class AnyRows {
 public:
  explicit AnyRows(std::shared_ptr<const detail::ErasedRows> rows) : rows_(std::move(rows)) {}

  [[nodiscard]] RelationKey relation() const { return rows_->relation(); }
  [[nodiscard]] std::size_t size() const { return rows_->size(); }
  [[nodiscard]] StoreStatistics statistics() const { return rows_->statistics(); }
  /// The row that comes i-th if all are read tile by tile, which computes no tile twice.
  [[nodiscard]] std::uint32_t in_tile_order(std::uint32_t i) const { return rows_->in_tile_order(i); }

  /// One for each thread.
  class Reader {
   public:
    explicit Reader(const AnyRows& rows) : rows_(rows.rows_), reader_(rows_->reader()) {}
    /// Valid until the next call.
    [[nodiscard]] std::span<const std::uint32_t> operator[](std::uint32_t id) { return reader_->row(id); }

   private:
    std::shared_ptr<const detail::ErasedRows> rows_;
    std::unique_ptr<detail::ErasedReader> reader_;
  };
  [[nodiscard]] Reader reader() const { return Reader(*this); }

 private:
  std::shared_ptr<const detail::ErasedRows> rows_;
};

}  // namespace tessera
