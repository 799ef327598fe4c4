// What the tests of --memory share: meshes of several kinds, and a sweep over budgets.
#pragma once

#include <string>
#include <vector>

#include <tessera/core/memory.h>

#include "cli/run_program.h"

namespace tessera::test {

class MemoryCase : public ProgramTest {
 protected:
  /// Sanitizers take memory of their own and keep what is freed: more than a refusal can know of.
  static constexpr bool is_bounded = !is_sanitized;

  /// `tessera make ARGUMENTS`.
  void make(const Arguments& arguments);
  /// A mesh by the name of its file:
  ///   kuhn.vtu, kuhn-shuffled.vtu   tetrahedra of a lattice, and the same in a random order
  ///   cone.vtk                      tetrahedra around one vertex
  ///   tangle.vtk                    random tetrahedra: edges and triangles of many
  ///   split.vtu, refined.vtu        24 tetrahedra a voxel, and finer and finer ones, with several fields
  ///   ico.vtp, fan.vtk              a sphere, and triangles around one vertex
  ///   grid.vti                      a volume
  /// `size` says how fine.
  void make_named(const std::string& file, int size);

  static Arguments with_limit(Arguments line, const std::string& limit);
  static std::string limit_text(Bytes bytes) { return std::to_string(bytes / 1024) + "K"; }
  /// The size that a refusal names, the larger of two; empty if it names none.
  static std::string named_limit(const std::string& message);

  /// What the program takes by itself, without a GPU.
  Bytes program_bytes() const { return run({"completion", "bash"}).peak; }
  /// A refusal for want of memory, and the run with what it asks for.
  void expect_named_limit_works(const Arguments& line, const std::string& limit) const;
  /// The same of a run that may have printed what it found before it could not be written.
  void expect_named_limit_works(const Arguments& line, const Outcome& refused) const;

  /// Runs within budgets from the program's own size up to twice what the line takes without one. Each run
  /// stays within its budget, or is refused with a value that works. What is named before the mesh of a cone
  /// or a tangle is known may be too little; what is named then is not.
  void expect_bounded(const Arguments& line, int budgets);

  Bytes uncounted = 0;  ///< that a run may take beyond its budget, because starting a GPU takes it

 private:
  /// The value that a refusal names, or 0 if the run worked.
  Bytes run_within(const Arguments& line, Bytes limit) const;
  void make_cone(const std::string& file, int size) const;
  void make_fan(const std::string& file, int size) const;
  void make_tangle(const std::string& file, int size) const;
};

}  // namespace tessera::test
