// Maps structs to JSON objects. The keys of a struct are declared once, for reading and for
// writing.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/table.h"
#include "results/json_reader.h"
#include "results/json_writer.h"
#include "results/metric.h"

namespace labreport {

/// Says whether an empty member is written or its key is left out.
enum class IfEmpty { kWritten, kLeftOut };

/// A regular expression in JSON Schema's syntax, and words that describe it in an error message.
struct TextPattern {
  const char* regex;
  const char* description;
};

/// Bounds of a value. For a list, `min_items` and `max_items` apply to the list, and the other
/// bounds to each item.
struct Bounds {
  std::int64_t min = -kMaxInteger;                       ///< The least integer that is allowed.
  std::int64_t max = kMaxInteger;                        ///< The largest integer that is allowed.
  std::optional<double> above = {};                      ///< A real number must exceed this bound.
  std::size_t max_bytes = kMaxTextBytes;                 ///< The longest text that is allowed.
  const TextPattern* pattern = nullptr;                  ///< Null if texts may have any form.
  std::span<const std::string_view> allowed_texts = {};  ///< Empty if any text is allowed.
  std::size_t min_items = 0;
  std::size_t max_items = kMaxListItems;
};

inline constexpr Bounds kNotNegative{.min = 0};
inline constexpr Bounds kPositive{.min = 1};
inline constexpr Bounds kLabelBounds{.max_bytes = kMaxLabelBytes};

constexpr Bounds bounds_of_items(Bounds list) {
  list.min_items = Bounds().min_items;
  list.max_items = Bounds().max_items;
  return list;
}

/// A member of a struct and its JSON key. With `kWritten`, an empty optional is written as null.
/// With `kLeftOut`, an empty optional, an empty text, an empty list and `false` have no key.
template <typename Struct, typename Value>
struct Member {
  const char* key;
  Value Struct::* pointer;
  Bounds bounds;
  IfEmpty if_empty;
};

/// A member whose keys are written directly into the object of the enclosing struct. The member's
/// type needs overloads of `write_keys_into`, `read_keys_from` and `has_flattened_key`.
template <typename Struct, typename Value>
struct Flattened {
  Value Struct::* pointer;
};

template <typename Struct, typename Value>
constexpr auto member(const char* key, Value Struct::* pointer, const Bounds& bounds = {}) {
  return Member<Struct, Value>{key, pointer, bounds, IfEmpty::kWritten};
}

template <typename Struct, typename Value>
constexpr auto optional_member(const char* key, Value Struct::* pointer,
                               const Bounds& bounds = {}) {
  return Member<Struct, Value>{key, pointer, bounds, IfEmpty::kLeftOut};
}

template <typename Struct, typename Value>
constexpr auto flattened(Value Struct::* pointer) {
  return Flattened<Struct, Value>{pointer};
}

/// Lists the members of a struct. Specializations in run_json_keys.h declare the keys.
template <typename Struct>
inline constexpr auto kMembers = std::tuple();

// The following functions write structs. nlohmann::json calls to_json() to convert one.

void write_keys_into(Json& object, const std::variant<Scalar, Samples>& data);

template <typename Value>
Json json_of(const Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    return name(value);
  } else {
    return value;
  }
}

template <typename Value>
Json json_of(const std::optional<Value>& value) {
  return value ? json_of(*value) : Json();
}

template <typename Value>
bool is_empty(const Value& /*value*/) {
  return false;
}

template <typename Value>
bool is_empty(const std::optional<Value>& value) {
  return !value;
}

inline bool is_empty(const std::string& text) { return text.empty(); }
inline bool is_empty(bool flag) { return !flag; }

template <typename Element>
bool is_empty(const std::vector<Element>& list) {
  return list.empty();
}

template <typename Struct, typename Value>
void write_member(Json& object, const Struct& from, const Member<Struct, Value>& member) {
  const Value& value = from.*member.pointer;
  if (member.if_empty == IfEmpty::kLeftOut && is_empty(value)) return;
  object[member.key] = json_of(value);
}

template <typename Struct, typename Value>
void write_member(Json& object, const Struct& from, const Flattened<Struct, Value>& member) {
  write_keys_into(object, from.*member.pointer);
}

template <typename Struct>
void write_members(Json& object, const Struct& from) {
  std::apply([&](const auto&... member) { (write_member(object, from, member), ...); },
             kMembers<Struct>);
}

template <typename Struct>
void write_keys_into(Json& object, const std::optional<Struct>& from) {
  if (from) write_members(object, *from);
}

template <typename Struct>
  requires(!std::is_same_v<decltype(kMembers<Struct>), const std::tuple<>>)
void to_json(Json& object, const Struct& from) {
  object = Json::object();
  write_members(object, from);
}

// The following functions read structs, check bounds and refuse keys that are not declared. An
// overload of `check_after_reading` checks the other rules of a struct.

void read_keys_from(const JsonReader& object, std::variant<Scalar, Samples>& data);
bool has_flattened_key(const std::variant<Scalar, Samples>& data, std::string_view key);

void read_json(const JsonReader& json, Scalar& value, const Bounds& bounds = {});
void read_json(const JsonReader& json, std::string& value, const Bounds& bounds = {});
void read_json(const JsonReader& json, std::int64_t& value, const Bounds& bounds = {});
void read_json(const JsonReader& json, double& value, const Bounds& bounds = {});
void read_json(const JsonReader& json, std::map<std::string, std::string>& texts,
               const Bounds& bounds = {});

inline void read_json(const JsonReader& json, bool& value, const Bounds& /*bounds*/ = {}) {
  value = json.boolean();
}

template <typename Item>
void read_json(const JsonReader& json, std::vector<Item>& list, const Bounds& bounds = {}) {
  list.reserve(json.item_count(bounds.max_items));
  if (json.raw().size() < bounds.min_items) json.throw_error("the list is too short");
  json.for_each_item(
      [&](const JsonReader& item) {
        read_json(item, list.emplace_back(), bounds_of_items(bounds));
      },
      bounds.max_items);
}

template <typename Struct, typename Value>
void read_member(const JsonReader& object, Struct& into, const Member<Struct, Value>& member) {
  if (member.if_empty == IfEmpty::kLeftOut && !object.has(member.key)) return;
  read_json(object.at(member.key), into.*member.pointer, member.bounds);
}

template <typename Struct, typename Value>
void read_member(const JsonReader& object, Struct& into,
                 const Member<Struct, std::optional<Value>>& member) {
  if (member.if_empty == IfEmpty::kLeftOut && !object.has(member.key)) return;
  const JsonReader json = object.at(member.key);
  if (member.if_empty == IfEmpty::kWritten && json.raw().is_null()) return;
  read_json(json, (into.*member.pointer).emplace(), member.bounds);
}

template <typename Struct, typename Value>
void read_member(const JsonReader& object, Struct& into, const Flattened<Struct, Value>& member) {
  read_keys_from(object, into.*member.pointer);
}

template <typename Struct>
void read_members(const JsonReader& object, Struct& into) {
  std::apply([&](const auto&... member) { (read_member(object, into, member), ...); },
             kMembers<Struct>);
}

template <typename Struct, typename Value>
bool is_key(const Struct& /*value*/, const Member<Struct, Value>& member, std::string_view key) {
  return key == member.key;
}

template <typename Struct, typename Value>
bool is_key(const Struct& value, const Flattened<Struct, Value>& member, std::string_view key) {
  return has_flattened_key(value.*member.pointer, key);
}

/// True if the struct declares the key. `value` tells which alternative of a variant was read.
template <typename Struct>
bool has_key(const Struct& value, std::string_view key) {
  return std::apply([&](const auto&... member) { return (is_key(value, member, key) || ...); },
                    kMembers<Struct>);
}

/// Reads an optional flattened struct, which is present if its first key is.
template <typename Struct>
void read_keys_from(const JsonReader& object, std::optional<Struct>& into) {
  if (object.has(std::get<0>(kMembers<Struct>).key)) read_members(object, into.emplace());
}

template <typename Struct>
bool has_flattened_key(const std::optional<Struct>& value, std::string_view key) {
  return value && has_key(*value, key);
}

template <typename Struct>
void check_after_reading(const JsonReader& /*json*/, const Struct& /*value*/) {}

/// Reads a struct and refuses unknown keys other than `extra_key`.
template <typename Struct>
void read_struct(const JsonReader& json, Struct& value, std::string_view extra_key = "") {
  read_members(json, value);
  json.refuse_unknown_keys(
      [&](std::string_view key) { return key == extra_key || has_key(value, key); });
  check_after_reading(json, value);
}

/// Reads an enumeration by its name, or a struct.
template <typename Value>
void read_json(const JsonReader& json, Value& value, const Bounds& /*bounds*/ = {}) {
  if constexpr (std::is_enum_v<Value>) {
    try {
      value = parse_name<Value>(json.text());
    } catch (const InputError& error) {
      json.throw_error(error.what());
    }
  } else {
    read_struct(json, value);
  }
}

}  // namespace labreport

/// nlohmann::json finds no to_json() for types of the standard library, such as `Scalar`, so it
/// needs this specialization.
template <>
struct nlohmann::adl_serializer<labreport::Scalar> {
  static void to_json(labreport::Json& json, const labreport::Scalar& value);
};
