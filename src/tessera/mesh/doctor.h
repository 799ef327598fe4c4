// Doctor: finds everything that is wrong or remarkable about a mesh, and mends what can be mended safely.
// docs/doctor.md lists every kind of finding, what it means exactly and what fix() does about it.
//
// Cells whose indices cannot be used are set aside first: those out of range, those that name a vertex
// twice, and all but the first of equal cells. The rest, the sound cells, make the complex that is
// examined; it may be non-manifold, disconnected or empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/cell_mesh.h>
#include <tessera/mesh/mesh.h>

namespace tessera {

/// An error is what later code cannot accept; the rest is information.
enum class Severity : std::uint8_t { information, error };

[[nodiscard]] std::string_view to_string(Severity severity);

/// Which elements a finding's ids name.
enum class ElementKind : std::uint8_t { vertex, edge, face, cell, field, mesh };

[[nodiscard]] std::string_view to_string(ElementKind kind);

/// One kind of defect or fact. `ids` holds the first `DoctorOptions::max_ids` elements, ascending:
/// one vertex tuple for each (a vertex or cell is a tuple of one id, an edge two vertices, a face three).
struct Finding {
  std::string kind;  ///< "out_of_range_index", "non_manifold_edge", ... (docs/doctor.md lists them)
  Severity severity = Severity::information;
  ElementKind element = ElementKind::mesh;
  std::string field;  ///< the field's name, where the finding is about one
  std::uint64_t count = 0;
  std::string explanation;  ///< one sentence for a person
  std::vector<std::vector<std::uint32_t>> ids;

  friend bool operator==(const Finding&, const Finding&) = default;
};

struct DoctorReport {
  std::vector<Finding> findings;                     ///< errors first, then information; none with count 0
  std::uint64_t vertices = 0, cells = 0;             ///< all that the mesh has
  std::uint64_t used_vertices = 0, sound_cells = 0;  ///< those that make the complex
  std::uint64_t edges = 0, faces = 0;                ///< of the sound cells
  std::uint64_t components = 0;           ///< of cells that share vertices; isolated vertices are none
  std::int64_t euler_characteristic = 0;  ///< of the complex: used vertices - edges + faces - tets
  std::uint64_t boundary_faces = 0;       ///< edges of one triangle, triangles of one tetrahedron
  bool closed = false;                    ///< there are cells and no boundary faces
  bool orientable =
      true;  ///< triangles can be turned to agree across manifold edges; true for tets and grids

  [[nodiscard]] bool has_errors() const;
  /// The first finding of that kind, or nullptr.
  [[nodiscard]] const Finding* find(std::string_view kind) const;

  friend bool operator==(const DoctorReport&, const DoctorReport&) = default;
};

struct DoctorOptions {
  std::size_t max_ids = 100;  ///< how many ids each finding keeps
  Exec exec = Exec::host();   ///< host threads; the doctor does not use a device
  const Monitor* monitor = nullptr;
};

/// Lists every defect. Never throws for a bad mesh: that is what it is for. O(n log n) time; 17 bytes a
/// tetrahedron, 29 bytes a triangle and 46 bytes a vertex of memory while it runs; the same report for any
/// number of threads. Error(cancelled) if the monitor asks to stop.
[[nodiscard]] DoctorReport diagnose(const TriMesh& mesh, const DoctorOptions& options = {});
[[nodiscard]] DoctorReport diagnose(const TetMesh& mesh, const DoctorOptions& options = {});
[[nodiscard]] DoctorReport diagnose(const Grid& grid, const DoctorOptions& options = {});

/// What the parts of cells that were cut do not show, as information by the ids of these cells: those that
/// name a point twice (repeated_corner), those of zero size (degenerate_cell, which replaces that of the
/// parts) and others with a part of zero size (flat_part).
[[nodiscard]] std::vector<Finding> diagnose_cut(const SimplexCut& cut, const DoctorOptions& options = {});

/// The bits of the `DefectKind` fields of defect_mesh().
enum class Defect : std::int32_t {
  repeated_index = 1 << 0,
  duplicate_cell = 1 << 1,
  degenerate_cell = 1 << 2,
  inverted_cell = 1 << 3,
  inconsistent_orientation = 1 << 4,
  non_orientable = 1 << 5,
  non_manifold_vertex = 1 << 6,
  non_manifold_edge = 1 << 7,
  non_manifold_face = 1 << 8,
  isolated_vertex = 1 << 9,
  coincident_point = 1 << 10,
  non_finite_value = 1 << 11,
};

/// The defects as a mesh to look at: every cell that has a defect or a corner, edge or face with one, and
/// every point that has one, in the order of the input. Point and cell fields `DefectKind` (the Defect bits
/// that apply to the element) and `InputId` are added; the input's fields follow where their length is right.
/// Cells that cannot be drawn (an index out of range, a corner that is not finite) and points that are not
/// finite are left out: `options.max_ids` does not apply, the report of diagnose() has their ids.
[[nodiscard]] TriMesh defect_mesh(const TriMesh& mesh, const DoctorOptions& options = {});
[[nodiscard]] TetMesh defect_mesh(const TetMesh& mesh, const DoctorOptions& options = {});

/// Throws Error(bad_mesh) with `name`, the first element and the reason if an index is out of range or
/// repeated, a coordinate is not finite or a field has the wrong length: every error of diagnose() but
/// duplicate cells, which one pass cannot see. Linear, parallel, no memory: what readers and algorithms call
/// at their door.
void check_mesh(const TriMesh& mesh, std::string_view name, const Exec& exec = Exec::host());
void check_mesh(const TetMesh& mesh, std::string_view name, const Exec& exec = Exec::host());

/// The same but for the cells, for those who look at them anyway.
void check_points_and_fields(const TriMesh& mesh, std::string_view name, const Exec& exec = Exec::host());
void check_points_and_fields(const TetMesh& mesh, std::string_view name, const Exec& exec = Exec::host());

struct FixOptions {
  /// Cells with bad, repeated or duplicate indices or of exactly zero size; points that are not finite or
  /// unused.
  bool drop = true;
  bool weld = false;   ///< join points with exactly equal coordinates
  bool orient = true;  ///< turn cells so that neighbours agree (triangles) or volumes are positive (tets)
  Exec exec = Exec::host();  ///< host threads; fix() does not use a device
  const Monitor* monitor = nullptr;
};

/// What fix() did, in the order it did it, and what it had to leave.
struct FixReport {
  struct Change {
    std::string kind;  ///< "dropped_duplicate_cells", "welded_points", ... (docs/doctor.md lists them)
    std::uint64_t count = 0;

    friend bool operator==(const Change&, const Change&) = default;
  };
  std::vector<Change> changes;  ///< none with count 0
  std::vector<Change> left;     ///< "non_orientable_components"

  friend bool operator==(const FixReport&, const FixReport&) = default;
};

/// Mends the mesh in place; fields follow. With `drop` the result has no error that diagnose() knows; a
/// second fix() changes nothing. Elements that stay keep their order. Deterministic for any number of
/// threads. Takes a copy of the mesh and diagnose()'s memory while it runs. If it throws (Error(cancelled)),
/// the mesh is as it was.
FixReport fix(TriMesh& mesh, const FixOptions& options = {});
FixReport fix(TetMesh& mesh, const FixOptions& options = {});

}  // namespace tessera
