// What does reading a vtu file cost, against VTK's own reader on the same file? Time, interleaved, and the
// peak of memory, each in a process of its own. Targets: at most 1.3 times VTK's time and 2.5 times the
// mesh's bytes.
//
//   read_vtu [--smoke]               every encoding, both readers; runs itself with
//   read_vtu --write FOLDER SIZE     to make the files,
//   read_vtu --compare FILE          for the time,
//   read_vtu --once tessera|vtk FILE for the peak
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include <vtkCellArray.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridReader.h>
#include <vtkXMLUnstructuredGridWriter.h>

#include <tessera/io/io.h>
#include <tessera/mesh/make.h>

#include "measure.h"

extern char** environ;

namespace {

using namespace tessera;

/// What both readers' results can be asked for: the counts, and a checksum of some corners.
struct Outcome {
  std::uint64_t cells = 0, points = 0, checksum = 0;
  void add(std::uint64_t corner) { checksum += corner * corner + corner; }
};

Outcome read_tessera(const std::string& file) {
  const TetMesh mesh = read_tets(file);
  Outcome outcome = {mesh.cell_count(), mesh.vertex_count()};
  for (std::size_t i = 0; i < mesh.cells.size(); i += 101) {
    for (const VertexId v : mesh.cells[i]) outcome.add(v.index());
  }
  return outcome;
}

Outcome read_vtk(const std::string& file) {
  vtkNew<vtkXMLUnstructuredGridReader> reader;
  reader->SetFileName(file.c_str());
  reader->Update();
  vtkUnstructuredGrid* grid = reader->GetOutput();
  Outcome outcome = {static_cast<std::uint64_t>(grid->GetNumberOfCells()),
                     static_cast<std::uint64_t>(grid->GetNumberOfPoints())};
  vtkIdType size = 0;
  const vtkIdType* corners = nullptr;
  for (vtkIdType i = 0; i < grid->GetNumberOfCells(); i += 101) {
    grid->GetCells()->GetCellAtId(i, size, corners);
    for (vtkIdType k = 0; k < size; ++k) outcome.add(static_cast<std::uint64_t>(corners[k]));
  }
  return outcome;
}

/// The file as VTK would write it: 64-bit connectivity, which is what most users' files have.
void rewrite_by_vtk(const std::string& from, const std::string& to, bool is_default) {
  vtkNew<vtkXMLUnstructuredGridReader> reader;
  reader->SetFileName(from.c_str());
  reader->Update();
  reader->GetOutput()->GetCells()->ConvertTo64BitStorage();
  vtkNew<vtkXMLUnstructuredGridWriter> writer;
  writer->SetInputData(reader->GetOutput());
  writer->SetFileName(to.c_str());
  if (!is_default) {
    writer->SetCompressorTypeToNone();
    writer->EncodeAppendedDataOff();
  }
  writer->Write();
}

/// The bytes are those of the mesh in memory: 16 a tetrahedron, 12 and 4 a point and its field.
bench::Setup make_setup(const std::string& file, const Outcome& outcome, int repeats) {
  bench::Setup setup;
  setup.question = "read_vtu";
  setup.input = std::filesystem::path(file).filename().string();
  setup.items = outcome.cells;
  setup.bytes = 16 * outcome.cells + 16 * outcome.points;
  setup.repeats = repeats;
  return setup;
}

int read_once(const std::string& reader, const std::string& file) {
  Outcome outcome;
  bench::Timing timing;
  timing.name = reader + ", fresh process";
  timing.median = bench::seconds_of([&] { outcome = reader == "vtk" ? read_vtk(file) : read_tessera(file); });
  timing.fastest = timing.slowest = timing.median;
  timing.checksum = outcome.checksum;
  bench::print(make_setup(file, outcome, 1), timing);
  return 0;
}

int compare_readers(const std::string& file) {
  const bench::Setup setup = make_setup(file, read_tessera(file), 7);
  const auto timings = bench::compare(setup, {{"vtk", [&] { return read_vtk(file).checksum; }},
                                              {"tessera", [&] { return read_tessera(file).checksum; }}});
  return timings[0].checksum == timings[1].checksum ? 0 : 1;
}

int write_files(const std::filesystem::path& folder, bool is_smoke) {
  TetMesh mesh = make_kuhn_full(is_smoke ? 12 : 95);  // 94^3 cubes of 6 tetrahedra: 4983504
  mesh.point_data.add(make_wave_field(mesh.points, WaveField::rough));
  write_mesh(folder / "tessera_raw32.vtu", mesh);
  write_mesh(folder / "tessera_zlib.vtu", mesh, {.compress = true});
  rewrite_by_vtk(folder / "tessera_raw32.vtu", folder / "vtk_raw64.vtu", false);
  rewrite_by_vtk(folder / "tessera_raw32.vtu", folder / "vtk_default.vtu", true);
  return 0;
}

/// Runs this program with other arguments. A process inherits the peak of the one that starts it, so the one
/// that starts them all must stay small.
bool run_self(std::vector<std::string> words) {
  words.insert(words.begin(), std::filesystem::canonical("/proc/self/exe"));
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  int status = 1;
  if (::posix_spawn(&child, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0) return false;
  return ::waitpid(child, &status, 0) == child && status == 0;
}

int run_all(bool is_smoke) {
  std::string folder = (std::filesystem::temp_directory_path() / "tessera-read-vtu-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return 1;
  bool is_good = run_self({"--write", folder, is_smoke ? "smoke" : "full"});
  for (const char* name : {"tessera_raw32.vtu", "tessera_zlib.vtu", "vtk_raw64.vtu", "vtk_default.vtu"}) {
    const std::string file = folder + "/" + name;
    is_good = is_good && run_self({"--compare", file}) && run_self({"--once", "vtk", file}) &&
              run_self({"--once", "tessera", file});
  }
  std::filesystem::remove_all(folder);
  return is_good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 3 && words[0] == "--write") return write_files(words[1], words[2] == "smoke");
  if (words.size() == 3 && words[0] == "--once") return read_once(words[1], words[2]);
  if (words.size() == 2 && words[0] == "--compare") return compare_readers(words[1]);
  return run_all(bench::is_smoke(argc, argv));
}
