#include <tessera/mesh/field.h>

#include <algorithm>
#include <cstring>

#include <tessera/core/error.h>

namespace tessera {
namespace {

template <std::size_t I = 0>
Field::Values make_values(std::size_t index, std::size_t size) {
  if constexpr (I < std::variant_size_v<Field::Values>) {
    if (I == index) return Field::Values(std::in_place_index<I>, size);
    return make_values<I + 1>(index, size);
  } else {
    TS_EXPECTS(index < std::variant_size_v<Field::Values>);
    return {};
  }
}

}  // namespace

std::string_view to_string(ScalarType type) {
  constexpr std::string_view names[] = {"int8",   "uint8", "int16",  "uint16",  "int32",
                                        "uint32", "int64", "uint64", "float32", "float64"};
  return names[static_cast<std::size_t>(type)];
}

std::size_t size_of(ScalarType type) {
  constexpr std::size_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}

Field::Field(std::string name, Values values, std::size_t components)
    : name_(std::move(name)), components_(components), values_(std::move(values)) {
  TS_EXPECTS(components > 0);
  visit([&](auto numbers) { TS_EXPECTS(numbers.size() % components == 0); });
}

Field::Field(std::string name, ScalarType type, std::size_t tuples, std::size_t components)
    : name_(std::move(name)),
      components_(components),
      values_(make_values(static_cast<std::size_t>(type), tuples * components)) {
  TS_EXPECTS(components > 0);
}

std::size_t Field::size() const {
  return visit([&](auto numbers) { return numbers.size() / components_; });
}

std::size_t Field::bytes() const {
  return visit([](auto numbers) { return numbers.size_bytes(); });
}

Field Field::gather(std::span<const std::uint32_t> order) const {
  Field result(name_, type(), order.size(), components_);
  visit([&](auto from) {
    using T = typename decltype(from)::value_type;
    const std::span<T> to = result.as<T>();
    for (std::size_t i = 0; i < order.size(); ++i) {
      std::copy_n(from.begin() + order[i] * components_, components_, to.begin() + i * components_);
    }
  });
  return result;
}

bool operator==(const Field& a, const Field& b) {
  if (a.name_ != b.name_ || a.components_ != b.components_ || a.type() != b.type()) return false;
  return a.visit([&](auto numbers) {
    using T = typename decltype(numbers)::value_type;
    const std::span<const T> others = b.as<T>();
    return numbers.size() == others.size() &&
           (numbers.empty() || std::memcmp(numbers.data(), others.data(), numbers.size_bytes()) == 0);
  });
}

Field& FieldSet::add(Field field) {
  if (Field* present = find(field.name())) return *present = std::move(field);
  return fields_.emplace_back(std::move(field));
}

const Field* FieldSet::find(std::string_view name) const {
  const auto found = std::ranges::find(fields_, name, &Field::name);
  return found == fields_.end() ? nullptr : &*found;
}

Field* FieldSet::find(std::string_view name) {
  const auto found = std::ranges::find(fields_, name, &Field::name);
  return found == fields_.end() ? nullptr : &*found;
}

const Field& FieldSet::at(std::string_view name) const {
  if (const Field* field = find(name)) return *field;
  std::string known;
  for (const Field& field : fields_) known += (known.empty() ? "'" : ", '") + field.name() + "'";
  throw Error(ErrorCode::not_found, "there is no field '" + std::string(name) + "'; " +
                                        (known.empty() ? "the mesh has none" : "there is " + known));
}

void FieldSet::remove(std::string_view name) {
  std::erase_if(fields_, [&](const Field& field) { return field.name() == name; });
}

std::vector<std::string> FieldSet::names() const {
  std::vector<std::string> result;
  for (const Field& field : fields_) result.push_back(field.name());
  return result;
}

std::size_t FieldSet::bytes() const {
  std::size_t total = 0;
  for (const Field& field : fields_) total += field.bytes();
  return total;
}

FieldSet FieldSet::gather(std::span<const std::uint32_t> order) const {
  FieldSet result;
  for (const Field& field : fields_) result.fields_.push_back(field.gather(order));
  result.active_ = active_;
  return result;
}

const Field* FieldSet::active() const {
  if (const Field* const chosen = find(active_); chosen != nullptr) return chosen;
  const auto found = std::ranges::find(fields_, std::size_t{1}, &Field::components);
  return found == fields_.end() ? nullptr : &*found;
}

}  // namespace tessera
