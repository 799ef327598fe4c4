// tessera gradient: the discrete gradient of a scalar field, its critical cells and its pairs.
#include <fmt/format.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/topology.h"

namespace tessera::cli {
namespace {

struct GradientVerbOptions {
  TopologyArguments topology;
  OutputOptions output;
  std::filesystem::path critical;

  [[nodiscard]] OutputOptions critical_output() const { return {critical, output.ascii, output.compress}; }
};

template <int Dim>
void print_counts(Session& session, const Gradient<Dim>& gradient) {
  constexpr std::array<const char*, 4> cells = {"vertex", "edge", "triangle", "tetrahedron"};
  std::array<std::size_t, Dim + 1> critical{};
  for (int d = 0; d <= Dim; ++d) critical[static_cast<std::size_t>(d)] = gradient.critical_cells(d).size();
  // Each cell that is not critical is in one pair.
  std::array<std::size_t, Dim> pairs{};
  pairs[0] = gradient.vertex_count() - critical[0];
  if constexpr (Dim == 3) pairs[1] = gradient.edge_count() - critical[1] - pairs[0];
  pairs[Dim - 1] = gradient.cell_count() - critical[Dim];
  Table table({Align::left, Align::right, Align::right});
  table.add({"cell", "critical", "paired with a larger one"});
  std::int64_t euler = 0;
  for (std::size_t d = 0; d <= Dim; ++d) {
    table.add({cells[d], grouped(critical[d]), d < Dim ? grouped(pairs[d]) : ""});
    euler += (d % 2 == 0 ? 1 : -1) * static_cast<std::int64_t>(critical[d]);
  }
  session.print("{}", table.text());
  session.result()["critical_cells"] = critical;
  session.result()["pairs"] = pairs;
  session.result()["euler_characteristic"] = euler;
}

void declare_gradient(OptionList& app, GradientVerbOptions& options) {
  add_topology_options(app, options.topology);
  add_output_options(app, options.output)
      ->description("write a line for each pair, between the cells' barycentres, as .vtp or .vtk");
  app.add_option("--critical", options.critical, "write the critical cells as points, as .vtp or .vtk")
      ->type_name("FILE");
}

/// Of a line for each pair, while it is made and written; half of all cells are in pairs with the others.
template <class Mesh>
Bytes pair_bytes(const Mesh& mesh, int dimension) {
  return 210 * (mesh.vertex_count() + (dimension == 3 ? 2 : 1) * simplex_count(mesh));
}

template <class D>
void find_and_write(Session& session, const GradientVerbOptions& options, const D& domain) {
  const auto gradient = session.in_phase(Phase::compute, [&] { return domain.gradient(session, false); });
  session.print("{}\n", domain.title);
  print_counts(session, gradient);
  if (options.critical.empty() && options.output.file.empty()) return;
  auto exporter = session.in_phase(Phase::compute, [&] {
    return TopologyExporter<D::dim>(gradient, domain.mesh, domain.field, export_options(session));
  });
  if (!options.critical.empty()) {
    const PolyData poly = session.in_phase(Phase::compute, [&] { return exporter.critical_cells(); });
    session.result()["critical"] = write_poly_output(session, options.critical_output(), poly);
  }
  if (!options.output.file.empty()) {
    const PolyData poly = session.in_phase(Phase::compute, [&] { return exporter.pairs(); });
    session.result()["output"] = write_poly_output(session, options.output, poly);
  }
}

int run_gradient(Session& session, const GradientVerbOptions& options) {
  check_poly_output(session, options.critical.empty() ? options.output : options.output.alone());
  if (!options.critical.empty()) check_poly_output(session, options.critical_output());
  const auto input = read_topology_input(session, options.topology);
  with_domain(
      session, options.topology, *input,
      [&](const auto& mesh, const auto&... field) {
        Work work = gradient_work(mesh, field...);
        if (!options.output.file.empty()) work.host_bytes += pair_bytes(mesh, input->dimension());
        return work;
      },
      [&](const auto& domain) { find_and_write(session, options, domain); });
  session.result()["field"] = input->field->name();
  return 0;
}

}  // namespace

Verb gradient_verb() {
  return define_verb<GradientVerbOptions>(
      {"gradient", Group::analyse, "pair the cells of a mesh along a scalar field: the discrete gradient",
       "  tessera gradient kuhn64.vtu --field rough --critical cells.vtp\n"
       "  tessera gradient spot.ply --field height -o arrows.vtp"},
      declare_gradient, run_gradient, {.mesh = 24, .grid = 500});
}

}  // namespace tessera::cli
