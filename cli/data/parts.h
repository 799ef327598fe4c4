// What the verbs that take parts of a mesh share (threshold, extract, slice, clip).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/generate/extract.h>
#include <tessera/generate/provenance.h>
#include <tessera/generate/slice.h>
#include <tessera/mesh/mesh.h>
#include <tessera/mesh/periodic_axes.h>

#include "application/option_list.h"
#include "application/session.h"
#include "data/fields.h"
#include "data/files.h"

namespace tessera::cli {

/// A grid as the triangles or tetrahedra of its cells.
struct CutGrid {
  AnyMesh mesh;
  Reservation room;
};

struct CutOptions {
  Bytes later =
      0;  ///< needed afterwards: a limit that is too small is answered with one that is enough for both
  PeriodicAxes periodic = {};
};

/// Cuts a grid, with all its data, within --memory.
[[nodiscard]] CutGrid cut_grid(Session& session, const Grid& grid, const CutOptions& options = {});

/// Replaces a grid by what it is cut into, with a note. Other meshes stay as they are.
void replace_grid(Session& session, Input& input);

/// Exactly `count` finite numbers between commas. Error(bad_option) names the option and shows the `example`.
[[nodiscard]] std::vector<double> parse_numbers(std::string_view text, std::string_view option,
                                                std::size_t count, std::string_view example);

/// "3,5,8-11": numbers and ranges of them.
[[nodiscard]] std::vector<ValueRange> parse_ranges(std::string_view text, std::string_view option);

/// Error(bad_option) for a field of the cells, of which --any cannot ask one point.
void check_any(const FieldChoice& choice);

/// Ids as the signed 64 bits that every reader of VTK files has.
[[nodiscard]] Field id_field(std::string name, std::span<const std::uint32_t> ids);

/// The most that id_field() takes for so many cells of a mesh and for their points.
template <int Dim>
[[nodiscard]] Bytes id_bytes(const SimplexMesh<Dim>& mesh, std::size_t cells) {
  return 8 * (cells + std::min(mesh.vertex_count(), (Dim + 1) * cells));
}

/// InputEdge, InputWeight and InputCell: where points and cells came from.
void add_provenance(FieldSet& point_data, FieldSet& cell_data, const Provenance& from);

/// A plane as it was typed.
struct PlaneOptions {
  std::string axis, normal, origin;
  std::optional<double> position;

  [[nodiscard]] bool is_given() const {
    return !axis.empty() || !normal.empty() || !origin.empty() || position.has_value();
  }
};

void add_plane_options(OptionList& app, PlaneOptions& options);

/// The plane that the options mean; what they leave open goes through the middle of the mesh's box.
/// Error(bad_option) for options that do not go together or numbers that are none. Called without a mesh, it
/// only checks.
Plane plane_of(const PlaneOptions& options, const AnyMesh* mesh);

/// "the plane through (0, 0, 0.5) with normal (0, 0, 1)".
[[nodiscard]] std::string describe(const Plane& plane);

/// `origin` and `normal`.
[[nodiscard]] Json plane_json(const Plane& plane);

/// How many flags are set.
[[nodiscard]] std::size_t count_kept(std::span<const std::uint8_t> keeps);

/// Adds `points` and `cells`, before and after, to the result and mentions a part without cells.
void note_part(Session& session, const AnyMesh& whole, const AnyMesh& part);
/// The same, and prints "INPUT: WHAT: 12 of 30 tetrahedra, 7 of 9 points".
void report_part(Session& session, const std::string& title, const AnyMesh& whole, const AnyMesh& part);

}  // namespace tessera::cli
