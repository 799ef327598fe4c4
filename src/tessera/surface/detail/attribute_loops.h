// What attributes are copied, filled and reduced by, on either side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>

#include <tessera/core/macros.h>
#include <tessera/surface/attribute.h>

namespace tessera::detail {

/// Elements of `width` bytes.
struct ElementCopy {
  const void* from;
  void* to;
  std::span<const std::uint32_t> order;  ///< empty: 0, 1, ...
  std::size_t count;
  std::size_t width;
};

/// Moves one word of one element; an element is `words` of them.
template <class Word, bool Scatter>
struct MoveWord {
  const Word* from;
  Word* to;
  const std::uint32_t* order;
  std::size_t words;

  TS_HD void operator()(std::size_t i) const {
    const std::size_t element = i / words;
    const std::size_t word = i - element * words;
    const std::size_t other = (order != nullptr ? order[element] : element) * words + word;
    if constexpr (Scatter) {
      to[other] = from[i];
    } else {
      to[i] = from[other];
    }
  }
};

template <bool Scatter, class Side>
void move_elements(const Side& side, const ElementCopy& copy) {
  const std::uint32_t* order = copy.order.empty() ? nullptr : copy.order.data();
  const auto move = [&]<class Word>(Word) {
    const std::size_t words = copy.width / sizeof(Word);
    side.for_each(copy.count * words, MoveWord<Word, Scatter>{static_cast<const Word*>(copy.from),
                                                              static_cast<Word*>(copy.to), order, words});
  };
  if (copy.width % 8 == 0) {
    move(std::uint64_t{});
  } else if (copy.width % 4 == 0) {
    move(std::uint32_t{});
  } else {
    move(std::uint8_t{});
  }
}

template <class Side>
void gather(const Side& side, const ElementCopy& copy) {
  move_elements<false>(side, copy);
}
template <class Side>
void scatter(const Side& side, const ElementCopy& copy) {
  move_elements<true>(side, copy);
}

/// A piece of a value, which goes with the loop, into each element.
struct FillPiece {
  static constexpr std::size_t most = 64;
  unsigned char value[most];
  unsigned char* to;
  std::size_t piece;
  std::size_t width;

  TS_HD void operator()(std::size_t i) const {
    for (std::size_t k = 0; k < piece; ++k) to[i * width + k] = value[k];
  }
};

template <class Side>
void fill(const Side& side, const ElementCopy& copy) {
  for (std::size_t done = 0; done < copy.width; done += FillPiece::most) {
    const std::size_t piece = copy.width - done < FillPiece::most ? copy.width - done : FillPiece::most;
    FillPiece f = {};
    std::memcpy(f.value, static_cast<const unsigned char*>(copy.from) + done, piece);
    f.to = static_cast<unsigned char*>(copy.to) + done;
    f.piece = piece;
    f.width = copy.width;
    side.for_each(copy.count, f);
  }
}

struct FlagEdge {
  SurfaceRows<EF> faces;
  std::uint8_t* out;
  TS_HD void operator()(std::size_t e) const {
    out[e] = faces[tiled::EdgeId(static_cast<std::uint32_t>(e))].size() == 1 ? 1 : 0;
  }
};
/// Of an element with edges.
template <class R>
struct FlagByEdges {
  SurfaceRows<R> edges;
  SurfaceRows<EF> faces;
  std::uint8_t* out;
  TS_HD void operator()(std::size_t i) const {
    std::uint8_t flag = 0;
    for (const tiled::EdgeId e : edges[typename R::TiledRow(static_cast<std::uint32_t>(i))]) {
      if (faces[e].size() == 1) flag = 1;
    }
    out[i] = flag;
  }
};
struct CountEdges {
  SurfaceRows<VE> edges;
  std::uint32_t* out;
  TS_HD void operator()(std::size_t v) const {
    out[v] = static_cast<std::uint32_t>(edges[tiled::VertexId(static_cast<std::uint32_t>(v))].size());
  }
};

template <class Side>
void flag_boundary(const Side& side, const Surface& surface, Kind kind, std::uint8_t* out) {
  const auto faces = surface.rows<EF>();
  const std::size_t n = surface.count(kind);
  if (kind == Kind::edge) {
    side.for_each(n, FlagEdge{faces.template get<EF>(), out});
  } else if (kind == Kind::vertex) {
    const auto edges = surface.rows<VE>();
    side.for_each(n, FlagByEdges<VE>{edges.template get<VE>(), faces.template get<EF>(), out});
  } else {
    const auto edges = surface.rows<FE>();
    side.for_each(n, FlagByEdges<FE>{edges.template get<FE>(), faces.template get<EF>(), out});
  }
}
template <class Side>
void count_edges(const Side& side, const Surface& surface, std::uint32_t* out) {
  const auto edges = surface.rows<VE>();
  side.for_each(surface.vertex_count(), CountEdges{edges.template get<VE>(), out});
}

template <class T>
struct Plus {
  TS_HD T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct Value {
  const T* values;
  TS_HD SumOf<T> operator()(std::size_t i) const { return values[i]; }
};
template <class T>
struct StridedValue {
  const T* values;
  Stride stride;
  TS_HD SumOf<T> operator()(std::size_t i) const { return values[stride.first + i * stride.step]; }
};
template <class T>
struct Product {
  const T* a;
  const T* b;
  TS_HD SumOf<T> operator()(std::size_t i) const { return SumOf<T>{a[i]} * SumOf<T>{b[i]}; }
};
template <class T>
struct Placed {
  const T* values;
  TS_HD Extreme<T> operator()(std::size_t i) const { return {values[i], i}; }
};
/// The better of two; of equal ones that of the lower place. A place of `none` is no value.
template <class T>
struct Better {
  bool greatest;
  std::size_t none;

  [[nodiscard]] TS_HD bool is_value(const Extreme<T>& a) const {
    return a.place != none && a.value == a.value;
  }
  TS_HD Extreme<T> operator()(const Extreme<T>& a, const Extreme<T>& b) const {
    if (!is_value(b)) return is_value(a) ? a : Extreme<T>{T{}, none};
    if (!is_value(a)) return b;
    if (a.value == b.value) return a.place < b.place ? a : b;
    return (b.value < a.value) != greatest ? b : a;
  }
};

template <class Side, class T>
SumOf<T> sum(const Side& side, const T* values, std::size_t count, Stride stride) {
  using Sum = SumOf<T>;
  if (stride.step == 1) return side.reduce(count, Sum{}, Value<T>{values + stride.first}, Plus<Sum>{});
  return side.reduce(count, Sum{}, StridedValue<T>{values, stride}, Plus<Sum>{});
}
template <class Side, class T>
SumOf<T> dot(const Side& side, const T* a, const T* b, std::size_t count) {
  using Sum = SumOf<T>;
  return side.reduce(count, Sum{}, Product<T>{a, b}, Plus<Sum>{});
}
template <class Side, class T>
Extreme<T> extreme(const Side& side, const T* values, std::size_t count, bool greatest) {
  return side.reduce(count, Extreme<T>{T{}, count}, Placed<T>{values}, Better<T>{greatest, count});
}

}  // namespace tessera::detail
