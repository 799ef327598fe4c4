// tessera make: the meshes and fields that tests, benchmarks and examples share.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include <tessera/mesh/doctor.h>
#include <tessera/mesh/make.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/files.h"

namespace tessera::cli {
namespace {

struct MakeOptions {
  std::string shape;
  std::string size;
  std::vector<std::string> fields;
  bool shuffle = false;
  std::optional<bool> displace, orient;  ///< on, for the shapes that they are about
  OutputOptions output;
};

using Sizes = std::vector<std::uint32_t>;

/// A family of shapes: what --size means for it and how it is made.
struct Shape {
  std::string name;
  std::string default_size;
  std::size_t axes;   ///< how many numbers --size may have; one number stands for all of them
  double bytes_each;  ///< memory for each product of the sizes, for the check before it is made
  std::string size_meaning;
  AnyMesh (*make)(const Sizes& size, const MakeOptions& options, const Exec& exec);
};

// Kuhn: 12 bytes a point and 6 tetrahedra of 16 bytes, twice while they are turned. A surface of quads: 12
// bytes and 2 triangles of 12. Icosphere: a triangle of 12 bytes and half a point, in two levels, with keys.
const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {"kuhn", "32", 1, 204, "points along an edge of the cube it is cut out of",
       [](const Sizes& n, const MakeOptions&, const Exec& exec) -> AnyMesh {
         return make_kuhn(n[0], {.exec = exec});
       }},
      {"kuhn-full", "32", 1, 204, "points along an edge of the cube",
       [](const Sizes& n, const MakeOptions&, const Exec& exec) -> AnyMesh {
         return make_kuhn_full(n[0], {.exec = exec});
       }},
      {"ico", "5", 1, 60, "times the icosahedron is subdivided: 20 x 4^N triangles",
       [](const Sizes& n, const MakeOptions& options, const Exec& exec) -> AnyMesh {
         const int level = static_cast<int>(std::min(n[0], 1000u));  // any too large a number is refused
         return make_ico(level, {.displace = options.displace.value_or(true), .exec = exec});
       }},
      {"torus", "128x64", 2, 36, "quads around and across the tube, N or NxM",
       [](const Sizes& n, const MakeOptions&, const Exec&) -> AnyMesh { return make_torus(n[0], n[1]); }},
      {"height-field", "128", 2, 36, "points along x and y, N or NxM",
       [](const Sizes& n, const MakeOptions&, const Exec&) -> AnyMesh {
         return make_height_field(n[0], n[1]);
       }},
      {"lattice", "64", 3, 0, "points along x, y and z, N or NxMxK",
       [](const Sizes& n, const MakeOptions&, const Exec&) -> AnyMesh {
         return make_lattice(n[0], n[1], n[2]);
       }},
  };
  return all;
}

/// Meshes that can be counted by hand; where a surface and a solid share a name, the solid's begins with
/// "solid_".
const std::vector<std::string>& small_names() {
  static const std::vector<std::string> names = {"triangle",
                                                 "two_triangles",
                                                 "moebius",
                                                 "pinched_vertex",
                                                 "three_face_fan",
                                                 "bow_tie",
                                                 "isolated_vertices",
                                                 "two_components",
                                                 "octahedron",
                                                 "one_tet",
                                                 "two_tets",
                                                 "bow_tie_edge",
                                                 "bow_tie_vertex",
                                                 "three_tet_fan",
                                                 "solid_isolated_vertices",
                                                 "solid_two_components",
                                                 "cone"};
  return names;
}

bool is_small_solid(std::string_view name) {
  const auto first_solid = std::ranges::find(small_names(), "one_tet");
  return std::find(first_solid, small_names().end(), name) != small_names().end();
}

AnyMesh make_small(std::string name) {
  if (!is_small_solid(name)) return make_small_surface(name);
  constexpr std::string_view prefix = "solid_";
  return make_small_solid(name.starts_with(prefix) ? name.substr(prefix.size()) : name);
}

[[noreturn]] void throw_bad_size(const Shape& shape, const std::string& size) {
  throw Error(ErrorCode::bad_option,
              fmt::format("--size {} does not suit {}; write {}", size, shape.name, shape.size_meaning));
}

/// "64" or "64x32" as one number for each axis.
Sizes parse_size(const Shape& shape, const std::string& text) {
  Sizes sizes;
  const char* place = text.data();
  const char* end = place + text.size();
  while (true) {
    std::uint32_t number = 0;
    const auto [stop, status] = std::from_chars(place, end, number);
    if (status != std::errc{}) throw_bad_size(shape, text);
    sizes.push_back(number);
    if (stop == end) break;
    if (*stop != 'x') throw_bad_size(shape, text);
    place = stop + 1;
  }
  if (sizes.size() == 1) sizes.resize(shape.axes, sizes.front());
  if (sizes.size() != shape.axes) throw_bad_size(shape, text);
  return sizes;
}

AnyMesh make_shape(Session& session, const MakeOptions& options) {
  const auto shape = std::ranges::find(shapes(), options.shape, &Shape::name);
  if (shape == shapes().end()) {
    if (!options.size.empty()) {
      throw Error(ErrorCode::bad_option,
                  fmt::format("{} has one size only; leave --size out", options.shape));
    }
    return make_small(options.shape);
  }
  const Sizes sizes = parse_size(*shape, options.size.empty() ? shape->default_size : options.size);
  double elements = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) elements *= sizes[std::min(axis, sizes.size() - 1)];
  if (shape->name == "ico") elements = 20 * std::pow(4.0, sizes[0]);
  if (shape->axes == 2) elements = static_cast<double>(sizes[0]) * sizes[1];
  const Reservation room(session.memory(), static_cast<Bytes>(std::min(elements * shape->bytes_each, 0x1p62)),
                         options.shape);
  return shape->make(sizes, options, session.host());
}

/// Options that are about another shape.
void check_options(const MakeOptions& options) {
  const bool is_solid = options.shape.starts_with("kuhn") || is_small_solid(options.shape);
  const auto refuse = [&](const char* option, const char* of) {
    throw Error(ErrorCode::bad_option,
                fmt::format("{} is for {}, not for {}; leave it out", option, of, options.shape));
  };
  if (options.displace && options.shape != "ico") refuse("--displace or --no-displace", "ico");
  if (options.orient && !is_solid) refuse("--orient or --no-orient", "tetrahedra");
}

/// The points of a grid as a list, for fields that are functions of place.
Points list_points(const Grid& grid) {
  Array<Vec3f> points;
  points.reserve(grid.vertex_count());
  for (std::uint32_t k = 0; k < grid.dims[2]; ++k) {
    for (std::uint32_t j = 0; j < grid.dims[1]; ++j) {
      for (std::uint32_t i = 0; i < grid.dims[0]; ++i) points.push_back(vec_cast<float>(grid.point(i, j, k)));
    }
  }
  return points;
}

/// The same field under the name it was asked for by.
Field rename(Field field, const std::string& name) {
  return field.visit([&](auto values) {
    using T = typename decltype(values)::value_type;
    return Field(name, Array<T>(values.begin(), values.end()), field.components());
  });
}

Field make_field(const AnyMesh& mesh, const std::string& name, const Exec& exec) {
  const Grid* grid = std::get_if<Grid>(&mesh);
  if (name == "rough" || name == "smooth") {
    const WaveField kind = name == "rough" ? WaveField::rough : WaveField::smooth;
    if (grid != nullptr) return make_wave_field(list_points(*grid), kind, exec);
    const Points& points = std::holds_alternative<TetMesh>(mesh) ? std::get<TetMesh>(mesh).points
                                                                 : std::get<TriMesh>(mesh).points;
    return make_wave_field(points, kind, exec);
  }
  if (grid == nullptr) {
    throw Error(
        ErrorCode::bad_option,
        fmt::format("--field {} is a field of the lattice; use rough or smooth with this shape", name));
  }
  return name == "sphere" ? make_sphere_field(*grid, exec) : make_mri_field(*grid, exec);
}

/// Makes the volumes of all tetrahedra positive. The library's makers let corners ascend instead.
void orient(Session& session, AnyMesh& mesh) {
  if (auto* tets = std::get_if<TetMesh>(&mesh))
    fix(*tets, {.drop = false, .exec = session.host(), .monitor = &session.monitor()});
}

AnyMesh shuffle(const AnyMesh& mesh) {
  return std::visit(
      [](const auto& m) -> AnyMesh {
        if constexpr (requires { make_shuffled(m); }) return make_shuffled(m);
        throw Error(ErrorCode::bad_option, "the points of a lattice have a fixed order; leave --shuffle out");
      },
      mesh);
}

std::vector<std::string> shape_names() {
  std::vector<std::string> names;
  for (const Shape& shape : shapes()) names.push_back(shape.name);
  names.insert(names.end(), small_names().begin(), small_names().end());
  return names;
}

void check_shape(const std::string& shape) {
  const std::vector<std::string> names = shape_names();
  if (std::ranges::find(names, shape) != names.end()) return;
  const std::string nearest = nearest_name(shape, names);
  throw Error(ErrorCode::bad_option, fmt::format("there is no shape '{}'; {}", shape,
                                                 nearest.empty() ? "there are " + quoted_list(names)
                                                                 : "did you mean '" + nearest + "'?"));
}

std::string shape_help() {
  Table table({Align::left, Align::left, Align::left});
  table.add({"shape", "default", "what --size N counts"});
  for (const Shape& shape : shapes()) table.add({shape.name, shape.default_size, shape.size_meaning});
  return fmt::format("Shapes:\n{}  and small ones of one size: {}", table.text(),
                     fmt::join(small_names(), ", "));
}

void declare_make(OptionList& app, MakeOptions& options) {
  app.add_option("shape", options.shape, "what to make; see below")->required()->type_name("SHAPE");
  app.add_option("-n,--size", options.size, "how fine; its meaning depends on the shape, see below")
      ->type_name("N");
  app.add_option("--field", options.fields,
                 "point fields to add: rough, smooth; for the lattice also sphere, mri")
      ->delimiter(',')
      ->is_member({"rough", "smooth", "sphere", "mri"});
  app.add_flag("--shuffle", options.shuffle, "put points and cells in a random order (always the same one)");
  app.add_flag("--displace,!--no-displace", options.displace, "for ico: move the points off the sphere (on)");
  app.add_flag("--orient,!--no-orient", options.orient,
               "for tetrahedra: turn those of negative volume over; kuhn's corners ascend without it (on)");
  add_output_options(app, options.output)->required();
}

int run_make(Session& session, const MakeOptions& options) {
  check_shape(options.shape);
  check_options(options);
  check_output(session, options.output);
  AnyMesh mesh = session.in_phase(Phase::compute, [&] { return make_shape(session, options); });
  for (const std::string& name : options.fields) {
    Field field = session.in_phase(Phase::compute, [&] { return make_field(mesh, name, session.host()); });
    if (field.name() != name) field = rename(std::move(field), name);
    std::visit([&](auto& m) { m.point_data.add(std::move(field)); }, mesh);
  }
  if (options.orient.value_or(true)) session.in_phase(Phase::compute, [&] { orient(session, mesh); });
  if (options.shuffle) mesh = session.in_phase(Phase::compute, [&] { return shuffle(mesh); });
  session.result() = {{"shape", options.shape}, {"fields", options.fields}, {"shuffled", options.shuffle}};
  write_output(session, options.output, mesh);
  return 0;
}

}  // namespace

Verb make_verb() {
  return define_verb<MakeOptions>({"make", Group::files, "make a test mesh, with fields",
                                   "  tessera make kuhn --size 64 --field rough -o kuhn64.vtu\n"
                                   "  tessera make lattice --size 128x128x64 --field mri -o scan.vti\n"
                                   "  tessera make ico --size 6 --shuffle -o ico6.ply\n\n" +
                                       shape_help()},
                                  declare_make, run_make);
}

}  // namespace tessera::cli
