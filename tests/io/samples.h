// Small files written by hand, with the features that our own writers do not use.
#pragma once

#include <map>
#include <string>

namespace tessera::testing {

/// Files of a format by name; each can be read with `simplices`.
[[nodiscard]] std::map<std::string, std::string> samples(const std::string& format);

/// A quadratic triangle on a biquadratic quad, a quadratic polygon, a Lagrange tetrahedron and a quad: read
/// with `linearize`.
[[nodiscard]] std::string quadratic_vtk();

/// The files that some of them name and that must lie beside them.
[[nodiscard]] std::map<std::string, std::string> companions();

}  // namespace tessera::testing
