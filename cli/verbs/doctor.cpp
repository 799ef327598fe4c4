// tessera doctor: what is wrong with a mesh, and the mesh mended.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <tessera/mesh/doctor.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/files.h"

namespace tessera::cli {
namespace {

struct DoctorVerbOptions {
  InputOptions input = {.file = {}, .simplices = false};
  OutputOptions output;
  bool fix = false;
  std::size_t max_ids = 100;
  bool weld = false;
  std::optional<bool> drop, orient;

  [[nodiscard]] FixOptions mend() const {
    FixOptions how;
    how.drop = drop.value_or(how.drop);
    how.weld = weld;
    how.orient = orient.value_or(how.orient);
    return how;
  }
};

/// How many ids the table shows; the JSON object has --max-ids of them.
constexpr std::size_t shown_ids = 3;

std::string tuple_text(const std::vector<std::uint32_t>& tuple) {
  return tuple.size() == 1 ? std::to_string(tuple[0]) : fmt::format("({})", fmt::join(tuple, " "));
}

std::string ids_text(const Finding& finding) {
  std::string text;
  for (std::size_t i = 0; i < std::min(shown_ids, finding.ids.size()); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : " ", tuple_text(finding.ids[i]));
  }
  return finding.count > shown_ids && !text.empty() ? text + " ..." : text;
}

std::string_view severity_name(Severity severity) {
  return severity == Severity::error ? "error" : "information";
}

Json describe_finding(const Finding& finding) {
  Json object = {{"kind", finding.kind},
                 {"severity", severity_name(finding.severity)},
                 {"element", to_string(finding.element)},
                 {"count", finding.count},
                 {"explanation", finding.explanation},
                 {"ids", finding.ids}};
  if (!finding.field.empty()) object["field"] = finding.field;
  return object;
}

Json describe_report(const DoctorReport& report) {
  Json findings = Json::array();
  for (const Finding& finding : report.findings) findings.push_back(describe_finding(finding));
  return {{"has_errors", report.has_errors()},
          {"vertices", report.vertices},
          {"edges", report.edges},
          {"faces", report.faces},
          {"cells", report.cells},
          {"components", report.components},
          {"euler_characteristic", report.euler_characteristic},
          {"boundary_faces", report.boundary_faces},
          {"findings", std::move(findings)}};
}

/// What is examined: the mesh of the file, or the simplices that its cells were cut into.
struct Patient {
  AnyMesh mesh;
  Array<std::uint32_t> cells;          ///< the file's cell of each simplex, if they were cut
  std::string kind;                    ///< of the file's mesh, with its counts; empty if it was not cut
  std::vector<Finding> findings = {};  ///< of the cells that were cut
  Reservation room = {};

  [[nodiscard]] bool is_cut() const { return !kind.empty(); }
};

Patient take_patient(Session& session, Input& input, CellMesh cells, std::size_t max_ids) {
  if (cells.cell_count() == 0) return {std::move(input.mesh), {}, {}, {}, {}};
  const std::string kind =
      fmt::format("{}: {}, {}", kind_name(cells), counted(cells.vertex_count(), "point", "points"),
                  list_types(cells.types, 0, 3));
  SimplexCut cut = session.in_phase(Phase::compute, [&] { return cut_into_simplices(std::move(cells)); });
  for (const std::string& note : cut.notes) session.note(note);
  const Bytes bytes = std::visit([](const auto& mesh) { return mesh.bytes(); }, cut.mesh) +
                      cut.cells.size() * sizeof(cut.cells[0]);
  input.reservation = {};
  std::vector<Finding> findings =
      session.in_phase(Phase::compute, [&] { return diagnose_cut(cut, {.max_ids = max_ids}); });
  return {std::move(cut.mesh), std::move(cut.cells), kind, std::move(findings),
          Reservation::of_held(session.memory(), bytes, "the simplices that the cells are cut into")};
}

/// Cells by the ids that they have in the file: several parts of one are one. What is of zero size is said of
/// these cells, not of the parts.
void name_cells(DoctorReport& report, const Patient& patient) {
  if (!patient.is_cut()) return;
  std::erase_if(report.findings, [](const Finding& finding) { return finding.kind == "degenerate_cell"; });
  for (Finding& finding : report.findings) {
    if (finding.element != ElementKind::cell) continue;
    for (std::vector<std::uint32_t>& id : finding.ids) id[0] = patient.cells[id[0]];
    finding.ids.erase(std::unique(finding.ids.begin(), finding.ids.end()), finding.ids.end());
  }
  report.findings.insert(report.findings.end(), patient.findings.begin(), patient.findings.end());
}

void print_report(Session& session, const Patient& patient, const DoctorReport& report) {
  const AnyMesh& mesh = patient.mesh;
  const bool is_surface = std::holds_alternative<TriMesh>(mesh);
  const std::string faces = is_surface ? "" : ", " + counted(report.faces, "face", "faces");
  if (patient.is_cut()) session.print("{}\nexamined as a ", patient.kind);
  session.print("{}: {}, {}{}, {}\n", kind_name(mesh), counted(report.vertices, "vertex", "vertices"),
                counted(report.edges, "edge", "edges"), faces, counted_cells(report.cells, mesh));
  session.print("{}, Euler characteristic {}, {}\n", counted(report.components, "component", "components"),
                report.euler_characteristic,
                is_surface ? counted(report.boundary_faces, "boundary edge", "boundary edges")
                           : counted(report.boundary_faces, "boundary face", "boundary faces"));
  if (report.findings.empty()) {
    session.print("nothing to remark\n");
    return;
  }
  Table table({Align::left, Align::left, Align::right, Align::left, Align::left});
  table.add({"severity", "kind", "count", "first ids", "meaning"});
  for (const Finding& finding : report.findings) {
    const std::string kind =
        finding.field.empty() ? finding.kind : fmt::format("{} ({})", finding.kind, finding.field);
    table.add({std::string(severity_name(finding.severity)), kind, grouped(finding.count), ids_text(finding),
               finding.explanation});
  }
  session.print("\n{}", table.text());
}

DoctorReport examine(Session& session, const Patient& patient, std::size_t max_ids) {
  const Bytes of_cell = std::holds_alternative<TetMesh>(patient.mesh) ? 17 : 29;
  const Reservation room(session.memory(),
                         mib(8) + of_cell * cell_count(patient.mesh) + 46 * vertex_count(patient.mesh),
                         "the examination");
  const DoctorOptions options = {.max_ids = max_ids, .exec = session.host(), .monitor = &session.monitor()};
  DoctorReport report = session.in_phase(Phase::compute, [&] {
    return std::visit([&](const auto& m) { return diagnose(m, options); }, patient.mesh);
  });
  name_cells(report, patient);
  return report;
}

FixReport mend(Session& session, AnyMesh& mesh, FixOptions options) {
  options.exec = session.host();
  options.monitor = &session.monitor();
  return session.in_phase(Phase::compute, [&] {
    return std::visit(
        [&](auto& m) -> FixReport {
          if constexpr (requires { fix(m, options); }) return fix(m, options);
          throw Error(ErrorCode::unsupported, "a grid has no cells to mend; use doctor without --fix");
        },
        mesh);
  });
}

template <class Mesh>
Mesh name_cells(Mesh defects, const Patient& patient) {
  if (!patient.is_cut()) return defects;
  for (std::uint32_t& id : defects.cell_data.find("InputId")->template as<std::uint32_t>())
    id = patient.cells[id];
  return defects;
}

/// The cells and points with defects, as a mesh to look at.
AnyMesh take_defects(Session& session, const Patient& patient) {
  const DoctorOptions options = {.exec = session.host(), .monitor = &session.monitor()};
  return session.in_phase(Phase::compute, [&] {
    return std::visit(
        [&](const auto& m) -> AnyMesh {
          if constexpr (requires { defect_mesh(m, options); })
            return name_cells(defect_mesh(m, options), patient);
          throw Error(ErrorCode::unsupported,
                      "a grid has no cells to draw as defects; use doctor without -o");
        },
        patient.mesh);
  });
}

void report_changes(Session& session, const FixReport& report) {
  Json& changes = session.result()["changes"] = Json::array();
  for (const auto& [kind, count] : report.changes) {
    changes.push_back({{"kind", kind}, {"count", count}});
    session.print("mended: {} {}\n", kind, grouped(count));
  }
  if (report.changes.empty()) session.print("mended: nothing\n");
}

void declare_doctor(OptionList& app, DoctorVerbOptions& options) {
  add_input_options(app, options.input);
  add_output_options(app, options.output)
      ->description(
          "with --fix the mended mesh, else the cells and points with defects as a mesh to look at");
  const Option fix =
      app.add_flag("--fix", options.fix, "mend what can be mended safely and write the mesh to -o");
  app.add_option("--max-ids", options.max_ids, "ids to list for each finding")
      ->capture_default_str()
      ->type_name("N");
  app.add_flag("--drop,!--no-drop", options.drop,
               "with --fix: drop degenerate, duplicate and broken cells and unused points (on)")
      ->needs(fix);
  app.add_flag("--weld", options.weld, "with --fix: join points with equal coordinates")->needs(fix);
  app.add_flag("--orient,!--no-orient", options.orient, "with --fix: turn cells so that they agree (on)")
      ->needs(fix);
}

int run_doctor(Session& session, const DoctorVerbOptions& options) {
  if (options.fix && options.output.file.empty()) {
    throw Error(ErrorCode::bad_option, "--fix needs -o FILE to write the mended mesh to");
  }
  check_output(session, options.output);
  CellMesh cells;
  Input input = read_input(session, options.input, &cells);
  for (const std::string& note : input.report.notes) session.note(note);
  Json& census = session.result()["cells_in_file"] = Json::object();
  for (const auto& [type, count] : input.report.cells) census[type] = count;
  Patient patient = take_patient(session, input, std::move(cells), options.max_ids);
  DoctorReport report = examine(session, patient, options.max_ids);
  print_report(session, patient, report);
  session.result()["report"] = describe_report(report);
  if (options.fix) {
    report_changes(session, mend(session, patient.mesh, options.mend()));
    patient.cells = {};  // other simplices than these now
    patient.kind = {};
    report = examine(session, patient, options.max_ids);
    session.result()["report_after"] = describe_report(report);
    write_output(session, options.output, patient.mesh);
    if (report.has_errors()) print_report(session, patient, report);
  } else if (!options.output.file.empty()) {
    write_output(session, options.output, take_defects(session, patient));
  }
  return report.has_errors() ? static_cast<int>(ErrorCode::bad_mesh) : 0;
}

}  // namespace

Verb doctor_verb() {
  return define_verb<DoctorVerbOptions>(
      {"doctor", Group::files, "list what is wrong or remarkable about a mesh, and mend it",
       "  tessera doctor scan.ply\n"
       "  tessera doctor scan.ply -o defects.vtp\n"
       "  tessera doctor scan.ply --fix --weld -o mended.ply"},
      declare_doctor, run_doctor, {.mesh = 4, .grid = 4});
}

}  // namespace tessera::cli
