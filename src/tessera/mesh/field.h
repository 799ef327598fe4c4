// Fields: named arrays of numbers that live on the points or cells of a mesh, or on the mesh as a whole.
// Every numeric type that mesh files know is kept as it is, with any number of components.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <tessera/core/array.h>
#include <tessera/core/macros.h>

namespace tessera {

/// The order is that of Field::Values.
enum class ScalarType : std::uint8_t { i8, u8, i16, u16, i32, u32, i64, u64, f32, f64 };

[[nodiscard]] std::string_view to_string(ScalarType type);
[[nodiscard]] std::size_t size_of(ScalarType type);

/// `size()` tuples of `components()` numbers of one type, tuple after tuple.
class Field {
 public:
  using Values = std::variant<Array<std::int8_t>, Array<std::uint8_t>, Array<std::int16_t>,
                              Array<std::uint16_t>, Array<std::int32_t>, Array<std::uint32_t>,
                              Array<std::int64_t>, Array<std::uint64_t>, Array<float>, Array<double>>;

  /// Takes the values over. Their number must be a multiple of `components`.
  Field(std::string name, Values values, std::size_t components = 1);
  /// Room for `tuples` tuples, not yet written.
  Field(std::string name, ScalarType type, std::size_t tuples, std::size_t components = 1);

  Field(const Field& other)
      : name_(other.name_), components_(other.components_), values_(copy_arrays(other.values_)) {}
  Field(Field&&) noexcept = default;
  Field& operator=(const Field& other) { return *this = Field(other); }
  Field& operator=(Field&&) noexcept = default;
  ~Field() = default;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] ScalarType type() const { return static_cast<ScalarType>(values_.index()); }
  [[nodiscard]] std::size_t components() const { return components_; }
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::size_t bytes() const;

  /// The numbers as T, which must be the field's own type.
  template <class T>
  [[nodiscard]] std::span<const T> as() const {
    TS_EXPECTS(std::holds_alternative<Array<T>>(values_));
    return *std::get_if<Array<T>>(&values_);
  }
  template <class T>
  [[nodiscard]] std::span<T> as() {
    TS_EXPECTS(std::holds_alternative<Array<T>>(values_));
    return *std::get_if<Array<T>>(&values_);
  }

  /// Calls f(std::span<const T>) with the field's own T.
  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit(
        [&](const auto& values) -> decltype(auto) {
          return f(std::span<const typename std::decay_t<decltype(values)>::value_type>(values));
        },
        values_);
  }
  /// Calls f(std::span<T>) with the field's own T.
  template <class F>
  decltype(auto) visit(F&& f) {
    return std::visit(
        [&](auto& values) -> decltype(auto) {
          return f(std::span<typename std::decay_t<decltype(values)>::value_type>(values));
        },
        values_);
  }

  /// The tuples named by `order`, in that order; each must exist. Used when elements are dropped or
  /// renumbered.
  [[nodiscard]] Field gather(std::span<const std::uint32_t> order) const;

  /// Same name, type, components and bytes (so NaN equals itself).
  friend bool operator==(const Field& a, const Field& b);

 private:
  std::string name_;
  std::size_t components_;
  Values values_;
};

/// Fields of one association in the order they were added; names are unique.
class FieldSet {
 public:
  FieldSet() = default;
  /// Fields of names that all differ.
  explicit FieldSet(std::vector<Field> fields) : fields_(std::move(fields)) {}

  /// Adds the field; one of the same name is replaced in place.
  Field& add(Field field);
  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
  [[nodiscard]] const Field* find(std::string_view name) const;
  [[nodiscard]] Field* find(std::string_view name);
  /// The field, or Error(not_found) that lists the names there are.
  [[nodiscard]] const Field& at(std::string_view name) const;
  void remove(std::string_view name);

  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] std::size_t size() const { return fields_.size(); }
  [[nodiscard]] bool empty() const { return fields_.empty(); }
  [[nodiscard]] auto begin() const { return fields_.begin(); }
  [[nodiscard]] auto end() const { return fields_.end(); }
  [[nodiscard]] auto begin() { return fields_.begin(); }
  [[nodiscard]] auto end() { return fields_.end(); }
  [[nodiscard]] std::size_t bytes() const;

  /// The field that viewers colour by first: the one that was set, if it is there, else the first of one
  /// component; null if there is none. A set without it is equal to one with it.
  [[nodiscard]] const Field* active() const;
  void set_active(std::string name) { active_ = std::move(name); }

  /// Every field's tuples named by `order`, in that order.
  [[nodiscard]] FieldSet gather(std::span<const std::uint32_t> order) const;

  friend bool operator==(const FieldSet& a, const FieldSet& b) { return a.fields_ == b.fields_; }

 private:
  std::vector<Field> fields_;
  std::string active_;
};

}  // namespace tessera
