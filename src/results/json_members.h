// Structs as JSON objects: the keys of each are declared once, for reading and for writing.
#pragma once

#include <map>
#include <optional>
#include <string>
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

/// A key and the member that stands there. An empty optional is null, or its key is left out.
template <typename Struct, typename Value>
struct Member {
  const char* key;
  Value Struct::* value;
  std::size_t most;  ///< Bytes of a text, items of a list; 0: what any may have.
  IfEmpty if_empty;
};

/// A member whose own keys stand in the struct's object: its type has a `write_into` and a
/// `read_from`.
template <typename Struct, typename Value>
struct Spread {
  Value Struct::* value;
};

template <typename Struct, typename Value>
constexpr auto member(const char* key, Value Struct::* value, std::size_t most = 0) {
  return Member<Struct, Value>{key, value, most, IfEmpty::kWritten};
}

template <typename Struct, typename Value>
constexpr auto optional_member(const char* key, Value Struct::* value, std::size_t most = 0) {
  return Member<Struct, Value>{key, value, most, IfEmpty::kLeftOut};
}

template <typename Struct, typename Value>
constexpr auto spread(Value Struct::* value) {
  return Spread<Struct, Value>{value};
}

/// The members of a struct in the order in which they are written.
template <typename Struct>
inline constexpr auto kMembers = std::tuple();

// Writing. A struct with members is one that the library takes wherever it takes a number.

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
inline bool is_empty(bool said) { return !said; }
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
  requires(!std::is_same_v<decltype(kMembers<Struct>), const std::tuple<>>)
void to_json(Json& object, const Struct& from) {
  object = Json::object();
  write_members(object, from);
}

// Reading. What else a struct promises is proven by an overload of `check_read`.

void read_from(const JsonReader& object, std::variant<Scalar, Samples>& data);
void read_json(const JsonReader& json, Scalar& value, std::size_t most = 0);

inline void read_json(const JsonReader& json, std::string& value, std::size_t most = 0) {
  value = most == 0 ? json.text() : json.text(most);
}

inline void read_json(const JsonReader& json, std::int64_t& value, std::size_t /*most*/ = 0) {
  value = json.integer();
}

inline void read_json(const JsonReader& json, int& value, std::size_t /*most*/ = 0) {
  if (!std::in_range<int>(json.integer())) json.expected("a small integer");
  value = static_cast<int>(json.integer());
}

inline void read_json(const JsonReader& json, double& value, std::size_t /*most*/ = 0) {
  value = json.real();
}

inline void read_json(const JsonReader& json, bool& value, std::size_t /*most*/ = 0) {
  value = json.boolean();
}

inline void read_json(const JsonReader& json, std::map<std::string, std::string>& texts,
                      std::size_t /*most*/ = 0) {
  json.each_member(
      [&](const std::string& key, const JsonReader& value) { texts[key] = value.text(); });
}

template <typename Item>
void read_json(const JsonReader& json, std::vector<Item>& list, std::size_t most = 0) {
  if (most == 0) most = kMostItems;
  list.reserve(json.count(most));
  json.each([&](const JsonReader& item) { read_json(item, list.emplace_back()); }, most);
}

template <typename Struct>
void check_read(const JsonReader& /*json*/, const Struct& /*value*/) {}

/// A struct, or a value with a name.
template <typename Value>
void read_json(const JsonReader& json, Value& value, std::size_t /*most*/ = 0) {
  if constexpr (std::is_enum_v<Value>) {
    try {
      parse(json.text(), value);
    } catch (const InputError& error) {
      json.complain(error.what());
    }
  } else {
    std::apply([&](const auto&... member) { (read_member(json, value, member), ...); },
               kMembers<Value>);
    check_read(json, value);
  }
}

template <typename Struct, typename Value>
void read_member(const JsonReader& object, Struct& into, const Member<Struct, Value>& member) {
  if (member.if_empty == IfEmpty::kWritten) {
    read_json(object.at(member.key), into.*member.value, member.most);
  } else if (const auto json = object.maybe(member.key)) {
    read_json(*json, into.*member.value, member.most);
  }
}

template <typename Struct, typename Value>
void read_member(const JsonReader& object, Struct& into,
                 const Member<Struct, std::optional<Value>>& member) {
  if (const auto json = object.maybe(member.key)) {
    read_json(*json, (into.*member.value).emplace(), member.most);
  }
}

template <typename Struct, typename Value>
void read_member(const JsonReader& object, Struct& into, const Spread<Struct, Value>& member) {
  read_from(object, into.*member.value);
}

}  // namespace labreport

/// The library's own way for types of other libraries.
template <>
struct nlohmann::adl_serializer<labreport::Scalar> {
  static void to_json(labreport::Json& json, const labreport::Scalar& value);
};
