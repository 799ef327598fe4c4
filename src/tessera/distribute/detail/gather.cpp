#include <tessera/distribute/gather.h>

#include <algorithm>

#include <tessera/core/detail/monitor.h>
#include <tessera/distribute/slabs.h>

namespace tessera {

using namespace detail;
namespace {

void copy_tuple(const Field& from, std::size_t tuple, Field& to, std::size_t at) {
  from.visit([&]<class T>(std::span<const T> values) {
    const auto part = values.subspan(tuple * from.components(), from.components());
    std::copy(part.begin(), part.end(),
              to.as<T>().begin() + static_cast<std::ptrdiff_t>(at * to.components()));
  });
}

}  // namespace

Field gather(const GridFile& file, const StoredField& field, std::span<const VertexId> vertices,
             const Monitor* monitor) {
  const std::size_t layer = layers_of(file.shape()).points;
  Field values(field.name, field.type, vertices.size(), field.components);
  Field held(field.name, field.type, layer, field.components);
  for (std::size_t i = 0; i < vertices.size();) {
    monitor_of(monitor).update("reading values",
                               static_cast<double>(i) / static_cast<double>(vertices.size()));
    const std::size_t begin = vertices[i].index() / layer * layer;
    file.read(field, begin, layer, held);
    for (; i < vertices.size() && vertices[i].index() - begin < layer; ++i)
      copy_tuple(held, vertices[i].index() - begin, values, i);
  }
  return values;
}

}  // namespace tessera
