#include "cli/memory_case.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <sstream>

namespace tessera::test {
namespace {

using Place = std::array<double, 3>;
using Tet = std::array<int, 4>;

/// A legacy file of tetrahedra with a field of noise.
std::string vtk_text(const std::vector<Place>& points, const std::vector<Tet>& tets) {
  std::ostringstream text;
  text << "# vtk DataFile Version 3.0\nmesh\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS " << points.size()
       << " float\n";
  for (const Place& p : points) text << p[0] << ' ' << p[1] << ' ' << p[2] << '\n';
  text << "CELLS " << tets.size() << ' ' << 5 * tets.size() << '\n';
  for (const Tet& t : tets) text << "4 " << t[0] << ' ' << t[1] << ' ' << t[2] << ' ' << t[3] << '\n';
  text << "CELL_TYPES " << tets.size() << '\n';
  for (std::size_t i = 0; i < tets.size(); ++i) text << "10\n";
  text << "POINT_DATA " << points.size() << "\nSCALARS rough float\nLOOKUP_TABLE default\n";
  std::mt19937 random(7);
  for (std::size_t i = 0; i < points.size(); ++i) text << random() % 1000003 << '\n';
  return text.str();
}

}  // namespace

void MemoryCase::make(const Arguments& arguments) {
  Arguments line = {"make"};
  line.insert(line.end(), arguments.begin(), arguments.end());
  ASSERT_EQ(run(line).code, 0);
}

void MemoryCase::make_cone(const std::string& file, int size) const {
  std::vector<Place> points = {{0.5, 0.5, 1}};
  for (int y = 0; y <= size; ++y) {
    for (int x = 0; x <= size; ++x) points.push_back({double(x) / size, double(y) / size, 0});
  }
  std::vector<Tet> tets;
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      const int at = 1 + y * (size + 1) + x;
      tets.push_back({at, at + 1, at + size + 2, 0});
      tets.push_back({at, at + size + 2, at + size + 1, 0});
    }
  }
  write(file, vtk_text(points, tets));
}

void MemoryCase::make_fan(const std::string& file, int size) const {
  std::ostringstream text;
  text << "# vtk DataFile Version 3.0\nfan\nASCII\nDATASET POLYDATA\nPOINTS " << size + 1
       << " float\n0 0 1\n";
  for (int i = 0; i < size; ++i) {
    const double angle = 2 * std::numbers::pi * i / size;
    text << std::cos(angle) << ' ' << std::sin(angle) << " 0\n";
  }
  text << "POLYGONS " << size << ' ' << 4 * size << '\n';
  for (int i = 0; i < size; ++i) text << "3 0 " << 1 + i << ' ' << 1 + (i + 1) % size << '\n';
  write(file, text.str());
}

void MemoryCase::make_tangle(const std::string& file, int size) const {
  std::mt19937 random(5);
  const auto next = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  std::vector<Place> points;
  for (int i = 0; i < 400 * size; ++i) points.push_back({next(4096) / 4096., next(4096) / 4096., i / 4096.});
  std::vector<Tet> tets;
  while (tets.size() < 10 * points.size()) {
    const int first = next(static_cast<int>(points.size()) - 16);
    Tet tet = {first + next(16), first + next(16), first + next(16), first + next(16)};
    std::ranges::sort(tet);
    if (std::ranges::adjacent_find(tet) == tet.end()) tets.push_back(tet);
  }
  std::ranges::sort(tets);
  tets.erase(std::unique(tets.begin(), tets.end()), tets.end());
  std::ranges::shuffle(tets, random);
  write(file, vtk_text(points, tets));
}

void MemoryCase::make_named(const std::string& file, int size) {
  const std::string n = std::to_string(size);
  const std::string half = std::to_string(size / 2);
  const auto make_fields = [&](const std::string& voxels) {
    make({"lattice", "--size", voxels, "--field", "mri", "rough", "smooth", "-o", "voxels.vti"});
  };
  if (file == "kuhn.vtu") return make({"kuhn", "--size", n, "--field", "rough", "-o", file});
  if (file == "kuhn-shuffled.vtu")
    return make({"kuhn", "--size", n, "--field", "rough", "--shuffle", "-o", file});
  if (file == "cone.vtk") return make_cone(file, 4 * size);
  if (file == "tangle.vtk") return make_tangle(file, size);
  if (file == "fan.vtk") return make_fan(file, 3000 * size);
  if (file == "ico.vtp") return make({"ico", "--size", "7", "--field", "rough", "-o", file});
  if (file == "grid.vti") return make({"lattice", "--size", n, "--field", "mri", "-o", file});
  if (file == "split.vtu") {
    make_fields(half);
    ASSERT_EQ(run({"tetrahedralize", "voxels.vti", "--method", "face-centred", "-o", file}).code, 0);
  }
  if (file == "refined.vtu") {
    make_fields(std::to_string(size / 4));
    ASSERT_EQ(run({"tetrahedralize", "voxels.vti", "--method", "five", "-o", "five.vtu"}).code, 0);
    ASSERT_EQ(run({"subdivide", "five.vtu", "--levels", "2", "-o", file}).code, 0);
  }
}

MemoryCase::Arguments MemoryCase::with_limit(Arguments line, const std::string& limit) {
  if (std::ranges::find(line, "--device") == line.end()) line.insert(line.end(), {"--device", "cpu"});
  line.insert(line.end(), {"--memory", limit});
  return line;
}

std::string MemoryCase::named_limit(const std::string& message) {
  for (const std::string phrase : {"up to ", "at least ", "works is ", "allow "}) {
    const std::size_t at = message.rfind(phrase);
    if (at == std::string::npos) continue;
    const std::string rest = message.substr(at + phrase.size());
    return rest.substr(0, rest.find_first_not_of("0123456789KM"));
  }
  return "";
}

Bytes MemoryCase::run_within(const Arguments& line, Bytes limit) const {
  const Outcome outcome = run(with_limit(line, limit_text(limit)));
  EXPECT_TRUE(outcome.code == 0 || outcome.code == 8) << limit_text(limit) << ": " << outcome.err;
  EXPECT_TRUE(!is_bounded || outcome.peak <= limit + limit / 50 + uncounted)
      << "within " << limit_text(limit) << " took " << limit_text(outcome.peak);
  if (outcome.code == 0) return 0;
  const std::string text = named_limit(outcome.err);
  EXPECT_FALSE(text.empty()) << limit_text(limit) << ": " << outcome.err;
  return text.empty() ? 0 : parse_bytes(text);
}

void MemoryCase::expect_named_limit_works(const Arguments& line, const std::string& limit) const {
  const Outcome refused = run(with_limit(line, limit));
  expect_one_sentence(refused, 8, {"--memory"});
  expect_named_limit_works(line, refused);
}

void MemoryCase::expect_named_limit_works(const Arguments& line, const Outcome& refused) const {
  EXPECT_EQ(refused.code, 8) << refused.err;
  const std::string named = named_limit(refused.err);
  ASSERT_FALSE(named.empty()) << refused.err;
  const Outcome outcome = run(with_limit(line, limit_text(parse_bytes(named) + memory_noise)));
  EXPECT_EQ(outcome.code, 0) << line[0] << " within " << named << ": " << outcome.err;
}

void MemoryCase::expect_bounded(const Arguments& line, int budgets) {
  const Bytes program = program_bytes();
  const Outcome free = run(line);
  ASSERT_EQ(free.code, 0) << free.err;
  const Bytes least = program + memory_noise + mib(5);  // with pages of its code that are still to come
  const Bytes most = std::max(2 * (free.peak - uncounted), least);
  std::vector<Bytes> named;
  for (int i = 0; i < budgets; ++i) {
    const Bytes limit = least + (most - least) * static_cast<Bytes>(i) / static_cast<Bytes>(budgets - 1);
    if (const Bytes more = run_within(line, limit); more > 0) named.push_back(more);
  }
  std::ranges::sort(named);
  Bytes tried = 0;
  for (const Bytes limit : named) {
    if (limit <= tried + tried / 64) continue;  // the same but for what the program happens to hold
    tried = limit;
    Bytes more = run_within(line, limit);
    if (more > 0 && (line[1] == "cone.vtk" || line[1] == "tangle.vtk")) more = run_within(line, more);
    EXPECT_TRUE(!is_bounded || more == 0)
        << limit_text(limit) << " was named for a run that takes " << limit_text(free.peak) << "; then "
        << limit_text(more) << " is named";
  }
}

}  // namespace tessera::test
