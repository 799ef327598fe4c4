// Attributes: a value for each vertex, edge or face of a surface.
//
//   ts::Attribute<ts::VertexId, ts::Vec3f> normal(surface);              // zeros
//   auto out = normal.view();                                            // for kernels: out[v], v a tiled id
//   ts::for_each<ts::VF>(surface, TS_LAMBDA(ts::tiled::VertexId v, auto faces) { out[v] = ...; });
//   mesh.point_data.add(ts::to_field(normal, "Normals"));                // in the input's order
//
// Where kernels run the values lie in tile order. Whoever is outside reads and writes them in the input's
// order, or in tile order on the host. A surface on a device has its attributes there; a copy for the host is
// made when the host asks, and goes back when a kernel asks, and not otherwise.
#pragma once

#include <array>
#include <atomic>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <tessera/core/array.h>
#include <tessera/core/error.h>
#include <tessera/core/id.h>
#include <tessera/core/vec.h>
#include <tessera/exec/buffer.h>
#include <tessera/mesh/field.h>
#include <tessera/surface/surface.h>

namespace tessera {

namespace detail {

template <class IdType>
inline constexpr Kind kind_of_id = std::is_same_v<IdType, VertexId> ? Kind::vertex
                                   : std::is_same_v<IdType, EdgeId> ? Kind::edge
                                                                    : Kind::face;

/// Elements of `width` bytes at exec's place: to[i] = from[order[i]], to[order[i]] = from[i], to[i] = *value,
/// the last from the host's memory. `order` lies at exec's place; an empty one is 0, 1, ...
void gather_elements(const Exec& exec, const void* from, std::span<const std::uint32_t> order, void* to,
                     std::size_t count, std::size_t width);
void scatter_elements(const Exec& exec, const void* from, std::span<const std::uint32_t> order, void* to,
                      std::size_t count, std::size_t width);
void fill_elements(const Exec& exec, const void* value, void* to, std::size_t count, std::size_t width);

/// How a field shows a type: numbers of one type, so many of them. With<S> has numbers of another type.
template <class T>
struct FieldTraits {
  using Scalar = T;
  static constexpr std::size_t components = 1;
  template <class S>
  using With = S;
};
template <class T>
struct FieldTraits<Vec3<T>> {
  using Scalar = T;
  static constexpr std::size_t components = 3;
  template <class S>
  using With = Vec3<S>;
};
template <class T, std::size_t N>
struct FieldTraits<std::array<T, N>> {
  using Scalar = T;
  static constexpr std::size_t components = N;
  template <class S>
  using With = std::array<S, N>;
};

}  // namespace detail

/// The values at one place, in tile order. A pointer: usable in kernels, valid as long as the attribute.
template <class TiledId, class T>
class AttributeView {
 public:
  AttributeView() = default;
  TS_HD explicit AttributeView(T* data) : data_(data) {}
  [[nodiscard]] TS_HD T& operator[](TiledId id) const { return data_[id.index()]; }
  [[nodiscard]] TS_HD T* data() const { return data_; }

  /// Adds while others may do so, too. T: numbers of 4 or 8 bytes, Vec3 or std::array of them. In which order
  /// is not promised: sums of floating-point numbers differ from run to run in their last bits. A function
  /// that gathers (VF instead of FV) gives the same bytes every time.
  TS_HD void add(TiledId id, const T& value) const {
    if constexpr (std::is_arithmetic_v<T>) {
      add_number(data_[id.index()], value);
    } else {
      using Traits = detail::FieldTraits<T>;
      static_assert(sizeof(T) == Traits::components * sizeof(typename Traits::Scalar));
      auto* to = reinterpret_cast<typename Traits::Scalar*>(data_ + id.index());
      const auto* from = reinterpret_cast<const typename Traits::Scalar*>(&value);
      for (std::size_t k = 0; k < Traits::components; ++k) add_number(to[k], from[k]);
    }
  }

 private:
  template <class S>
  static TS_HD void add_number(S& to, S value) {
    static_assert(std::is_arithmetic_v<S> && (sizeof(S) == 4 || sizeof(S) == 8),
                  "add() takes numbers of 4 or 8 bytes, Vec3 or std::array of them");
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_integral_v<S> && sizeof(S) == 8) {
      using Word = unsigned long long;  // CUDA adds no other integer of 8 bytes; they all wrap alike
      atomicAdd(reinterpret_cast<Word*>(&to), static_cast<Word>(value));
    } else {
      atomicAdd(&to, value);
    }
#else
    std::atomic_ref<S>(to).fetch_add(value, std::memory_order_relaxed);
#endif
  }

  T* data_ = nullptr;
};

/// IdType: VertexId, EdgeId or FaceId. T: any trivially copyable type.
template <class IdType, class T>
class Attribute {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  static constexpr Kind kind = detail::kind_of_id<IdType>;
  using TiledId = tiled::IdOf<kind>;
  using View = AttributeView<TiledId, T>;
  using ConstView = AttributeView<TiledId, const T>;

  explicit Attribute(const Surface& surface, const T& value = T{})
      : surface_(surface), values_(surface.exec(), surface.count(kind)) {
    fill(value);
  }
  /// Values in the input's order. Error(bad_mesh) unless there is one for each element.
  Attribute(const Surface& surface, std::span<const T> input)
      : surface_(surface), values_(surface.exec(), surface.count(kind)) {
    assign(input);
  }

  [[nodiscard]] const Surface& surface() const { return surface_; }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] std::size_t bytes() const { return values_.bytes() + host_.size() * sizeof(T); }

  /// For kernels at the surface's place. A view that can write makes the host's copy out of date: ask anew
  /// after the host has been asked for values.
  [[nodiscard]] View view() {
    upload();
    newest_ = Newest::place;
    return View(values_.data());
  }
  [[nodiscard]] ConstView view() const {
    upload();
    return ConstView(values_.data());
  }

  /// In tile order, on the host. Waits for the device.
  [[nodiscard]] std::span<const T> on_host() const {
    if (!surface_.exec().is_cuda()) return values_.span();
    download();
    return host_;
  }
  /// The same to be written to; kernels see it when they ask for their next view.
  [[nodiscard]] std::span<T> edit_on_host() {
    if (!surface_.exec().is_cuda()) return values_.span();
    download();
    newest_ = Newest::host;
    return host_;
  }

  void fill(const T& value) {
    newest_ = Newest::place;
    detail::fill_elements(surface_.exec(), &value, values_.data(), size(), sizeof(T));
  }

  /// In the input's order.
  [[nodiscard]] Array<T> values() const {
    upload();
    const auto order = surface_.to_input(kind);
    Array<T> out(size());
    if (!surface_.exec().is_cuda()) {
      detail::scatter_elements(surface_.exec(), values_.data(), order, out.data(), size(), sizeof(T));
      return out;
    }
    if (order.empty()) return values_.to_host();
    Buffer<T> input(surface_.exec(), size());
    detail::scatter_elements(surface_.exec(), values_.data(), order, input.data(), size(), sizeof(T));
    return input.to_host();
  }
  void assign(std::span<const T> input) {
    if (input.size() != size()) {
      throw Error(ErrorCode::bad_mesh, "an attribute of " + std::to_string(size()) + " elements was given " +
                                           std::to_string(input.size()) + " values");
    }
    newest_ = Newest::place;
    const auto order = surface_.to_input(kind);
    const Exec& exec = surface_.exec();
    if (!exec.is_cuda()) {
      detail::gather_elements(exec, input.data(), order, values_.data(), size(), sizeof(T));
    } else if (order.empty()) {
      values_.assign(input);
    } else {
      const Buffer<T> there(exec, input);
      detail::gather_elements(exec, there.data(), order, values_.data(), size(), sizeof(T));
    }
  }

 private:
  enum class Newest { both, place, host };

  void upload() const {
    if (newest_ != Newest::host) return;
    values_.assign(host_);
    newest_ = Newest::both;
  }
  void download() const {
    if (newest_ != Newest::place) return;
    host_ = values_.to_host();
    newest_ = Newest::both;
  }

  Surface surface_;
  mutable Buffer<T> values_;  ///< in tile order, at the surface's place
  mutable Array<T> host_;     ///< of a device's; empty until it is asked for
  mutable Newest newest_ = Newest::place;
};

template <class T>
using VertexAttribute = Attribute<VertexId, T>;
template <class T>
using EdgeAttribute = Attribute<EdgeId, T>;
template <class T>
using FaceAttribute = Attribute<FaceId, T>;

/// The coordinates of the vertices. Real: float or double, whatever the mesh has.
template <class Real>
[[nodiscard]] VertexAttribute<Vec3<Real>> positions(const Surface& surface);

/// A named field in the input's order. T: numbers, Vec3 or std::array of numbers.
template <class IdType, class T>
[[nodiscard]] Field to_field(const Attribute<IdType, T>& attribute, std::string name) {
  using Traits = detail::FieldTraits<T>;
  using Scalar = typename Traits::Scalar;
  static_assert(sizeof(T) == Traits::components * sizeof(Scalar));
  const Array<T> values = attribute.values();
  const auto* numbers = reinterpret_cast<const Scalar*>(values.data());
  return Field(std::move(name), Array<Scalar>(numbers, numbers + values.size() * Traits::components),
               Traits::components);
}

/// The attribute of a field, its numbers converted to those of T. Error(bad_mesh) unless it has as many
/// components as T and a tuple for each element.
template <class IdType, class T>
[[nodiscard]] Attribute<IdType, T> to_attribute(const Surface& surface, const Field& field) {
  using Traits = detail::FieldTraits<T>;
  using Scalar = typename Traits::Scalar;
  if (field.components() != Traits::components) {
    throw Error(ErrorCode::bad_mesh, "field '" + field.name() + "' has " +
                                         std::to_string(field.components()) + " components where " +
                                         std::to_string(Traits::components) + " are needed");
  }
  Array<T> values(field.size());
  auto* numbers = reinterpret_cast<Scalar*>(values.data());
  field.visit([&](auto from) {
    for (std::size_t i = 0; i < from.size(); ++i) numbers[i] = static_cast<Scalar>(from[i]);
  });
  return Attribute<IdType, T>(surface, values);
}

/// The tiled ids of the elements whose flag is not 0, ascending, at the surface's place: an active set
/// (surface.h).
template <class IdType>
[[nodiscard]] Buffer<std::uint32_t> select(const Attribute<IdType, std::uint8_t>& flags) {
  return detail::list_flagged(flags.surface().exec(), {flags.view().data(), flags.size()});
}

/// 1 for an edge of one triangle, and for the vertices and triangles that have such an edge; else 0.
template <class IdType>
[[nodiscard]] Attribute<IdType, std::uint8_t> boundary_flags(const Surface& surface);
/// How many edges each vertex has.
[[nodiscard]] VertexAttribute<std::uint32_t> valences(const Surface& surface);

// Reductions, in tile order and the fixed order of exec/detail/reduce_order.h: the same bytes on either side
// and for any number of threads.

/// Numbers that can be reduced: those of fields.
template <class T>
concept ReducibleNumber = std::same_as<T, std::int8_t> || std::same_as<T, std::uint8_t> ||
    std::same_as<T, std::int16_t> || std::same_as<T, std::uint16_t> || std::same_as<T, std::int32_t> ||
    std::same_as<T, std::uint32_t> || std::same_as<T, std::int64_t> || std::same_as<T, std::uint64_t> ||
    std::same_as<T, float> || std::same_as<T, double>;

/// What numbers are added up as: floating-point numbers as what they are, integers in 64 bits, so that the
/// sum of flags is their number.
template <class T>
using SumOf = std::conditional_t<std::is_floating_point_v<T>, T,
                                 std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

/// Of some numbers, every `step`-th from `first` on.
struct Stride {
  std::size_t first = 0;
  std::size_t step = 1;
};
/// The sum of `count` numbers at exec's place.
template <ReducibleNumber T>
[[nodiscard]] SumOf<T> sum_elements(const Exec& exec, const T* values, std::size_t count, Stride stride = {});
template <ReducibleNumber T>
[[nodiscard]] SumOf<T> dot_elements(const Exec& exec, const T* a, const T* b, std::size_t count);
/// Of numbers, the least or the greatest and the first place that has it; NaN is passed over. Place `count`
/// if there is none.
template <class T>
struct Extreme {
  T value;
  std::size_t place;
};
template <ReducibleNumber T>
[[nodiscard]] Extreme<T> find_extreme(const Exec& exec, const T* values, std::size_t count, bool greatest);

/// Of numbers, or of Vec3 or std::array of numbers component by component, each in the order in which an
/// attribute of that component alone would be summed. Integers are added up in 64 bits.
template <class IdType, class T>
[[nodiscard]] auto sum(const Attribute<IdType, T>& a) {
  using Traits = detail::FieldTraits<T>;
  using Scalar = typename Traits::Scalar;
  static_assert(ReducibleNumber<Scalar>, "sum() takes numbers, and Vec3 and std::array of numbers");
  typename Traits::template With<SumOf<Scalar>> total = {};
  auto* sums = reinterpret_cast<SumOf<Scalar>*>(&total);
  const auto* numbers = reinterpret_cast<const Scalar*>(a.view().data());
  for (std::size_t k = 0; k < Traits::components; ++k)
    sums[k] = sum_elements(a.surface().exec(), numbers, a.size(), {k, Traits::components});
  return total;
}
/// Of numbers, Vec3 or std::array of numbers: of all their components.
template <class IdType, class T>
[[nodiscard]] auto dot(const Attribute<IdType, T>& a, const Attribute<IdType, T>& b) {
  using Traits = detail::FieldTraits<T>;
  using Scalar = typename Traits::Scalar;
  static_assert(ReducibleNumber<Scalar>, "dot() takes numbers, and Vec3 and std::array of numbers");
  TS_EXPECTS(a.size() == b.size());
  return dot_elements(a.surface().exec(), reinterpret_cast<const Scalar*>(a.view().data()),
                      reinterpret_cast<const Scalar*>(b.view().data()), a.size() * Traits::components);
}
/// The square root of dot(a, a).
template <class IdType, class T>
[[nodiscard]] auto norm(const Attribute<IdType, T>& a) {
  return std::sqrt(dot(a, a));
}
/// The element with the least, or the greatest, value; of equal ones the lowest tiled id.
template <class IdType, class T>
[[nodiscard]] Extreme<T> min(const Attribute<IdType, T>& a) {
  static_assert(ReducibleNumber<T>, "min() compares numbers");
  return find_extreme(a.surface().exec(), a.view().data(), a.size(), false);
}
template <class IdType, class T>
[[nodiscard]] Extreme<T> max(const Attribute<IdType, T>& a) {
  static_assert(ReducibleNumber<T>, "max() compares numbers");
  return find_extreme(a.surface().exec(), a.view().data(), a.size(), true);
}

}  // namespace tessera
