#include <tessera/mesh/find_field.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include <tessera/core/error.h>

namespace tessera {
namespace {

constexpr std::string_view axes = "xyz";

std::string quote(std::string_view text) {
  return "'" + std::string(text) + "'";
}

template <class Mesh>
Error make_no_field_error(const Mesh& mesh, std::string_view text) {
  std::string known;
  const auto list = [&](const FieldSet& fields, const char* where) {
    for (const Field& field : fields) known += (known.empty() ? "" : ", ") + quote(field.name()) + where;
  };
  list(mesh.point_data, " (points)");
  list(mesh.cell_data, " (cells)");
  return {ErrorCode::not_found, "there is no field " + quote(text) + "; " +
                                    (known.empty() ? "the mesh has none" : "there is " + known)};
}

/// The field of exactly that name, those of the points first.
template <class Mesh>
FoundField find_stored(const Mesh& mesh, std::string_view name) {
  FoundField found;
  found.stored = mesh.point_data.find(name);
  if (found.stored != nullptr) return found;
  found.stored = mesh.cell_data.find(name);
  found.is_on_cells = found.stored != nullptr;
  return found;
}

/// Calls f(cell, point) for the corners of each cell in ascending order of the cells, once for a corner that
/// a cell repeats.
template <int Dim, class F>
void for_each_corner(const SimplexMesh<Dim>& mesh, const F& f) {
  for (std::size_t cell = 0; cell < mesh.cells.size(); ++cell) {
    const auto& corners = mesh.cells[cell];
    for (auto corner = corners.begin(); corner != corners.end(); ++corner) {
      if (corner->index() >= mesh.vertex_count()) {
        throw Error(ErrorCode::bad_mesh, "cell " + std::to_string(cell) + " names point " +
                                             std::to_string(corner->index()) + ", but there are " +
                                             std::to_string(mesh.vertex_count()) + " points");
      }
      if (std::find(corners.begin(), corner, *corner) == corner) f(cell, std::size_t{corner->index()});
    }
  }
}

template <class F>
void for_each_corner(const Grid& grid, const F& f) {
  if (grid.cell_count() == 0) return;
  const auto [nx, ny, nz] = grid.dims;
  const auto cells = [](std::uint32_t points) { return std::max(points, 2u) - 1; };
  std::size_t cell = 0;
  for (std::size_t k = 0; k < cells(nz); ++k) {
    for (std::size_t j = 0; j < cells(ny); ++j) {
      for (std::size_t i = 0; i < cells(nx); ++i, ++cell) {
        for (std::size_t z = k; z <= k + 1 && z < nz; ++z) {
          for (std::size_t y = j; y <= j + 1 && y < ny; ++y) {
            for (std::size_t x = i; x <= i + 1 && x < nx; ++x) f(cell, (z * ny + y) * nx + x);
          }
        }
      }
    }
  }
}

/// Replaces a field of the cells by its mean at each point.
template <class Mesh>
void average(const Mesh& mesh, FoundField& found) {
  const Field& field = *found.stored;
  if (field.size() != mesh.cell_count()) {
    throw Error(ErrorCode::bad_mesh, "the field " + quote(field.name()) + " has " +
                                         std::to_string(field.size()) + " tuples for " +
                                         std::to_string(mesh.cell_count()) + " cells");
  }
  const std::size_t width = field.components();
  Array<double> means(mesh.vertex_count() * width, 0.0);
  Array<std::uint32_t> counts(mesh.vertex_count(), 0u);
  field.visit([&](auto numbers) {
    for_each_corner(mesh, [&](std::size_t cell, std::size_t v) {
      ++counts[v];
      for (std::size_t c = 0; c < width; ++c)
        means[v * width + c] += static_cast<double>(numbers[cell * width + c]);
    });
  });
  for (std::size_t i = 0; i < means.size(); ++i) {
    const std::uint32_t count = counts[i / width];
    means[i] = count > 0 ? means[i] / count : std::numeric_limits<double>::quiet_NaN();
  }
  found.lonely_count = static_cast<std::size_t>(std::count(counts.begin(), counts.end(), 0u));
  found.made.emplace(field.name(), std::move(means), width);
  found.is_on_cells = false;
  found.is_averaged = true;
}

/// The component that is meant, such as "2" or "z".
std::size_t parse_component(std::string_view part, const Field& field) {
  const std::size_t count = field.components();
  const bool has_axes = count == 2 || count == 3;
  const std::size_t axis = part.size() == 1 ? axes.find(part) : std::string_view::npos;
  if (has_axes && axis < count) return axis;
  std::size_t component = 0;
  const auto [stop, status] = std::from_chars(part.data(), part.data() + part.size(), component);
  if (status == std::errc{} && stop == part.data() + part.size() && component < count) return component;
  std::string known = "one component, 0";
  if (count > 1) {
    known = "components 0 to " + std::to_string(count - 1) +
            (count == 2 ? ", or x and y"
             : has_axes ? ", or x, y and z"
                        : "") +
            ", and a magnitude";
  }
  throw Error(ErrorCode::not_found,
              quote(part) + " is no component of the field " + quote(field.name()) + ", which has " + known);
}

/// What follows the colon of `text`: a component or the magnitude.
Field take_part(const Field& field, std::string_view part, std::string_view text) {
  if (part != "magnitude") return take_component(field, parse_component(part, field), std::string(text));
  if (field.components() > 1) return take_magnitude(field, std::string(text));
  throw Error(ErrorCode::unsupported, "the field " + quote(field.name()) +
                                          " has one component, and a magnitude is of several; ask for " +
                                          quote(field.name()) + " itself");
}

template <int Dim>
Field make_coordinate(const SimplexMesh<Dim>& mesh, std::size_t axis, std::string name) {
  return mesh.points.visit([&](auto points) {
    using T = std::remove_const_t<decltype(points[0].x)>;
    Array<T> values(points.size());
    std::transform(points.begin(), points.end(), values.begin(), [&](const auto& p) {
      return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
    });
    return Field(std::move(name), std::move(values));
  });
}

Field make_coordinate(const Grid& grid, std::size_t axis, std::string name) {
  Array<double> values(grid.vertex_count());
  std::size_t v = 0;
  for (std::uint32_t k = 0; k < grid.dims[2]; ++k) {
    for (std::uint32_t j = 0; j < grid.dims[1]; ++j) {
      for (std::uint32_t i = 0; i < grid.dims[0]; ++i) {
        const Vec3d p = grid.point(i, j, k);
        values[v++] = axis == 0 ? p.x : axis == 1 ? p.y : p.z;
      }
    }
  }
  return {std::move(name), std::move(values)};
}

/// The coordinate that `:x`, `:y` or `:z` names.
template <class Mesh>
FoundField find_coordinate(const Mesh& mesh, std::string_view text) {
  const std::string_view part = text.substr(1);
  const std::size_t axis = part.size() == 1 ? axes.find(part) : std::string_view::npos;
  if (axis == std::string_view::npos) {
    throw Error(ErrorCode::not_found, quote(text) + " is no coordinate; there is ':x', ':y' and ':z'");
  }
  FoundField found;
  found.made = make_coordinate(mesh, axis, std::string(mesh.point_data.has(part) ? text : part));
  return found;
}

}  // namespace

template <class Mesh>
FoundField find_field(const Mesh& mesh, std::string_view text, const FindFieldOptions& options) {
  FoundField found = find_stored(mesh, text);
  std::optional<std::string_view> part;
  if (found.stored == nullptr) {
    const std::size_t colon = text.rfind(':');
    if (colon == 0) return find_coordinate(mesh, text);
    if (colon != std::string_view::npos) {
      found = find_stored(mesh, text.substr(0, colon));
      part = text.substr(colon + 1);
    }
  }
  if (found.stored == nullptr) throw make_no_field_error(mesh, text);
  if (found.is_on_cells && options.average_cells) average(mesh, found);
  if (part) found.made = take_part(found.field(), *part, text);
  if (found.made) found.stored = nullptr;
  return found;
}

Field take_component(const Field& field, std::size_t component, std::string name) {
  TS_EXPECTS(component < field.components());
  Field result(std::move(name), field.type(), field.size());
  field.visit([&](auto from) {
    using T = typename decltype(from)::value_type;
    const std::span<T> to = result.as<T>();
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i * field.components() + component];
  });
  return result;
}

Field take_magnitude(const Field& field, std::string name) {
  Array<double> lengths(field.size(), 0.0);
  field.visit([&](auto numbers) {
    const std::size_t width = field.components();
    for (std::size_t i = 0; i < numbers.size(); ++i)
      lengths[i / width] = std::hypot(lengths[i / width], static_cast<double>(numbers[i]));
  });
  return {std::move(name), std::move(lengths)};
}

template FoundField find_field(const TetMesh&, std::string_view, const FindFieldOptions&);
template FoundField find_field(const TriMesh&, std::string_view, const FindFieldOptions&);
template FoundField find_field(const Grid&, std::string_view, const FindFieldOptions&);

}  // namespace tessera
