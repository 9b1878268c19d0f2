// Defines constant tables, which the compiler builds and lookups search in order: of key-value
// pairs, and of the names of an enumeration's values.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/text.h"

namespace labreport {

template <typename Key, typename Value, std::size_t N>
using ConstantTable = std::array<std::pair<Key, Value>, N>;

/// Returns the value for `key`; null if there is none.
template <typename Key, typename Value, std::size_t N>
constexpr const Value* look_up(const ConstantTable<Key, Value, N>& table,
                               const std::type_identity_t<Key>& key) {
  for (const auto& [candidate, value] : table) {
    if (candidate == key) return &value;
  }
  return nullptr;
}

/// The names of all values of an enumeration, as used in JSON and flags.
template <typename Enum, std::size_t N>
using Names = ConstantTable<Enum, std::string_view, N>;

/// Returns the name of a value; empty for a value without a name.
template <typename Enum, std::size_t N>
constexpr std::string_view name_in(const Names<Enum, N>& names, Enum value) {
  const std::string_view* name = look_up(names, value);
  return name == nullptr ? std::string_view() : *name;
}

/// Throws `InputError` with the nearest names if no value has this one: "unknown precision 'fp3'".
template <typename Enum, std::size_t N>
Enum parse_name(const Names<Enum, N>& names, std::string_view what, std::string_view text) {
  std::vector<std::string> valid;
  for (const auto& [value, candidate] : names) {
    if (candidate == text) return value;
    valid.emplace_back(candidate);
  }
  refuse_unknown(what, text, valid);
}

/// A value's name in JSON, flags and ids, "fp32", and its words for readers, "FP32".
template <typename Enum>
struct ValueName {
  Enum value;
  std::string_view name, words = {};
};

template <typename Enum, std::size_t N>
struct EnumNames {
  std::string_view noun;  ///< Names the enumeration in an error: "precision".
  std::array<ValueName<Enum>, N> values;
};

template <typename Enum, std::size_t N>
constexpr EnumNames<Enum, N> enum_names(std::string_view noun, const ValueName<Enum> (&values)[N]) {
  return {noun, std::to_array(values)};
}

/// The names of an enumeration, which the enumeration's header declares by a specialization.
template <typename Enum>
inline constexpr auto kEnumNames = nullptr;

template <typename Enum>
concept NamedEnum = requires { kEnumNames<Enum>.values; };

/// Returns the name of a value; empty for a number that is no value.
template <NamedEnum Enum>
constexpr std::string_view name(Enum value) {
  for (const auto& known : kEnumNames<Enum>.values) {
    if (known.value == value) return known.name;
  }
  return {};
}

/// Returns the words of a value.
template <NamedEnum Enum>
constexpr std::string_view describe(Enum value) {
  for (const auto& known : kEnumNames<Enum>.values) {
    if (known.value == value) return known.words;
  }
  return {};
}

/// Returns the names of all values, in their order.
template <NamedEnum Enum>
std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const auto& known : kEnumNames<Enum>.values) names.emplace_back(known.name);
  return names;
}

/// Reads a name. Throws `InputError` with the nearest names if no value has this one.
template <NamedEnum Enum>
Enum parse_name(std::string_view text) {
  for (const auto& known : kEnumNames<Enum>.values) {
    if (known.name == text) return known.value;
  }
  refuse_unknown(kEnumNames<Enum>.noun, text, all_names<Enum>());
}

}  // namespace labreport
