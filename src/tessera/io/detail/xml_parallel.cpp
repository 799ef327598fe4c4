// Reader of pvtu, pvtp, pvti and vtm: files that name other files, whose data sets are joined in their order.
#include <algorithm>
#include <filesystem>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

#include <tessera/core/detail/monitor.h>
#include <tessera/io/detail/formats.h>
#include <tessera/io/detail/roles.h>
#include <tessera/io/detail/structured.h>
#include <tessera/io/detail/xml_pieces.h>

namespace tessera::detail::io {
namespace {

constexpr std::size_t deepest_nesting = 16;
constexpr std::string_view global_ids = "GlobalPointIds";

/// For each cell: is it a copy of another piece's? By VTK's two conventions; empty if no array says it.
std::vector<bool> find_ghosts(const RawMesh& mesh) {
  std::vector<bool> is_ghost;
  const auto mark = [&](std::string_view name, const auto& is_marked) {
    const Field* const marks = mesh.cell_data.find(name);
    if (marks == nullptr || marks->components() != 1 || marks->type() >= ScalarType::f32) return;
    is_ghost.resize(marks->size());
    marks->visit([&](auto values) {
      for (std::size_t i = 0; i < values.size(); ++i) is_ghost[i] = is_ghost[i] || is_marked(values[i]);
    });
  };
  mark("vtkGhostType", [](auto bits) { return (static_cast<std::int64_t>(bits) & 1) != 0; });
  mark("vtkGhostLevels", [](auto level) { return level > 0; });
  return is_ghost;
}

/// The elements that are kept, as gather() takes them, and what is added to an id to get its new one.
struct Kept {
  Array<std::uint32_t> order;
  Array<std::uint32_t> ids;  // new ones
};

template <class IsKept>
Kept keep_if(std::size_t count, const IsKept& is_kept) {
  Kept kept;
  kept.ids.resize(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    kept.ids[i] = static_cast<std::uint32_t>(kept.order.size());
    if (is_kept(i)) kept.order.push_back(static_cast<std::uint32_t>(i));
  }
  return kept;
}

void gather_points(RawCells& cells, const Kept& points) {
  cells.mesh.points = cells.mesh.points.gather(points.order);
  cells.mesh.point_data = cells.mesh.point_data.gather(points.order);
  for (VertexId& v : cells.corners) v = VertexId(points.ids[v.index()]);
}

/// Drops the cells, and the points that only they have.
void drop_cells(RawCells& cells, const std::vector<bool>& is_dropped) {
  std::vector<bool> is_used(cells.mesh.points.size());
  std::vector<bool> is_lost(cells.mesh.points.size());
  Array<std::uint8_t> types;
  CellEnds ends;
  Array<VertexId> corners;
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < is_dropped.size(); begin = cells.mesh.ends[i++]) {
    for (std::uint64_t c = begin; c < cells.mesh.ends[i]; ++c) {
      const VertexId v = cells.corners[c];
      (is_dropped[i] ? is_lost : is_used)[v.index()] = true;
      if (!is_dropped[i]) corners.push_back(v);
    }
    if (is_dropped[i]) continue;
    types.push_back(cells.mesh.types[i]);
    ends.push_back(corners.size());
  }
  cells.mesh.cell_data = cells.mesh.cell_data.gather(
      keep_if(is_dropped.size(), [&](std::size_t i) { return !is_dropped[i]; }).order);
  cells.mesh.types = std::move(types);
  cells.mesh.ends = std::move(ends);
  cells.corners = std::move(corners);
  gather_points(cells, keep_if(is_used.size(), [&](std::size_t v) { return is_used[v] || !is_lost[v]; }));
}

Points join_points(const std::vector<RawCells>& pieces, std::uint64_t total) {
  const bool is_double = std::ranges::any_of(pieces, [](const RawCells& piece) {
    return piece.mesh.points.is_double() && piece.mesh.points.size() > 0;
  });
  Points points = is_double ? Points(Array<Vec3d>(total)) : Points(Array<Vec3f>(total));
  points.visit([&](auto to) {
    using T = decltype(to[0].x + 0);
    std::size_t at = 0;
    for (const RawCells& piece : pieces) {
      piece.mesh.points.visit([&](auto from) {
        for (const auto& p : from) to[at++] = vec_cast<T>(p);
      });
    }
  });
  return points;
}

/// The fields that every piece with elements has, one after the other.
FieldSet join_fields(const std::vector<RawCells>& pieces, FieldSet RawMesh::*set, FileReport& report) {
  std::vector<const FieldSet*> sets;
  for (const RawCells& piece : pieces) {
    const bool is_empty =
        set == &RawMesh::point_data ? piece.mesh.points.size() == 0 : piece.mesh.types.empty();
    if (!is_empty) sets.push_back(&(piece.mesh.*set));
  }
  std::vector<Field> fields;
  for (const std::vector<const Field*>& same : find_common_fields(sets, report)) {
    std::size_t total = 0;
    for (const Field* part : same) total += part->size();
    Field& field = fields.emplace_back(same[0]->name(), same[0]->type(), total, same[0]->components());
    field.visit([&](auto to) {
      using T = typename decltype(to)::element_type;
      auto place = to.begin();
      for (const Field* part : same) place = std::ranges::copy(part->as<T>(), place).out;
    });
  }
  FieldSet joined(std::move(fields));
  if (!sets.empty() && sets[0]->active() != nullptr) joined.set_active(sets[0]->active()->name());
  return joined;
}

/// Points of different pieces that are equal, each named by the first of them. Points that equal another one
/// of their own piece stay as they are: which of them another piece means is not known.
class PointMerger {
 public:
  PointMerger(RawCells& cells, std::vector<std::uint32_t> piece_of, FileReport& report)
      : cells_(cells), piece_of_(std::move(piece_of)), report_(report) {}

  void merge() {
    if (!try_merge_ids()) merge_places();
    const std::size_t count = first_.size();
    const Kept kept = keep_if(count, [&](std::size_t v) { return first_[v] == v; });
    if (kept.order.size() == count) return;
    for (VertexId& v : cells_.corners) v = VertexId(first_[v.index()]);
    gather_points(cells_, kept);
    report_.notes.push_back("Merged " + std::to_string(count - kept.order.size()) +
                            " points of pieces with equal ones of other pieces, by their " + key_ + ".");
  }

 private:
  /// False if there are no ids or a piece repeats one.
  bool try_merge_ids() {
    const Field* const ids = cells_.mesh.point_data.find(global_ids);
    if (ids == nullptr || ids->components() != 1 || ids->type() >= ScalarType::f32) return false;
    key_ = global_ids;
    const bool is_unique = ids->visit([&](auto values) {
      return group([&](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; }) == 0;
    });
    if (!is_unique)
      report_.notes.push_back("GlobalPointIds of a piece repeat and were not used to merge points.");
    return is_unique;
  }

  void merge_places() {
    key_ = "coordinates";
    const std::size_t ambiguous = cells_.mesh.points.visit([&](auto points) {
      // Numbers that are none are equal to nothing and must not be compared.
      const auto is_number = [&](std::uint32_t v) {
        return points[v].x == points[v].x && points[v].y == points[v].y && points[v].z == points[v].z;
      };
      return group([&](std::uint32_t a, std::uint32_t b) {
        if (!is_number(a) || !is_number(b)) return is_number(a) ? true : !is_number(b) && a < b;
        if (points[a].x != points[b].x) return points[a].x < points[b].x;
        if (points[a].y != points[b].y) return points[a].y < points[b].y;
        return points[a].z < points[b].z;
      });
    });
    if (ambiguous > 0) {
      report_.notes.push_back("Left " + std::to_string(ambiguous) +
                              " points unmerged, which lie where another point of their piece lies.");
    }
  }

  /// Fills first_ and returns how many points were left alone.
  template <class Less>
  std::size_t group(const Less& less) {
    const std::size_t count = piece_of_.size();
    first_.resize(count);
    std::iota(first_.begin(), first_.end(), 0U);
    Array<std::uint32_t> order = first_;
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t v, std::uint32_t w) { return less(v, w) || (!less(w, v) && v < w); });
    std::size_t ambiguous = 0;
    for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
      bool repeats = false;
      for (end = begin + 1; end < count && !less(order[begin], order[end]); ++end)
        repeats = repeats || piece_of_[order[end]] == piece_of_[order[end - 1]];
      if (repeats) ambiguous += end - begin;
      for (std::size_t i = begin; i < end && !repeats; ++i) first_[order[i]] = order[begin];
    }
    return ambiguous;
  }

  RawCells& cells_;
  std::vector<std::uint32_t> piece_of_;
  FileReport& report_;
  Array<std::uint32_t> first_;
  std::string key_;
};

class ParallelReader {
 public:
  explicit ParallelReader(FileReport& report) : report_(report) {}

  /// `wanted`: the type that the file must have, with or without a "P"; empty for any.
  LatticePiece read(Input& input, const Monitor& monitor, std::string_view wanted) {
    XmlPieces xml =
        open_xml(input, report_,
                 {"UnstructuredGrid", "PolyData", "ImageData", "StructuredGrid", "RectilinearGrid",
                  "PUnstructuredGrid", "PPolyData", "PImageData", "vtkMultiBlockDataSet"});
    const std::string type = xml.content->name;
    if (!wanted.empty() && type != wanted && type != "P" + std::string(wanted))
      input.fail("holds " + type + ", not " + std::string(wanted));
    if (type == "UnstructuredGrid" || type == "PolyData")
      return {read_xml_raw(xml, type == "PolyData" ? 2 : 3), {}};
    if (!type.starts_with("P") && type != "vtkMultiBlockDataSet") return read_xml_piece(xml);
    const std::vector<std::string> sources =
        type.starts_with("P") ? list_pieces(xml) : list_blocks(*xml.content);
    if (sources.empty()) input.fail("has no piece");
    std::vector<LatticePiece> pieces =
        read_all(input, monitor, sources, type.starts_with("P") ? std::string_view(type).substr(1) : "");
    if (type == "PImageData") return join_images(xml, pieces);
    if (pieces.size() == 1 && std::holds_alternative<Grid>(pieces[0].data)) return std::move(pieces[0]);
    return {join_cells(input, std::move(pieces), type.starts_with("P")), {}};
  }

 private:
  static std::vector<std::string> list_pieces(const XmlPieces& xml) {
    std::vector<std::string> sources;
    for (const Element* piece : xml.pieces) {
      if (piece->attribute("Source").empty()) xml.input.fail("has a piece without a Source");
      sources.emplace_back(piece->attribute("Source"));
    }
    return sources;
  }

  /// The files of all blocks; a block without one is empty.
  static std::vector<std::string> list_blocks(const Element& parent) {
    std::vector<std::string> sources;
    for (const Element& child : parent.children) {
      if (child.name == "DataSet" && !child.attribute("file").empty())
        sources.emplace_back(child.attribute("file"));
      std::ranges::move(list_blocks(child), std::back_inserter(sources));
    }
    return sources;
  }

  std::vector<LatticePiece> read_all(const Input& input, const Monitor& monitor,
                                     const std::vector<std::string>& sources, std::string_view wanted) {
    std::vector<LatticePiece> pieces;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      Monitor part;
      part.stop = monitor.stop;
      if (monitor.report) {
        part.report = [&, i](std::string_view stage, double fraction) {
          monitor.report(stage, (static_cast<double>(i) + fraction) / static_cast<double>(sources.size()));
        };
      }
      pieces.push_back(read_piece(input, part, sources[i], wanted));
    }
    return pieces;
  }

  LatticePiece read_piece(const Input& input, const Monitor& monitor, const std::string& source,
                          std::string_view wanted) {
    const std::filesystem::path path = std::filesystem::path(input.name()).parent_path() / source;
    check_new(input, path);
    report_.parts.push_back(path);
    try {
      Input file(path, &monitor);
      if (file.size() == 0) file.fail("is empty");
      ++depth_;
      LatticePiece piece = read(file, monitor, wanted);
      --depth_;
      return piece;
    } catch (const Error& error) {
      if (error.code() == ErrorCode::cancelled) throw;
      throw Error(error.code(), input.name() + ": its piece " + error.what());
    }
  }

  /// No file is read twice, so none is a part of itself and no list is longer than there are files.
  void check_new(const Input& input, const std::filesystem::path& path) {
    const auto real_path = [](const std::filesystem::path& any) {
      std::error_code error;
      std::filesystem::path real = std::filesystem::weakly_canonical(any, error);
      return error ? any : real;
    };
    if (seen_.empty()) seen_.insert(real_path(input.name()));
    if (!seen_.insert(real_path(path)).second)
      input.fail("names " + path.string() + ", which is a part of it already or which it is a part of");
    if (depth_ >= deepest_nesting) input.fail("is nested too deeply");
  }

  RawCells join_cells(const Input& input, std::vector<LatticePiece> parts, bool is_merged) {
    std::vector<RawCells> pieces;
    for (LatticePiece& part : parts) {
      auto* const grid = std::get_if<Grid>(&part.data);
      pieces.push_back(grid != nullptr ? make_grid_cells(input, std::move(*grid))
                                       : std::move(*std::get_if<RawCells>(&part.data)));
    }
    drop_ghosts(pieces);
    std::uint64_t points = 0;
    for (const RawCells& piece : pieces) points += piece.mesh.points.size();
    if (points > std::numeric_limits<std::uint32_t>::max())
      input.refuse("has more than 4294967295 points or cells");
    RawCells joined;
    joined.mesh.points = join_points(pieces, points);
    joined.mesh.point_data = join_fields(pieces, &RawMesh::point_data, report_);
    joined.mesh.cell_data = join_fields(pieces, &RawMesh::cell_data, report_);
    std::vector<const FieldSet*> mesh_fields;
    for (const RawCells& piece : pieces) mesh_fields.push_back(&piece.mesh.field_data);
    joined.mesh.field_data = join_mesh_fields(mesh_fields, report_);
    joined.dimension = 2;
    std::vector<std::uint32_t> piece_of;
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      append_cells(joined, pieces[p], static_cast<std::uint32_t>(piece_of.size()));
      piece_of.resize(piece_of.size() + pieces[p].mesh.points.size(), static_cast<std::uint32_t>(p));
      pieces[p] = {};
    }
    if (is_merged) PointMerger(joined, std::move(piece_of), report_).merge();
    return joined;
  }

  static void append_cells(RawCells& joined, const RawCells& piece, std::uint32_t first_point) {
    const std::uint64_t base = joined.corners.size();
    for (std::size_t i = 0; i < piece.mesh.types.size(); ++i) {
      joined.mesh.types.push_back(piece.mesh.types[i]);
      joined.mesh.ends.push_back(base + piece.mesh.ends[i]);
    }
    for (const VertexId v : piece.corners)
      joined.corners.push_back(VertexId(first_point + static_cast<std::uint32_t>(v.index())));
    joined.dimension = std::max(joined.dimension, piece.dimension);
  }

  void drop_ghosts(std::vector<RawCells>& pieces) {
    std::size_t count = 0;
    bool has_marks = false;
    for (RawCells& piece : pieces) {
      const std::vector<bool> is_ghost = find_ghosts(piece.mesh);
      const auto own = static_cast<std::size_t>(std::ranges::count(is_ghost, true));
      count += own;
      if (own > 0) drop_cells(piece, is_ghost);
      for (const std::string_view name : {"vtkGhostType", "vtkGhostLevels"}) {
        has_marks = has_marks || piece.mesh.cell_data.has(name) || piece.mesh.point_data.has(name);
        piece.mesh.cell_data.remove(name);
        piece.mesh.point_data.remove(name);
      }
    }
    if (has_marks)
      report_.notes.push_back("Left out " + std::to_string(count) +
                              " ghost cells and the arrays that mark them.");
  }

  FileReport& report_;
  std::set<std::filesystem::path> seen_;
  std::size_t depth_ = 0;
};

}  // namespace

AnyMesh read_vtk_parallel(Input& input, const ReadOptions& options, FileReport& report) {
  LatticePiece whole = ParallelReader(report).read(input, monitor_of(options.monitor), "");
  std::set<std::string> said;  // what several pieces say is said once
  std::erase_if(report.notes, [&](const std::string& note) { return !said.insert(note).second; });
  return assemble(input, std::move(whole.data), options, report);
}

}  // namespace tessera::detail::io
