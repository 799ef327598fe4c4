// The examination behind diagnose() and defect_mesh(): every finding with its elements in flat lists.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/mesh/detail/doctor_cells.h>
#include <tessera/mesh/detail/doctor_pass.h>
#include <tessera/mesh/doctor.h>

namespace tessera::detail::doctor {

/// What is the same for every finding of a kind.
struct KindInfo {
  std::string_view kind;
  Severity severity;
  ElementKind element;
  std::int32_t defect;  ///< bits of Defect; 0 if defect_mesh() does not show the kind
  std::string_view explanation;
};

/// A finding before it becomes public.
struct Section {
  KindInfo info;
  Listing elements;
  std::string field;
};

struct Examination {
  DoctorReport facts;  ///< without findings
  std::vector<Section> sections;
  SortedOut sorted;

  void add(const KindInfo& info, Listing elements, std::string field = {});
};

template <int Dim>
[[nodiscard]] Examination examine(const PassContext& context, const SimplexMesh<Dim>& mesh);

/// Fields whose number of tuples is not the number of points or cells, and numbers that are not finite.
void examine_fields(const PassContext& context, const FieldSet& fields, ElementKind element,
                    std::size_t expected, Examination& result);

/// The sections as findings, errors first.
[[nodiscard]] DoctorReport make_report(const Examination& examination);

}  // namespace tessera::detail::doctor
