// Rows of a surface as plain lists, wherever they lie.
#pragma once

#include <cstdint>
#include <vector>

#include <tessera/exec/buffer.h>
#include <tessera/surface/surface.h>
#include <tessera/tile/links.h>

namespace tessera::test {

using Lists = std::vector<std::vector<std::uint32_t>>;

inline std::vector<std::uint32_t> fetch(const Exec& exec, const std::uint32_t* from, std::size_t count) {
  std::vector<std::uint32_t> values(count);
  detail::copy(exec, values.data(), from, 4 * count, detail::CopyKind::to_host);
  return values;
}

template <class R>
Lists lists_of(const Surface& surface) {
  const auto kept = surface.rows<R>();
  const SurfaceRows<R> rows = kept.template get<R>();
  Lists lists(rows.size());
  std::vector<std::uint32_t> offsets;
  if (SurfaceRows<R>::width == 0) {
    offsets = fetch(surface.exec(), rows.offsets(), rows.size() + 1);
  } else {
    for (std::size_t i = 0; i <= rows.size(); ++i)
      offsets.push_back(static_cast<std::uint32_t>(i * SurfaceRows<R>::width));
  }
  const auto values = fetch(surface.exec(), rows.values(), offsets.back());
  for (std::size_t i = 0; i < lists.size(); ++i)
    lists[i].assign(values.begin() + offsets[i], values.begin() + offsets[i + 1]);
  return lists;
}

/// Calls f(R{}, name) for every relation that a surface can be asked for.
template <class F>
void for_each_surface_relation(const F& f) {
  for_each_relation<2>(f);
  f(OrientedFV{}, "oriented FV");
  f(OrientedFE{}, "oriented FE");
  f(CyclicVV{}, "cyclic VV");
  f(Diamond{}, "diamond");
  f(VertexLink<2>{}, "vertex links");
  f(EdgeLink<2>{}, "edge links");
}

}  // namespace tessera::test
