// How long do generators take on the host?
//   build/release/benchmarks/generators [--smoke] [threads]
//   [weld|subdivide|tetrahedralize|parts|coarsen|dual]
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/hash.h>
#include <tessera/generate/clip.h>
#include <tessera/generate/coarsen.h>
#include <tessera/generate/extract.h>
#include <tessera/generate/isosurface.h>
#include <tessera/generate/slice.h>
#include <tessera/generate/subdivide.h>
#include <tessera/generate/tetrahedralize.h>
#include <tessera/generate/weld.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/curvature.h>
#include <tessera/surface/dual.h>

#include "measure.h"
#include "surfaces.h"

namespace {

using namespace tessera;
using bench::variant;

struct Run {
  Exec exec;
  bool smoke;

  [[nodiscard]] bench::Setup setup(std::string question, std::string input, std::uint64_t items,
                                   std::uint64_t bytes) const {
    return {.question = std::move(question),
            .input = std::move(input),
            .items = items,
            .bytes = bytes,
            .threads = exec.threads(),
            .repeats = smoke ? 1 : 9};
  }
};

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "wrong result: %s\n", what);
  std::exit(1);
}

void measure_weld(const Run& run) {
  const int level = run.smoke ? 4 : 8;
  const TriMesh ico = make_ico(level);
  const auto compare = [&](const std::string& input, const TriMesh& soup) {
    const auto check = [&](const Welded<2>& welded) {
      expect(welded.mesh.vertex_count() == ico.vertex_count(), "points of the welded mesh");
      expect(welded.mesh.cell_count() == ico.cell_count(), "triangles of the welded mesh");
      return bench::checksum_of(welded.mesh);
    };
    const auto with = [&](double tolerance) {
      return [&, tolerance] { return weld(soup, {.tolerance = tolerance, .exec = run.exec}); };
    };
    bench::compare(run.setup("weld", input, soup.cell_count(), soup.bytes() + 24 * ico.vertex_count()),
                   {variant("exact", with(0), check), variant("tolerance 1e-6", with(1e-6), check)});
  };
  compare("soup of ico" + std::to_string(level), bench::make_soup(ico));
  compare("soup of ico" + std::to_string(level) + " shuffled", bench::make_soup(make_shuffled(ico)));
}

void measure_subdivide(const Run& run) {
  const int level = run.smoke ? 4 : 7;
  const TriMesh ico = make_ico(level);
  const TriMesh shuffled = make_shuffled(ico);
  const auto check = [&](const Subdivision<2>& finer) {
    expect(finer.mesh.vertex_count() == 4 * ico.vertex_count() - 6, "points of the finer mesh");
    expect(finer.mesh.cell_count() == 4 * ico.cell_count(), "triangles of the finer mesh");
    return bench::checksum_of(finer.mesh);
  };
  const auto with = [&](const TriMesh& mesh, SubdivisionScheme scheme) {
    return [&, scheme] { return subdivide(mesh, {.scheme = scheme, .exec = run.exec}); };
  };
  bench::compare(run.setup("subdivide", "ico" + std::to_string(level), 4 * ico.cell_count(), 5 * ico.bytes()),
                 {variant("linear", with(ico, SubdivisionScheme::linear), check),
                  variant("loop", with(ico, SubdivisionScheme::loop), check),
                  variant("linear, shuffled", with(shuffled, SubdivisionScheme::linear), check),
                  variant("loop, shuffled", with(shuffled, SubdivisionScheme::loop), check)});
  const TetMesh kuhn = make_kuhn_full(run.smoke ? 9 : 65);
  const auto cut = [&] { return subdivide(kuhn, {.exec = run.exec}); };
  const auto check_tets = [&](const Subdivision<3>& finer) {
    expect(finer.mesh.cell_count() == 8 * kuhn.cell_count(), "tetrahedra of the finer mesh");
    return bench::checksum_of(finer.mesh);
  };
  bench::compare(run.setup("subdivide", "kuhn-full tets", 8 * kuhn.cell_count(), 9 * kuhn.bytes()),
                 {variant("linear", cut, check_tets)});
}

void measure_tetrahedralize(const Run& run) {
  const std::uint32_t n = run.smoke ? 9 : 128;
  const Grid grid = make_lattice(n, n, n);
  const auto with = [&](TetMethod method) {
    return [&, method] { return tetrahedralize(grid, {.method = method, .exec = run.exec}); };
  };
  const auto check = [&](std::size_t parts) {
    return [&, parts](const Tetrahedralization& cut) {
      expect(cut.mesh.cell_count() == parts * grid.cell_count(), "tetrahedra of the grid");
      return bench::checksum_of(cut.mesh);
    };
  };
  bench::compare(
      run.setup("tetrahedralize", std::to_string(n) + "^3 points", grid.cell_count(),
                grid.cell_count() * 5 * sizeof(TetMesh::Cell)),
      {variant("five", with(TetMethod::five), check(5)), variant("six", with(TetMethod::six), check(6)),
       variant("face-centred", with(TetMethod::face_centred), check(24))});
}

/// Parts of a mesh with a field on its points.
void measure_parts(const Run& run) {
  TetMesh kuhn = make_kuhn_full(run.smoke ? 9 : 128);
  kuhn.point_data.add(make_wave_field(kuhn.points, WaveField::smooth));
  const Field& field = kuhn.field("smooth");
  const Plane plane = {{0.5, 0.5, 0.5}, {1, 0.3, 0.2}};
  const ValueRange range = {.low = 0};
  const auto check_slice = [](const Isosurface& cut) {
    expect(cut.mesh.cell_count() > 0, "triangles of the slice");
    return bench::checksum_of(cut.mesh);
  };
  const auto check_clip = [&](const Clipped<3>& part) {
    expect(part.mesh.cell_count() > kuhn.cell_count() / 4, "tetrahedra of the clip");
    return bench::checksum_of(part.mesh);
  };
  const auto check_part = [&](const Extracted<3>& part) {
    expect(part.mesh.cell_count() < kuhn.cell_count(), "tetrahedra of the part");
    return bench::checksum_of(part.mesh);
  };
  bench::compare(run.setup("parts", "kuhn-full tets", kuhn.cell_count(), kuhn.bytes()),
                 {variant(
                      "slice", [&] { return slice(kuhn, plane, {.exec = run.exec}); }, check_slice),
                  variant(
                      "clip by plane", [&] { return clip(kuhn, plane, {.exec = run.exec}); }, check_clip),
                  variant(
                      "clip by value", [&] { return clip(kuhn, field, 0, {.exec = run.exec}); }, check_clip),
                  variant(
                      "threshold",
                      [&] {
                        const auto keeps = select_values(kuhn, {field}, {&range, 1}, {.exec = run.exec});
                        return extract_cells(kuhn, keeps, {.exec = run.exec});
                      },
                      check_part)});
}

/// The isosurface itself is timed beside what is done to it.
void measure_surfaces(const Run& run, bool coarsens, bool duals) {
  const std::uint32_t n = run.smoke ? 17 : 128;
  const Grid grid = make_lattice(n, n, n);
  const Field field = make_mri_field(grid);
  const double value = 0.15;
  const auto make = [&] {
    return isosurface(grid, field, {&value, 1}, {.keep_provenance = true, .exec = run.exec});
  };
  const Isosurface surface = make();
  const auto setup = [&](const std::string& question) {
    return run.setup(question, "mri " + std::to_string(n) + "^3", surface.mesh.cell_count(),
                     surface.mesh.bytes());
  };
  if (coarsens) {
    const auto check = [&](const Coarsened& coarse) {
      expect(coarse.mesh.cell_count() + coarse.dropped.size() + coarse.folded.size() ==
                 surface.mesh.cell_count(),
             "triangles left");
      return bench::checksum_of(coarse.mesh);
    };
    bench::compare(
        setup("coarsen"),
        {variant("isosurface", make, [](const Isosurface& s) { return bench::checksum_of(s.mesh); }),
         variant(
             "coarsen", [&] { return coarsen(surface.mesh, surface.provenance, {.exec = run.exec}); },
             check)});
  }
  if (!duals) return;
  const auto check = [&](const PolyData& dual) {
    expect(dual.vertex_count() == surface.mesh.cell_count(), "points of the dual");
    return hash_values(dual.polygons.corners, hash_values(dual.lines.corners));
  };
  const auto check_curvature = [](const Curvature& curvature) {
    return hash_values(curvature.mean, hash_values(curvature.gaussian));
  };
  bench::compare(setup("dual"),
                 {variant(
                      "dual", [&] { return make_dual(surface.mesh, {.exec = run.exec}); }, check),
                  variant(
                      "curvature", [&] { return compute_curvature(surface.mesh, {.exec = run.exec}); },
                      check_curvature)});
}

}  // namespace

int main(int argc, char** argv) {
  const Run run = {Exec::host(bench::threads_argument(argc, argv)), bench::is_smoke(argc, argv)};
  const auto is_asked = [&](std::string_view name) { return bench::is_asked(argc, argv, name); };
  if (is_asked("weld")) measure_weld(run);
  if (is_asked("subdivide")) measure_subdivide(run);
  if (is_asked("tetrahedralize")) measure_tetrahedralize(run);
  if (is_asked("parts")) measure_parts(run);
  const bool coarsens = is_asked("coarsen");
  const bool duals = is_asked("dual");
  if (coarsens || duals) measure_surfaces(run, coarsens, duals);
}
