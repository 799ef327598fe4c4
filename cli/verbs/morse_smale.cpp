// tessera morse-smale: the Morse-Smale complex of a scalar field: critical cells, separatrices, walls,
// regions.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "application/text.h"
#include "application/verb.h"
#include "data/threshold.h"
#include "data/topology.h"

namespace tessera::cli {
namespace {

struct MorseSmaleVerbOptions {
  TopologyArguments topology;
  OutputOptions output;  ///< of the segmentation; the other files are written in the same way
  std::filesystem::path critical_points;
  std::filesystem::path separatrices;
  std::filesystem::path walls;
  std::string threshold;
  bool has_separatrices = true;
  bool has_connectors = true;
  bool has_segmentation = true;

  [[nodiscard]] OutputOptions output_to(const std::filesystem::path& file) const {
    return {file, output.ascii, output.compress};
  }
};

void check_options(Session& session, const MorseSmaleVerbOptions& options) {
  bool has_other = false;
  for (const auto& file : {options.critical_points, options.separatrices, options.walls}) {
    if (!file.empty()) check_poly_output(session, options.output_to(file));
    has_other = has_other || !file.empty();
  }
  check_output(session, has_other ? options.output.alone() : options.output);
  if (!options.output.file.empty() && !options.has_segmentation)
    throw Error(ErrorCode::bad_option,
                "-o writes the segmentation; leave out one of -o and --no-segmentation");
  if (!options.separatrices.empty() && !options.has_separatrices && !options.has_connectors) {
    throw Error(ErrorCode::bad_option,
                "--separatrices has nothing to write with --no-separatrices and --no-connectors");
  }
  if (!options.walls.empty() && !options.threshold.empty())
    throw Error(ErrorCode::bad_option, "walls are not simplified; leave out one of --walls and --threshold");
}

/// Of walls and the polygons they are written as, for each tetrahedron: what a rough field takes. How many
/// walls there are is known when they are made.
constexpr Bytes wall_bytes = 140;
/// Likewise, of separatrices as lines.
constexpr Bytes line_bytes = 90;

/// Can the files that were named hold what this mesh gives?
void check_kind(const MorseSmaleVerbOptions& options, const TopologyInput& input) {
  const bool is_flat = input.dimension() == 2;
  if (!options.walls.empty() && is_flat)
    throw Error(ErrorCode::bad_option,
                "walls are of tetrahedra and grids with three axes; leave --walls out");
  if (!options.has_connectors && is_flat)
    throw Error(ErrorCode::bad_option,
                "connectors are of tetrahedra and grids with three axes; leave --no-connectors out");
  if (!options.separatrices.empty() && !options.has_separatrices && is_flat)
    throw Error(ErrorCode::bad_option, "--separatrices has nothing to write with --no-separatrices");
  check_point_data_output(options.output, input.input.mesh, "the segmentation");
}

/// A complex, and what simplification has left of it: paths and regions are then those of the simplified one.
template <int Dim>
struct Found {
  MorseSmaleComplex<Dim> complex;
  std::optional<SimplifiedComplex> simplified;

  [[nodiscard]] std::size_t critical_count(int dimension) const {
    return simplified ? simplified->critical[static_cast<std::size_t>(dimension)].size()
                      : complex.gradient.critical_cells(dimension).size();
  }
};

template <int Dim>
void print_counts(Session& session, const MorseSmaleVerbOptions& options, const Found<Dim>& found) {
  constexpr std::array<const char*, 4> cells =
      Dim == 2 ? std::array<const char*, 4>{"minima", "saddles", "maxima", ""}
               : std::array<const char*, 4>{"minima", "1-saddles", "2-saddles", "maxima"};
  Json& result = session.result();
  Table table({Align::left, Align::right});
  table.add({"Morse-Smale complex", "count"});
  const auto add = [&](const std::string& name, std::size_t count) {
    table.add({name, grouped(count)});
    return count;
  };
  result["critical_cells"] = Json::array();
  for (int d = 0; d <= Dim; ++d)
    result["critical_cells"].push_back(add(cells[static_cast<std::size_t>(d)], found.critical_count(d)));
  const Separatrices& paths = found.complex.separatrices;
  result["separatrices"] = Json::object();
  if (options.has_separatrices)
    result["separatrices"]["descending"] =
        add("descending separatrices", paths.count(SeparatrixType::descending));
  if (options.has_connectors && Dim == 3) {
    result["separatrices"]["connectors"] = add("connectors", paths.count(SeparatrixType::connector));
  }
  if (options.has_separatrices) {
    result["separatrices"]["ascending"] =
        add("ascending separatrices", paths.count(SeparatrixType::ascending));
  }
  if (options.has_segmentation) {
    const auto& regions = found.complex.segmentation.count;
    result["manifolds"] = {{"ascending", add("ascending manifolds", regions.ascending)},
                           {"descending", add("descending manifolds", regions.descending)},
                           {"morse_smale", add("Morse-Smale regions", regions.morse_smale)}};
  }
  session.print("{}", table.text());
  if (!found.simplified) return;
  result["threshold"] = found.simplified->threshold;
  result["kept_below_threshold"] = found.simplified->kept;
  session.print("simplified at {:.6g}; {} below it could not be cancelled\n", found.simplified->threshold,
                counted(found.simplified->kept, "pair", "pairs"));
}

/// Paths and walls are given back when files have them.
template <class D, int Dim = D::dim>
void write_parts(Session& session, const MorseSmaleVerbOptions& options, const D& domain, Found<Dim>& found) {
  MorseSmaleComplex<Dim>& complex = found.complex;
  if (options.critical_points.empty() && options.separatrices.empty() && options.walls.empty()) return;
  auto exporter = session.in_phase(Phase::compute, [&] {
    return TopologyExporter<Dim>(complex.gradient, domain.mesh, domain.field, export_options(session));
  });
  const auto write = [&](const std::filesystem::path& file, const char* key, auto&& make) {
    if (file.empty()) return;
    const PolyData poly = session.in_phase(Phase::compute, make);
    session.result()["outputs"][key] = write_poly_output(session, options.output_to(file), poly);
  };
  write(options.critical_points, "critical_points", [&] {
    return exporter.critical_cells({options.has_segmentation ? &complex.segmentation : nullptr,
                                    found.simplified ? &*found.simplified : nullptr});
  });
  write(options.separatrices, "separatrices", [&] {
    const Separatrices paths = std::move(complex.separatrices);
    return exporter.separatrices(paths);
  });
  complex.separatrices = {};
  if constexpr (Dim == 3) {
    write(options.walls, "walls", [&] { return exporter.walls(std::move(complex.walls)); });
  }
}

template <class D, int Dim = D::dim>
Found<Dim> find_complex(Session& session, const MorseSmaleVerbOptions& options, const Threshold& threshold,
                        const D& domain) {
  auto parts = domain.template options<MorseSmaleOptions<Dim>>(session);
  parts.separatrices = options.has_separatrices;
  parts.connectors = options.has_connectors;
  parts.walls = !options.walls.empty();
  parts.keep_paths = !options.threshold.empty();
  parts.segmentation = options.has_segmentation;
  Found<Dim> found{domain.complex(parts), {}};
  if (options.threshold.empty()) return found;
  const Persistence persistence = compute_persistence(found.complex.gradient, domain.field,
                                                      domain.template options<PersistenceOptions>(session));
  found.simplified = simplify(found.complex, persistence, threshold.of(persistence),
                              domain.template options<SimplifyOptions>(session));
  found.complex.separatrices = std::move(found.simplified->separatrices);
  found.complex.segmentation = std::move(found.simplified->segmentation);
  return found;
}

/// Computes, prints and writes all but the segmentation, which is returned.
template <class D, int Dim = D::dim>
Segmentation compute_and_write(Session& session, const MorseSmaleVerbOptions& options,
                               const Threshold& threshold, const D& domain) {
  Found<Dim> found =
      session.in_phase(Phase::compute, [&] { return find_complex(session, options, threshold, domain); });
  session.print("{}\n", domain.title);
  print_counts(session, options, found);
  write_parts(session, options, domain, found);
  if (!found.simplified) return std::move(found.complex.segmentation);
  return number_remaining<Dim>(std::move(found.complex.segmentation), *found.simplified);
}

void declare_morse_smale(OptionList& app, MorseSmaleVerbOptions& options) {
  add_topology_options(app, options.topology);
  add_output_options(app, options.output, "-o,--output,--segmentation")
      ->description("write the mesh or grid with the region of each point");
  const auto add_file = [&](const char* name, std::filesystem::path& file, const char* what) {
    app.add_option(name, file, what)->type_name("FILE");
  };
  add_file("--critical-points", options.critical_points, "write the critical cells as points (.vtp, .vtk)");
  add_file("--separatrices", options.separatrices, "write separatrices as lines (.vtp, .vtk)");
  add_file("--walls", options.walls, "write the surfaces between regions as polygons (.vtp, .vtk)");
  add_threshold_option(app, options.threshold, "simplify: cancel pairs that persist less");
  app.add_flag("!--no-separatrices", options.has_separatrices, "leave ascending and descending ones out");
  app.add_flag("!--no-connectors", options.has_connectors, "leave out paths between saddles");
  app.add_flag("!--no-segmentation", options.has_segmentation, "leave the regions out");
}

int run_morse_smale(Session& session, const MorseSmaleVerbOptions& options) {
  check_options(session, options);
  const Threshold threshold = parse_threshold(options.threshold);
  const auto input = read_topology_input(session, options.topology);
  check_kind(options, *input);
  session.result()["field"] = input->field->name();
  Segmentation segmentation;
  with_domain(
      session, options.topology, *input,
      [&](const auto& mesh, const auto&... field) {
        Work work = morse_smale_work(mesh, field...);
        if (!options.walls.empty()) work.host_bytes += wall_bytes * simplex_count(mesh);
        if (!options.separatrices.empty()) work.host_bytes += line_bytes * simplex_count(mesh);
        return work;
      },
      [&](const auto& domain) { segmentation = compute_and_write(session, options, threshold, domain); });
  if (!options.output.file.empty()) {
    FieldSet manifolds;
    add_manifolds(manifolds, std::move(segmentation));
    std::visit(
        [&](auto& mesh) {
          for (Field& manifold : manifolds) add_result(session, mesh.point_data, std::move(manifold));
        },
        input->input.mesh);
    write_output(session, options.output, input->input.mesh);
  }
  return 0;
}

}  // namespace

Verb morse_smale_verb() {
  return define_verb<MorseSmaleVerbOptions>(
      {"morse-smale", Group::analyse,
       "the Morse-Smale complex of a scalar field: critical cells, separatrices, regions",
       "  tessera morse-smale kuhn64.vtu --field rough --critical-points c.vtp --separatrices s.vtp\n"
       "  tessera morse-smale scan.vti --field mri --threshold 5% -o regions.vti"},
      declare_morse_smale, run_morse_smale, {.mesh = 14, .grid = 420, .has_large_results = true});
}

}  // namespace tessera::cli
