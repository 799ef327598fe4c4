// tessera morse-smale: the Morse-Smale complex of a scalar field: critical cells, separatrices, walls,
// regions.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include <tessera/distribute/regions.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/slabs.h"
#include "data/standard_streams.h"
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

void check_connectors(const MorseSmaleVerbOptions& options, bool is_flat) {
  if (!options.has_connectors && is_flat)
    throw Error(ErrorCode::bad_option,
                "connectors are of tetrahedra and grids with three axes; leave --no-connectors out");
}

/// Can the files that were named hold what this mesh gives?
void check_kind(const MorseSmaleVerbOptions& options, const TopologyInput& input) {
  const bool is_flat = input.dimension() == 2;
  if (!options.walls.empty() && is_flat)
    throw Error(ErrorCode::bad_option,
                "walls are of tetrahedra and grids with three axes; leave --walls out");
  check_connectors(options, is_flat);
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

/// A line of a table; the count is for the result.
std::size_t add_count(Table& table, const std::string& name, std::size_t count) {
  table.add({name, grouped(count)});
  return count;
}

/// count_of(dimension) is how many there are.
template <int Dim, class F>
void add_critical_cells(Session& session, Table& table, const F& count_of) {
  constexpr std::array<const char*, 4> cells =
      Dim == 2 ? std::array<const char*, 4>{"minima", "saddles", "maxima", ""}
               : std::array<const char*, 4>{"minima", "1-saddles", "2-saddles", "maxima"};
  Json& result = session.result()["critical_cells"] = Json::array();
  for (int d = 0; d <= Dim; ++d)
    result.push_back(add_count(table, cells[static_cast<std::size_t>(d)], count_of(d)));
}

void add_regions(Session& session, Table& table, const Segmentation::Counts& regions) {
  session.result()["manifolds"] = {
      {"ascending", add_count(table, "ascending manifolds", regions.ascending)},
      {"descending", add_count(table, "descending manifolds", regions.descending)},
      {"morse_smale", add_count(table, "Morse-Smale regions", regions.morse_smale)}};
}

template <int Dim>
void print_counts(Session& session, const MorseSmaleVerbOptions& options, const Found<Dim>& found) {
  Json& result = session.result();
  Table table({Align::left, Align::right});
  table.add({"Morse-Smale complex", "count"});
  const auto add = [&](const std::string& name, std::size_t count) { return add_count(table, name, count); };
  add_critical_cells<Dim>(session, table, [&](int d) { return found.critical_count(d); });
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
  if (options.has_segmentation) add_regions(session, table, found.complex.segmentation.count);
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

/// What of the options cannot be made in slabs; empty if all of it can.
std::string find_slab_obstacle(const MorseSmaleVerbOptions& options) {
  if (!options.critical_points.empty()) return "--critical-points";
  if (!options.separatrices.empty()) return "--separatrices";
  if (!options.walls.empty()) return "--walls";
  if (!options.threshold.empty()) return "--threshold";
  if (!options.has_segmentation) return "a complex without --segmentation";
  const std::string extension = options.output.file.empty() ? "vti" : options.output.extension();
  if (extension != "vti") return "a file of another format than vti";
  return options.output.ascii      ? "a file with --ascii"
         : options.output.compress ? "a file with --compress"
                                   : "";
}

Work estimate(const MorseSmaleVerbOptions& options, Work work, Bytes simplices) {
  if (!options.walls.empty()) work.host_bytes += wall_bytes * simplices;
  if (!options.separatrices.empty()) work.host_bytes += line_bytes * simplices;
  return work;
}

std::optional<SlabInput> find_slabs(Session& session, const MorseSmaleVerbOptions& options) {
  return find_slab_input(session,
                         {.input = options.topology.input,
                          .field = options.topology.field,
                          .obstacle = options.topology.find_slab_obstacle(find_slab_obstacle(options)),
                          .bytes_in_memory =
                              [&](const Grid& grid, const Field& field) {
                                return estimate(options, morse_smale_work(grid, field), simplex_count(grid))
                                    .host_bytes_of(session.host().threads());
                              },
                          .cost = regions_slab_cost});
}

template <int Dim>
void print_summary(Session& session, const RegionSummary& summary) {
  Table table({Align::left, Align::right});
  table.add({"Morse-Smale complex", "count"});
  add_critical_cells<Dim>(session, table,
                          [&](int d) { return summary.critical_cells[static_cast<std::size_t>(d)]; });
  session.result()["separatrices"] = Json::object();
  add_regions(session, table, summary.regions);
  session.print("{}", table.text());
}

/// Names of fields of the input that regions take the place of.
void note_replaced(Session& session, const GridFile& file) {
  FieldSet manifolds;
  add_manifolds(manifolds, {});
  FieldSet fields = file.shape().point_data;
  for (Field& manifold : manifolds) add_result(session, fields, std::move(manifold));
}

/// Separatrices are neither made nor counted.
int run_in_slabs(Session& session, const MorseSmaleVerbOptions& options, const SlabInput& input) {
  const bool is_flat = dimension(input.file.shape()) == 2;
  check_connectors(options, is_flat);
  if (options.has_separatrices || options.has_connectors)
    session.note("separatrices are not made in slabs, and not counted");
  session.result()["field"] = input.field;
  RegionSummary summary;
  const bool keeps_file = !options.output.file.empty();
  const auto write = [&](const std::filesystem::path& file, const WriteOptions& how) {
    summary = write_regions(input.file, input.field, file,
                            {.slabs = input.options(session), .write = how, .keeps_file = keeps_file});
  };
  std::uint64_t bytes = 0;
  if (keeps_file) {
    bytes = write_in_parts(session, options.output, write);
  } else {
    const NamelessFile labels;
    session.in_phase(Phase::compute, [&] { write("the regions", {.descriptor = labels.descriptor()}); });
  }
  session.print("{}\n", describe(input));
  is_flat ? print_summary<2>(session, summary) : print_summary<3>(session, summary);
  if (!keeps_file) return 0;
  note_replaced(session, input.file);
  report_output(session, options.output, AnyMesh(input.file.shape()), bytes);
  return 0;
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
  check_provider(options.topology);
  if (const auto slabs = find_slabs(session, options)) return run_in_slabs(session, options, *slabs);
  const auto input = read_topology_input(session, options.topology);
  check_kind(options, *input);
  session.result()["field"] = input->field->name();
  Segmentation segmentation;
  with_domain(
      session, options.topology, *input,
      [&](const auto& mesh, const auto&... field) {
        return estimate(options, morse_smale_work(mesh, field...), simplex_count(mesh));
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
