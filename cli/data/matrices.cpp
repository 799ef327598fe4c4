#include "data/matrices.h"

#include <fmt/format.h>

#include <functional>
#include <utility>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/surface/sparse.h>

namespace tessera::cli {
namespace {

using Maker = std::function<SparseMatrix(const Surface&)>;

std::vector<std::pair<std::string, Maker>> list_makers() {
  std::vector<std::pair<std::string, Maker>> makers = {
      {"laplacian", make_laplacian},
      {"mass", [](const Surface& surface) { return make_mass(surface); }},
      {"voronoi-mass", [](const Surface& surface) { return make_mass(surface, Mass::voronoi); }},
      {"d0", make_d0},
      {"d1", make_d1},
      {"star1", make_star1},
      {"gradient", make_gradient},
      {"divergence", make_divergence}};
  for_each_relation<2>(
      [&]<class R>(R, std::string_view name) { makers.emplace_back(name, make_relation_matrix<R>); });
  return makers;
}

Maker find_maker(const std::string& name) {
  std::string names;
  for (const auto& [known, maker] : list_makers()) {
    if (known == name) return maker;
    names += (names.empty() ? "" : ", ") + known;
  }
  throw Error(ErrorCode::bad_option, fmt::format("--matrix '{}' is none of {}", name, names));
}

}  // namespace

CsrMatrix make_matrix(const TriMesh& mesh, const std::string& name, const Exec& exec,
                      const Monitor& monitor) {
  const Surface surface(mesh, {.exec = exec, .monitor = &monitor});
  return in_input_order(surface, find_maker(name)(surface));
}

void check_matrix_name(const std::string& name) {
  (void)find_maker(name);
}

}  // namespace tessera::cli
