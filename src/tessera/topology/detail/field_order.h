// The order of vertices by a field, by (value, id) as everywhere, without an array of its own
// where the values can be compared as they are.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include <tessera/core/array.h>
#include <tessera/core/macros.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/primitives.h>
#include <tessera/mesh/field.h>
#include <tessera/topology/detail/check_field.h>
#include <tessera/topology/detail/sortable.h>
#include <tessera/topology/order.h>

namespace tessera::detail {

/// 32 bits a vertex that compare like the values, where somebody else keeps them, host or device.
struct FieldOrderView {
  const std::uint32_t* values = nullptr;
  std::uint32_t sign = 0;
  std::uint32_t of_negative = 0;  ///< what is turned in the bits of negative numbers

  /// Compares like the values as an unsigned number.
  [[nodiscard]] TS_HD std::uint32_t value(std::uint32_t v) const { return turn(v) ^ sign; }
  /// ... as a signed number.
  [[nodiscard]] TS_HD std::int32_t signed_value(std::uint32_t v) const {
    return static_cast<std::int32_t>(turn(v) ^ sign ^ 0x80000000u);
  }

 private:
  [[nodiscard]] TS_HD std::uint32_t turn(std::uint32_t v) const {
    std::uint32_t bits;
    std::memcpy(&bits, values + v, sizeof(bits));  // it may be of a float
    return bits ^ (static_cast<std::uint32_t>(static_cast<std::int32_t>(bits) >> 31) & of_negative);
  }
};

/// 32 bits a vertex that compare like the values. Those of float, int32 and uint32 are the field's own, which
/// must stay; others take 4 bytes a vertex, and so do floats of which one is -0.
class FieldOrder {
 public:
  /// Error(unsupported) as compute_order().
  FieldOrder(const Field& field, const Exec& exec) {
    field.visit([&]<class T>(std::span<const T> values) {
      refuse_nan(values, field.name(), exec);
      if constexpr (sizeof(T) == 8) {
        rank(values, exec);
      } else if (sizeof(T) < 4 || has_negative_zero(values, exec)) {
        own_.resize(values.size());
        host_for_each(exec, values.size(), [&](std::size_t v) { own_[v] = sortable(values[v]); });
        view_.values = own_.data();
      } else {
        view_ = {reinterpret_cast<const std::uint32_t*>(values.data()), std::is_signed_v<T> ? 0x80000000u : 0,
                 std::is_floating_point_v<T> ? 0x7FFFFFFFu : 0};
      }
    });
  }
  FieldOrder(FieldOrder&&) = default;
  FieldOrder& operator=(FieldOrder&&) = default;

  [[nodiscard]] const FieldOrderView& view() const { return view_; }
  [[nodiscard]] std::uint32_t value(std::uint32_t v) const { return view_.value(v); }
  [[nodiscard]] VertexOrderKey operator[](std::uint32_t v) const {
    return VertexOrderKey{value(v)} << 32 | v;
  }
  [[nodiscard]] std::size_t bytes() const { return own_.size() * sizeof(std::uint32_t); }

 private:
  /// -0 is 0, but its bits are others.
  template <class T>
  static bool has_negative_zero(std::span<const T> values, const Exec& exec) {
    if constexpr (!std::is_same_v<T, float>) return false;
    std::atomic<bool> found = false;
    host::for_each_share(exec.threads(), values.size(), [&](host::Range share) {
      bool is_there = false;
      for (std::size_t v = share.begin; v < share.end; ++v)
        is_there |= std::bit_cast<std::uint32_t>(static_cast<float>(values[v])) == 0x80000000u;
      if (is_there) found = true;
    });
    return found;
  }
  /// The places of wide values in their sorted sequence.
  template <class T>
  void rank(std::span<const T> values, const Exec& exec) {
    Array<std::uint64_t> keys(values.size());
    Array<std::uint32_t> ids(values.size());
    host_for_each(exec, values.size(), [&](std::size_t v) {
      keys[v] = sortable(values[v]);
      ids[v] = static_cast<std::uint32_t>(v);
    });
    sort_pairs<std::uint64_t, std::uint32_t>(exec, keys, ids);
    own_.resize(values.size());
    host_for_each(exec, ids.size(),
                  [&](std::size_t place) { own_[ids[place]] = static_cast<std::uint32_t>(place); });
    view_.values = own_.data();
  }

  FieldOrderView view_;
  Array<std::uint32_t> own_;
};

}  // namespace tessera::detail
