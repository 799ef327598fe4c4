#include "data/tiling.h"

#include <fmt/format.h>

#include <algorithm>

#include "application/memory_bound.h"
#include "application/text.h"

namespace tessera::cli {

TilingOptionHandles add_tiling_options(OptionList& app, TilingOptions& options) {
  const Option max_vertices =
      app.add_option("--tile-vertices", options.max_vertices, "vertices that a tile owns at most")
          ->capture_default_str()
          ->type_name("N")
          ->in_range(1, 65536);
  const Option tiles =
      app.add_option("--tiles", options.tiles,
                     "how they are cut: auto (the file's order if it is local, else octree), octree or, for "
                     "triangles, lloyd (round patches of faces)")
          ->capture_default_str()
          ->is_member({"auto", "octree", "lloyd"});
  return {max_vertices, tiles};
}

std::vector<RelationKey> parse_relations(const std::string& names, int dimension) {
  if (names.empty()) return list_relations(dimension);
  std::vector<RelationKey> keys;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    const std::string name = names.substr(begin, end - begin);
    const auto key = find_relation(name, dimension);
    if (!key) {
      std::vector<std::string> known;
      for (const RelationKey& some : list_relations(dimension)) known.push_back(some.name());
      throw Error(ErrorCode::bad_option,
                  fmt::format("'{}' is no relation of {}; there are {}", name,
                              dimension == 3 ? "tetrahedra" : "triangles", fmt::join(known, " ")));
    }
    if (std::ranges::find(keys, *key) == keys.end()) keys.push_back(*key);
    begin = end + 1;
  }
  return keys;
}

int dimension_of(const AnyMesh& mesh) {
  if (std::holds_alternative<Grid>(mesh)) {
    throw Error(ErrorCode::unsupported,
                "a grid's relations follow from its indices; use a mesh of triangles or tetrahedra");
  }
  return std::holds_alternative<TetMesh>(mesh) ? 3 : 2;
}

std::string_view mode_name(StorageMode mode) {
  constexpr std::string_view names[] = {"automatic", "materialized", "explicit", "implicit"};
  return names[static_cast<std::size_t>(mode)];
}

Bytes connection_bytes(Session& session) {
  const Bytes left = session.memory().left();
  return left == MemoryBudget::unlimited ? left : left - left / 4;
}

Bytes limit_for_connection(Bytes used, Bytes least) {
  return used + least + least / 3 + mib(1);
}

Error connection_error(Session& session, const std::string& name, Bytes least) {
  const Bytes used = session.memory().used();
  return {ErrorCode::out_of_memory,
          fmt::format("{} needs {} besides {} that are in use, and --memory allows {}; a --memory that "
                      "works is {}",
                      name, format_bytes(least), format_bytes(used), format_bytes(session.memory().limit()),
                      format_limit(limit_for_connection(used, least) + MemoryBound::code_bytes))};
}

}  // namespace tessera::cli
