#include <tessera/topology/detail/export_parts.h>

#include <algorithm>
#include <limits>
#include <type_traits>

namespace tessera::detail {

using std::size_t;
using std::uint32_t;

Points make_points(size_t count, bool is_double) {
  return is_double ? Points(Array<Vec3d>(count)) : Points(Array<Vec3f>(count));
}

Points extend(const Points& points, size_t more) {
  Points longer = make_points(points.size() + more, points.is_double());
  points.visit([&](auto from) {
    longer.visit([&](auto to) {
      using From = typename decltype(from)::value_type;
      if constexpr (std::is_same_v<From, typename decltype(to)::value_type>)
        std::ranges::copy(from, to.begin());
    });
  });
  return longer;
}

void set_point(Points& points, size_t index, Vec3d place) {
  points.visit([&](auto values) {
    using T = decltype(values[0].x + 0);
    values[index] = vec_cast<T>(place);
  });
}

Field make_id_field(const std::string& name, const Array<uint32_t>& ids) {
  constexpr uint32_t most = std::numeric_limits<std::int32_t>::max();
  const bool is_narrow = std::ranges::all_of(ids, [](uint32_t id) { return id <= most; });
  if (!is_narrow) return {name, Array<std::int64_t>(ids.begin(), ids.end())};
  return {name, Array<std::int32_t>(ids.begin(), ids.end())};
}

void add_function_range(FieldSet& fields, const Field& field, const Array<VertexId>& highest,
                        const Array<VertexId>& lowest) {
  field.visit([&](auto values) {
    using T = typename decltype(values)::value_type;
    Array<T> high(highest.size());
    Array<T> low(highest.size());
    // The difference of two integers of a type may be larger than the type; of no sign it holds it.
    using Difference = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                                   std::type_identity<T>>::type;
    Array<Difference> difference(highest.size());
    for (size_t i = 0; i < highest.size(); ++i) {
      high[i] = values[highest[i].index()];
      low[i] = values[lowest[i].index()];
      difference[i] =
          static_cast<Difference>(static_cast<Difference>(high[i]) - static_cast<Difference>(low[i]));
    }
    fields.add(Field("SeparatrixFunctionMaximum", std::move(high)));
    fields.add(Field("SeparatrixFunctionMinimum", std::move(low)));
    fields.add(Field("SeparatrixFunctionDifference", std::move(difference)));
  });
}

}  // namespace tessera::detail
