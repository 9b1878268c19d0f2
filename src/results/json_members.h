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

#include "results/json_reader.h"
#include "results/json_writer.h"
#include "results/metric.h"

namespace labreport {

enum class IfEmpty { kWritten, kLeftOut };

/// A regular expression in JSON Schema's syntax, and the words that describe it in a complaint.
struct Form {
  const char* pattern;
  const char* words;
};

/// Bounds of a value. For a list, all but `least_items` and `most_items` apply to its items.
struct Bounds {
  std::int64_t least = -kMostInteger;  ///< `least` and `most` are inclusive and apply to integers.
  std::int64_t most = kMostInteger;
  std::optional<double> above = {};  ///< Exclusive; applies to reals.
  std::size_t longest = kMostText;   ///< Bytes of a text.
  const Form* form = nullptr;
  std::span<const std::string_view> names = {};  ///< The only texts allowed; empty if any text is.
  std::size_t least_items = 0;
  std::size_t most_items = kMostItems;
};

inline constexpr Bounds kNotNegative{.least = 0};
inline constexpr Bounds kPositive{.least = 1};
inline constexpr Bounds kLabel{.longest = kMostLabel};

constexpr Bounds bounds_of_items(Bounds list) {
  list.least_items = Bounds().least_items;
  list.most_items = Bounds().most_items;
  return list;
}

/// A key and the struct's member that it holds. With `kWritten` an empty optional is null; with
/// `kLeftOut` an empty optional, text or list and `false` have no key.
template <typename Struct, typename Value>
struct Member {
  const char* key;
  Value Struct::* value;
  Bounds bounds;
  IfEmpty if_empty;
};

/// A member whose keys are written directly into the struct's object. Its type needs a
/// `write_into`, a `read_from` and a `spreads_key`.
template <typename Struct, typename Value>
struct Spread {
  Value Struct::* value;
};

template <typename Struct, typename Value>
constexpr auto member(const char* key, Value Struct::* value, const Bounds& bounds = {}) {
  return Member<Struct, Value>{key, value, bounds, IfEmpty::kWritten};
}

template <typename Struct, typename Value>
constexpr auto optional_member(const char* key, Value Struct::* value, const Bounds& bounds = {}) {
  return Member<Struct, Value>{key, value, bounds, IfEmpty::kLeftOut};
}

template <typename Struct, typename Value>
constexpr auto spread(Value Struct::* value) {
  return Spread<Struct, Value>{value};
}

template <typename Struct>
inline constexpr auto kMembers = std::tuple();

// Writing: structs with members convert to JSON as the library's own types do.

void write_into(Json& object, const std::variant<Scalar, Samples>& data);

template <typename Value>
Json written(const Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    return name(value);
  } else {
    return value;
  }
}

template <typename Value>
Json written(const std::optional<Value>& value) {
  return value ? written(*value) : Json();
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
inline bool is_empty(const std::vector<std::string>& texts) { return texts.empty(); }

template <typename Struct, typename Value>
void write_member(Json& object, const Struct& from, const Member<Struct, Value>& member) {
  const Value& value = from.*member.value;
  if (member.if_empty == IfEmpty::kLeftOut && is_empty(value)) return;
  object[member.key] = written(value);
}

template <typename Struct, typename Value>
void write_member(Json& object, const Struct& from, const Spread<Struct, Value>& member) {
  write_into(object, from.*member.value);
}

template <typename Struct>
void write_members(Json& object, const Struct& from) {
  std::apply([&](const auto&... member) { (write_member(object, from, member), ...); },
             kMembers<Struct>);
}

template <typename Struct>
void write_into(Json& object, const std::optional<Struct>& from) {
  if (from) write_members(object, *from);
}

template <typename Struct>
  requires(!std::is_same_v<decltype(kMembers<Struct>), const std::tuple<>>)
void to_json(Json& object, const Struct& from) {
  object = Json::object();
  write_members(object, from);
}

// Reading checks bounds and refuses keys that are not declared. An overload of `check_read` checks
// the other rules of a struct.

void read_from(const JsonReader& object, std::variant<Scalar, Samples>& data);
bool spreads_key(const std::variant<Scalar, Samples>& data, std::string_view key);

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
  list.reserve(json.count(bounds.most_items));
  if (json.raw().size() < bounds.least_items) json.complain("the list is too short");
  json.each(
      [&](const JsonReader& item) {
        read_json(item, list.emplace_back(), bounds_of_items(bounds));
      },
      bounds.most_items);
}

template <typename Struct, typename Value>
void read_member(const JsonReader& object, Struct& into, const Member<Struct, Value>& member) {
  if (member.if_empty == IfEmpty::kLeftOut && !object.has(member.key)) return;
  read_json(object.at(member.key), into.*member.value, member.bounds);
}

template <typename Struct, typename Value>
void read_member(const JsonReader& object, Struct& into,
                 const Member<Struct, std::optional<Value>>& member) {
  if (member.if_empty == IfEmpty::kLeftOut && !object.has(member.key)) return;
  const JsonReader json = object.at(member.key);
  if (member.if_empty == IfEmpty::kWritten && json.raw().is_null()) return;
  read_json(json, (into.*member.value).emplace(), member.bounds);
}

template <typename Struct, typename Value>
void read_member(const JsonReader& object, Struct& into, const Spread<Struct, Value>& member) {
  read_from(object, into.*member.value);
}

template <typename Struct>
void read_members(const JsonReader& object, Struct& into) {
  std::apply([&](const auto&... member) { (read_member(object, into, member), ...); },
             kMembers<Struct>);
}

template <typename Struct, typename Value>
bool is_key(const Struct& /*read*/, const Member<Struct, Value>& member, std::string_view key) {
  return key == member.key;
}

template <typename Struct, typename Value>
bool is_key(const Struct& read, const Spread<Struct, Value>& member, std::string_view key) {
  return spreads_key(read.*member.value, key);
}

/// True if the struct, with the values that were read, declares the key.
template <typename Struct>
bool has_key(const Struct& read, std::string_view key) {
  return std::apply([&](const auto&... member) { return (is_key(read, member, key) || ...); },
                    kMembers<Struct>);
}

/// Reads an optional struct, which is present if its first key is.
template <typename Struct>
void read_from(const JsonReader& object, std::optional<Struct>& into) {
  if (object.has(std::get<0>(kMembers<Struct>).key)) read_members(object, into.emplace());
}

template <typename Struct>
bool spreads_key(const std::optional<Struct>& read, std::string_view key) {
  return read && has_key(*read, key);
}

template <typename Struct>
void check_read(const JsonReader& /*json*/, const Struct& /*value*/) {}

/// Reads a struct and refuses unknown keys other than `beside`.
template <typename Struct>
void read_struct(const JsonReader& json, Struct& value, std::string_view beside = "") {
  read_members(json, value);
  json.refuse_unknown_keys(
      [&](std::string_view key) { return key == beside || has_key(value, key); });
  check_read(json, value);
}

/// Reads an enumeration by its name, or a struct.
template <typename Value>
void read_json(const JsonReader& json, Value& value, const Bounds& /*bounds*/ = {}) {
  if constexpr (std::is_enum_v<Value>) {
    try {
      parse(json.text(), value);
    } catch (const InputError& error) {
      json.complain(error.what());
    }
  } else {
    read_struct(json, value);
  }
}

}  // namespace labreport

/// nlohmann::json converts types of other libraries through this specialization.
template <>
struct nlohmann::adl_serializer<labreport::Scalar> {
  static void to_json(labreport::Json& json, const labreport::Scalar& value);
};
