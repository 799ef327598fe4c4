// How long do geodesic distances by the heat method take: from a mesh to the first, and from each further
// source; and what do the parts of it take: matrices, solvers, products?
//   build/release/benchmarks/heat [--smoke] [threads] [level of the icosphere]
// The distances are compared with those of the sphere before a time is printed. On a machine with a GPU it is
// measured as well. Where Eigen and cuSPARSE are found, their factorization and their product stand beside.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <tessera/core/hash.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/heat_method.h>
#include <tessera/surface/solve.h>

#include "measure.h"

#if defined(HAS_EIGEN)
#include <Eigen/SparseCholesky>
#endif
#if defined(HAS_CUSPARSE)
#include <cusparse.h>
#endif

namespace {

using namespace tessera;

constexpr int products_at_once = 50;  // a product is too short to be timed alone

const char* name_of(HeatSolver solver) {
  return solver == HeatSolver::direct ? "direct" : "iterative";
}

Array<double> distances_from(HeatMethod& heat, std::uint32_t vertex) {
  const GeodesicSource source = VertexId(vertex);
  return heat.distances({&source, 1});
}

void check(const TriMesh& mesh, const Array<double>& distance) {
  const Vec3d from = mesh.points[VertexId(0)];
  double sum = 0;
  for (std::uint32_t v = 0; v < distance.size(); ++v) {
    const Vec3d p = mesh.points[VertexId(v)];
    const double exact = length(from) * std::atan2(length(cross(from, p)), dot(from, p));
    sum += std::abs(distance[v] - exact);
  }
  const double mean = sum / static_cast<double>(distance.size());
  if (mean < 0.05) return;
  std::fprintf(stderr, "distances are off by %g on average\n", mean);
  std::exit(1);
}

bench::Setup setup_of(const char* question, const TriMesh& mesh, const Exec& exec, bool smoke) {
  return {.question = question,
          .input = "icosphere, " + std::to_string(mesh.vertex_count()) + " vertices",
          .items = mesh.vertex_count(),
          .bytes = 0,
          .device = exec.is_cuda() ? exec.description() : "cpu",
          .threads = exec.threads(),
          .repeats = smoke ? 1 : 5};
}

void measure_heat(const TriMesh& mesh, const Exec& exec, bool smoke) {
  std::vector<bench::Variant> whole, further;
  std::vector<std::optional<Surface>> surfaces(2);
  std::vector<std::optional<HeatMethod>> prepared(2);
  for (const HeatSolver solver : {HeatSolver::iterative, HeatSolver::direct}) {
    const auto k = static_cast<std::size_t>(solver);
    surfaces[k].emplace(mesh, SurfaceOptions{.exec = exec, .max_vertices = 256});
    prepared[k].emplace(*surfaces[k], HeatOptions{.solver = solver});
    check(mesh, distances_from(*prepared[k], 0));
    const HeatReport report = prepared[k]->report();
    std::fprintf(stderr, "%s on %s: %u + %u iterations, residual %.2g, %.1f MB\n", name_of(solver),
                 exec.description().c_str(), report.heat_iterations, report.distance_iterations,
                 report.residual, static_cast<double>(prepared[k]->bytes()) / 1e6);
    whole.push_back({name_of(solver), [&mesh, exec, solver] {
                       const Surface surface(mesh, {.exec = exec, .max_vertices = 256});
                       HeatMethod heat(surface, {.solver = solver});
                       return hash_values(distances_from(heat, 0));
                     }});
    further.push_back(
        {name_of(solver), [&heat = *prepared[k]] { return hash_values(distances_from(heat, 7)); }});
  }
  bench::compare(setup_of("heat_from_mesh", mesh, exec, smoke), whole);
  bench::compare(setup_of("heat_further_source", mesh, exec, smoke), further);
}

#if defined(HAS_EIGEN)
/// One of the two systems of the heat method, M + t L, factored and solved by Eigen on one thread.
void measure_eigen(const TriMesh& mesh, bool smoke) {
  using Matrix = Eigen::SparseMatrix<double>;
  const Surface surface(mesh);
  const auto to_eigen = [](const CsrMatrix& from) {
    const auto n = static_cast<Eigen::Index>(from.offsets.size() - 1);
    std::vector<Eigen::Triplet<double>> entries;
    for (Eigen::Index row = 0; row < n; ++row) {
      const auto at = static_cast<std::size_t>(row);
      for (auto k = from.offsets[at]; k < from.offsets[at + 1]; ++k)
        entries.emplace_back(row, from.column_ids[k], from.values[k]);
    }
    Matrix to(n, n);
    to.setFromTriplets(entries.begin(), entries.end());
    return to;
  };
  const Matrix laplacian = to_eigen(in_input_order(surface, make_laplacian(surface)));
  const Matrix mass = to_eigen(in_input_order(surface, make_mass(surface)));
  const double edge =
      std::sqrt(8 * 3.14159265358979 / std::sqrt(3.0) / static_cast<double>(mesh.cell_count()));
  const Matrix system = mass + edge * edge * laplacian;
  Eigen::SimplicialLDLT<Matrix> factor;
  Eigen::VectorXd b = Eigen::VectorXd::Zero(system.rows());
  b[0] = 1;
  bench::Setup setup = setup_of("heat_eigen_one_system", mesh, Exec::host(1), smoke);
  setup.repeats = 1;  // it takes long
  bench::compare(setup, {{"factor",
                          [&] {
                            factor.compute(system);
                            return std::uint64_t{0};
                          }},
                         {"solve", [&] { return std::uint64_t{Eigen::VectorXd(factor.solve(b))[0] > 0}; }}});
}
#endif

#if defined(HAS_CUSPARSE)
/// y = A x by cuSPARSE, on the stream of the matrix.
class CusparseProduct {
 public:
  CusparseProduct(const SparseMatrix& a, double* x, double* y) : exec_(a.exec()) {
    const auto rows = static_cast<std::int64_t>(a.rows.size);
    const auto columns = static_cast<std::int64_t>(a.columns.size);
    cusparseCreate(&handle_);
    cusparseSetStream(handle_, static_cast<cudaStream_t>(exec_.stream()));
    cusparseCreateCsr(&matrix_, rows, columns, static_cast<std::int64_t>(a.entry_count()),
                      const_cast<std::uint32_t*>(a.offsets.data()),
                      const_cast<std::uint32_t*>(a.column_ids.data()), const_cast<double*>(a.values.data()),
                      CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    cusparseCreateDnVec(&x_, columns, x, CUDA_R_64F);
    cusparseCreateDnVec(&y_, rows, y, CUDA_R_64F);
    std::size_t bytes = 0;
    cusparseSpMV_bufferSize(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, x_, &zero_, y_,
                            CUDA_R_64F, CUSPARSE_SPMV_CSR_ALG1, &bytes);
    scratch_ = Buffer<std::uint8_t>(exec_, bytes + 1);
  }
  CusparseProduct(const CusparseProduct&) = delete;
  CusparseProduct& operator=(const CusparseProduct&) = delete;
  ~CusparseProduct() {
    cusparseDestroyDnVec(x_);
    cusparseDestroyDnVec(y_);
    cusparseDestroySpMat(matrix_);
    cusparseDestroy(handle_);
  }
  void apply() {
    const cusparseStatus_t status =
        cusparseSpMV(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, x_, &zero_, y_, CUDA_R_64F,
                     CUSPARSE_SPMV_CSR_ALG1, scratch_.data());
    if (status == CUSPARSE_STATUS_SUCCESS) return;
    std::fprintf(stderr, "cuSPARSE: %s\n", cusparseGetErrorString(status));
    std::exit(1);
  }

 private:
  Exec exec_;
  double one_ = 1, zero_ = 0;
  cusparseHandle_t handle_ = nullptr;
  cusparseSpMatDescr_t matrix_ = nullptr;
  cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
  Buffer<std::uint8_t> scratch_;
};
#endif

void measure_parts(const TriMesh& mesh, const Exec& exec, bool smoke) {
  const Surface surface(mesh, {.exec = exec, .max_vertices = 256});
  bench::compare(setup_of("make_matrix", mesh, exec, smoke),
                 {{"laplacian", [&] { return std::uint64_t{make_laplacian(surface).entry_count()}; }},
                  {"gradient", [&] { return std::uint64_t{make_gradient(surface).entry_count()}; }}});
  const SparseMatrix l = make_laplacian(surface);
  const LaplacianOperator free(surface);
  VertexAttribute<double> x(surface, 1), y(surface);
  const auto repeated = [&](const std::function<void(const double*, double*)>& product) {
    return [&, product] {
      for (int k = 0; k < products_at_once; ++k) product(x.view().data(), y.view().data());
      synchronize(exec);
      return std::uint64_t{0};
    };
  };
  std::vector<bench::Variant> products = {
      {"matrix", repeated([&](const double* from, double* to) { multiply(l, from, to); })},
      {"matrix-free", repeated([&](const double* from, double* to) { free.apply(from, to); })}};
#if defined(HAS_CUSPARSE)
  std::optional<CusparseProduct> peer;
  if (exec.is_cuda()) {
    peer.emplace(l, x.view().data(), y.view().data());
    products.push_back({"cusparse", repeated([&](const double*, double*) { peer->apply(); })});
  }
#endif
  bench::compare(
      setup_of(("laplacian_product_times_" + std::to_string(products_at_once)).c_str(), mesh, exec, smoke),
      products);
  Solver solver(make_laplacian(surface));
  Array<double> b(surface.vertex_count(), 0);
  b.front() = 1;
  b.back() = -1;
  const Buffer<double> there(exec, b);
  bench::compare(
      setup_of("poisson", mesh, exec, smoke),
      {{"prepare", [&] { return std::uint64_t{Solver(make_laplacian(surface)).level_count()}; }},
       {"solve", [&] { return std::uint64_t{solver.solve(there.data(), y.view().data()).iterations}; }}});
}

}  // namespace

int main(int argc, char** argv) {
  const bool smoke = bench::is_smoke(argc, argv);
  int level = smoke ? 3 : 7;
  for (int i = 1, seen = 0; i < argc; ++i) {
    if (std::atoi(argv[i]) > 0 && ++seen == 2) level = std::atoi(argv[i]);
  }
  const TriMesh mesh = make_ico(level, {.displace = false});
  std::vector<Exec> places = {Exec::host(bench::threads_argument(argc, argv))};
  if (!devices().empty()) places.push_back(Exec::cuda());
#if defined(HAS_EIGEN)
  measure_eigen(mesh, smoke);
#endif
  for (const Exec& exec : places) {
    measure_heat(mesh, exec, smoke);
    measure_parts(mesh, exec, smoke);
  }
}
