// Can a field be analysed on a mesh?
#pragma once

#include <cstddef>
#include <string>

#include <tessera/core/error.h>
#include <tessera/mesh/field.h>

namespace tessera::detail {

/// Error(unsupported) unless the field has one number for each vertex.
inline void check_field(const Field& field, std::size_t vertices) {
  if (field.components() != 1) {
    throw Error(ErrorCode::unsupported, "the field '" + field.name() + "' has " +
                                            std::to_string(field.components()) +
                                            " components; an order needs one");
  }
  if (field.size() != vertices) {
    throw Error(ErrorCode::unsupported, "the field '" + field.name() + "' has " +
                                            std::to_string(field.size()) + " values, but the mesh has " +
                                            std::to_string(vertices) + " vertices");
  }
}

}  // namespace tessera::detail
