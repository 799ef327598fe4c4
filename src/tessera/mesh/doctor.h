// Doctor: finds everything that is wrong or remarkable about a mesh, and mends what can be mended safely.
// Oracle-free to users: counts and ids, no geometry decisions beyond exact zero tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/mesh.h>

namespace tessera {

enum class Severity : std::uint8_t { information, error };

/// Which elements a finding's ids name.
enum class ElementKind : std::uint8_t { vertex, edge, face, cell, field, mesh };

[[nodiscard]] std::string_view to_string(ElementKind kind);

/// One kind of defect or fact. `ids` holds the first `DoctorOptions::max_ids` elements, ascending:
/// one vertex tuple for each (a vertex or cell is a tuple of one id, an edge two vertices, a face three).
struct Finding {
  std::string kind;         ///< "out_of_range_index", "non_manifold_edge", ... (docs/doctor.md lists them)
  Severity severity = Severity::information;
  ElementKind element = ElementKind::mesh;
  std::string field;        ///< the field's name, where the finding is about one
  std::uint64_t count = 0;
  std::string explanation;  ///< one sentence for a person
  std::vector<std::vector<std::uint32_t>> ids;
};

struct DoctorReport {
  std::vector<Finding> findings;  ///< errors first, then information
  std::uint64_t vertices = 0, edges = 0, faces = 0, cells = 0;
  std::uint64_t components = 0;
  std::int64_t euler_characteristic = 0;
  std::uint64_t boundary_faces = 0;  ///< edges of a triangle mesh, triangles of a tetrahedral mesh

  [[nodiscard]] bool has_errors() const;
  [[nodiscard]] const Finding* find(std::string_view kind) const;
};

struct DoctorOptions {
  std::size_t max_ids = 100;  ///< how many ids each finding keeps
  Exec exec = Exec::host();
  const Monitor* monitor = nullptr;
};

/// Lists every defect. Never throws for a bad mesh: that is what it is for. O(n log n), deterministic.
[[nodiscard]] DoctorReport diagnose(const TriMesh& mesh, const DoctorOptions& options = {});
[[nodiscard]] DoctorReport diagnose(const TetMesh& mesh, const DoctorOptions& options = {});
[[nodiscard]] DoctorReport diagnose(const Grid& grid, const DoctorOptions& options = {});

/// Throws Error(bad_mesh) with `name`, the first element and the reason if diagnose() would find an error
/// in the mesh's indices or coordinates. Linear, cheap: what readers and algorithms call at their door.
void check_mesh(const TriMesh& mesh, std::string_view name);
void check_mesh(const TetMesh& mesh, std::string_view name);

struct FixOptions {
  bool drop = true;    ///< cells that are out of range, degenerate or duplicate; NaN points; unused points
  bool weld = false;   ///< join points with exactly equal coordinates
  bool orient = true;  ///< turn cells so that neighbours agree (triangles) or volumes are positive (tets)
  Exec exec = Exec::host();
  const Monitor* monitor = nullptr;
};

/// What fix() did, in the order it did it.
struct FixReport {
  struct Change {
    std::string kind;  ///< "dropped_degenerate_cells", "welded_points", ...
    std::uint64_t count = 0;
  };
  std::vector<Change> changes;
};

/// Mends the mesh in place; fields follow. The result has no error-level finding that fix() is said to mend.
FixReport fix(TriMesh& mesh, const FixOptions& options = {});
FixReport fix(TetMesh& mesh, const FixOptions& options = {});

}  // namespace tessera
