// Defines constant tables of key-value pairs, which the compiler builds and lookups search in
// order.
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

}  // namespace labreport
