#include "data/matrices.h"

#include <fmt/format.h>

#include <functional>
#include <string_view>
#include <type_traits>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/surface/sparse.h>

namespace tessera::cli {
namespace {

struct Maker {
  std::string name;
  std::function<SparseMatrix(const Surface&)> make;
  Bytes of_triangle;  ///< at the peak, with the surface and the copy in the input's order; measured
};

std::vector<Maker> list_makers() {
  std::vector<Maker> makers = {
      {"laplacian", make_laplacian, 165},
      {"mass", [](const Surface& surface) { return make_mass(surface); }, 60},
      {"voronoi-mass", [](const Surface& surface) { return make_mass(surface, Mass::voronoi); }, 60},
      {"d0", make_d0, 150},
      {"d1", make_d1, 160},
      {"star1", make_star1, 135},
      {"gradient", make_gradient, 305},
      {"divergence", make_divergence, 300}};
  for_each_relation<2>([&]<class R>(R, std::string_view name) {
    const Bytes of_triangle = std::is_same_v<R, EE> ? 530 : 160;
    makers.push_back({std::string(name), make_relation_matrix<R>, of_triangle});
  });
  return makers;
}

Maker find_maker(const std::string& name) {
  std::string names;
  for (const Maker& maker : list_makers()) {
    if (maker.name == name) return maker;
    names += (names.empty() ? "" : ", ") + maker.name;
  }
  throw Error(ErrorCode::bad_option, fmt::format("--matrix '{}' is none of {}", name, names));
}

}  // namespace

CsrMatrix make_matrix(const TriMesh& mesh, const std::string& name, const Exec& exec,
                      const Monitor& monitor) {
  const Surface surface(mesh, {.exec = exec, .monitor = &monitor});
  return in_input_order(surface, find_maker(name).make(surface));
}

Work matrix_work(const TriMesh& mesh, const std::string& name) {
  Work work;
  work.host_bytes = find_maker(name).of_triangle * mesh.cell_count() + 60 * Bytes{mesh.vertex_count()};
  work.thread_bytes = mib(2);
  return work;
}

void check_matrix_name(const std::string& name) {
  (void)find_maker(name);
}

}  // namespace tessera::cli
