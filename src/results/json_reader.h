// Reads JSON strictly. Every error message begins with the path of the value:
// "cells[3].params.context: expected an integer".
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "results/bounds.h"

namespace labreport {

using JsonValue = nlohmann::json;

/// Says whether unknown keys and units are refused, or ignored because a newer version wrote them.
enum class UnknownNames { kRefused, kIgnored };

struct JsonDocument {
  JsonValue root;
  std::string origin;           ///< The file or stream that the text came from, for error messages.
  std::size_t value_count = 0;  ///< Scalars, arrays and objects.
  UnknownNames unknown_names = UnknownNames::kRefused;
};

/// Parses text. Arrays and objects nested deeper than 32 levels become null. Throws `InputError`
/// with `origin` and the line if the text is not JSON, with the object's path if a key is repeated,
/// or if there are more than `kMaxJsonValues` values.
JsonDocument parse_json(std::string_view text, const std::string& origin);

/// Returns the path of `value` in the document: "cells[3].params", or "the document" for its root.
std::string path_to(const JsonValue& value, const JsonValue& root);

/// Reads one value of a document, which must outlive the reader and not move.
class JsonReader {
 public:
  explicit JsonReader(const JsonDocument& document) : JsonReader(document.root, document) {}

  // Each function throws `InputError` if the value has another type or exceeds a bound.

  JsonReader at(std::string_view key) const;  ///< Throws if the key is absent.
  /// Returns nothing if the key is absent or its value is null.
  std::optional<JsonReader> find_non_null(std::string_view key) const;
  bool has(std::string_view key) const;
  /// Returns the number of items of an array, which may have at most `max_items`.
  std::size_t item_count(std::size_t max_items = kMaxListItems) const;
  void for_each_item(const std::function<void(const JsonReader&)>& visit,
                     std::size_t max_items = kMaxListItems) const;
  /// Visits the keys and values of an object, which may have at most `kMaxListItems`.
  void for_each_member(
      const std::function<void(const std::string&, const JsonReader&)>& visit) const;
  /// Throws for the first unknown key, unless the document may have unknown keys.
  void refuse_unknown_keys(const std::function<bool(std::string_view)>& is_known) const;

  std::string text(std::size_t max_bytes = kMaxTextBytes) const;
  std::int64_t integer() const;  ///< The magnitude is at most `kMaxInteger`.
  /// Accepts integers. The number is 0, or its magnitude is from `kMinNonzeroReal` to `kMaxReal`.
  double real() const;
  bool boolean() const;
  const JsonValue& raw() const { return *value_; }

  /// Throws `InputError`: "<origin>: <path>: expected <what>, found <this value>".
  [[noreturn]] void throw_expected(const std::string& what) const;
  /// Throws `InputError`: "<origin>: <path>: <problem>; <remedy>".
  [[noreturn]] void throw_error(const std::string& problem, const std::string& remedy = "") const;

 private:
  JsonReader(const JsonValue& value, const JsonDocument& document)
      : value_(&value), document_(&document) {}
  const JsonValue* find(std::string_view key) const;
  std::string describe_value() const;

  const JsonValue* value_;
  const JsonDocument* document_;
};

}  // namespace labreport
