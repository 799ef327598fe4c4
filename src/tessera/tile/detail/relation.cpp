#include <tessera/tile/relation.h>

#include <algorithm>
#include <cctype>

#include <tessera/tile/links.h>

namespace tessera {

std::vector<RelationKey> list_relations(int dimension) {
  std::vector<RelationKey> keys;
  const auto add = [&]<class R>(R, std::string_view) { keys.push_back(key_of<R>); };
  dimension == 3 ? for_each_relation<3>(add) : for_each_relation<2>(add);
  return keys;
}

std::vector<RelationKey> list_links(int dimension) {
  if (dimension == 2) return {key_of<VertexLink<2>>, key_of<EdgeLink<2>>};
  return {key_of<VertexLink<3>>, key_of<EdgeLink<3>>, key_of<FaceLink<3>>};
}

std::optional<RelationKey> find_relation(std::string_view name, int dimension) {
  std::string upper(name);
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
  for (const RelationKey& key : list_relations(dimension)) {
    if (key.name() == upper) return key;
  }
  return std::nullopt;
}

}  // namespace tessera
