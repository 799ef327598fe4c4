#include "render/camera.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace tessera::cli {
namespace {

struct NamedCamera {
  std::string_view name;
  double azimuth, elevation;
};
constexpr std::array<NamedCamera, 8> cameras = {{{"auto", 30, 25},
                                                 {"iso", 30, 25},
                                                 {"front", 0, 0},
                                                 {"back", 180, 0},
                                                 {"left", -90, 0},
                                                 {"right", 90, 0},
                                                 {"top", 0, 90},
                                                 {"bottom", 0, -90}}};

/// What is up, and right seen from the front: the front of a thing that stands on z looks along -y, of one
/// that stands on y along z.
struct Upright {
  std::string_view name;
  Vec3d up, right;
};
constexpr std::array<Upright, 6> uprights = {{{"x", {1, 0, 0}, {0, 1, 0}},
                                              {"y", {0, 1, 0}, {1, 0, 0}},
                                              {"z", {0, 0, 1}, {1, 0, 0}},
                                              {"-x", {-1, 0, 0}, {0, 1, 0}},
                                              {"-y", {0, -1, 0}, {1, 0, 0}},
                                              {"-z", {0, 0, -1}, {1, 0, 0}}}};

/// Flat is what extends in a direction by less than this part of its largest extent.
constexpr double flat_share = 1e-3;

template <class Table>
const auto& entry_named(const Table& table, std::string_view name) {
  return *std::ranges::find_if(table, [&](const auto& entry) { return entry.name == name; });
}

template <class Table>
std::vector<std::string> names_in(const Table& table) {
  std::vector<std::string> names;
  for (const auto& entry : table) names.emplace_back(entry.name);
  return names;
}

double radians(double degrees) {
  return degrees * std::numbers::pi / 180;
}

/// The camera that looks at the one side that a flat box has; "iso" for other boxes.
std::string_view choose_camera(const Camera& camera, const Box& box) {
  const Vec3d size = box.high - box.low;
  const double least = flat_share * std::max({size.x, size.y, size.z});
  const auto is_flat_along = [&](Vec3d axis) { return std::abs(dot(size, axis)) <= least; };
  if (is_flat_along(camera.upright)) return "top";
  if (is_flat_along(cross(camera.right, camera.upright))) return "front";
  return is_flat_along(camera.right) ? "right" : "iso";
}

}  // namespace

Vec3d Camera::direction() const {
  const double a = radians(azimuth);
  const double e = radians(elevation);
  const Vec3d front = cross(right, upright);
  return std::cos(e) * (std::sin(a) * right + std::cos(a) * front) + std::sin(e) * upright;
}

Vec3d Camera::up() const {
  const double a = radians(azimuth);
  const double e = radians(elevation);
  const Vec3d front = cross(right, upright);
  return std::cos(e) * upright - std::sin(e) * (std::sin(a) * right + std::cos(a) * front);
}

std::vector<std::string> camera_names() {
  return names_in(cameras);
}

std::vector<std::string> up_names() {
  return names_in(uprights);
}

std::string_view default_up(std::string_view format) {
  constexpr std::array<std::string_view, 3> models = {"obj", "ply", "off"};
  return std::ranges::find(models, format) != models.end() ? "y" : "z";
}

Camera make_camera(std::string_view name, std::string_view up, const Box& box) {
  Camera camera;
  const Upright& upright = entry_named(uprights, up);
  camera.upright = upright.up;
  camera.right = upright.right;
  const NamedCamera& chosen = entry_named(cameras, name == "auto" ? choose_camera(camera, box) : name);
  camera.azimuth = chosen.azimuth;
  camera.elevation = chosen.elevation;
  return camera;
}

}  // namespace tessera::cli
