// Strict JSON reading. Every complaint names its path: "cells[3].params.context: expected an
// integer".
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

/// Unknown keys and names are refused, or ignored because a newer version may have more of them.
enum class Unknown { kRefused, kLetBe };

struct JsonDocument {
  JsonValue root;
  std::string origin;  ///< The file or stream that the text came from, for complaints.
  std::size_t values = 0;
  Unknown unknown = Unknown::kRefused;
};

/// Parses text. Arrays and objects nested deeper than 32 levels become null. Throws `InputError`
/// with `origin` and the line if the text is not JSON, with the object's path if a key is repeated,
/// and if there are more than `kMostValues` values.
JsonDocument parse_json(std::string_view text, const std::string& origin);

/// Returns the path of `wanted` in the document: "cells[3].params", or "the document".
std::string path_to(const JsonValue& wanted, const JsonValue& document);

/// Reads one value of a document, which must outlive the reader and not move.
class JsonReader {
 public:
  explicit JsonReader(const JsonDocument& document) : JsonReader(document.root, document) {}

  JsonReader at(std::string_view key) const;                    ///< Refuses an absent key.
  std::optional<JsonReader> maybe(std::string_view key) const;  ///< Empty if absent or null.
  bool has(std::string_view key) const;
  std::size_t count(std::size_t most = kMostItems) const;  ///< Refuses more than `most`.
  /// Visits each array element; refuses more than `most`. each_member() allows `kMostItems`.
  void each(const std::function<void(const JsonReader&)>& visit,
            std::size_t most = kMostItems) const;
  void each_member(const std::function<void(const std::string&, const JsonReader&)>& visit) const;
  /// Refuses the first unknown key, unless the document may have unknown keys.
  void refuse_unknown_keys(const std::function<bool(std::string_view)>& is_known) const;

  std::string text(std::size_t most = kMostText) const;  ///< Refuses more than `most` bytes.
  std::int64_t integer() const;                          ///< Within ±`kMostInteger`; else refused.
  double real() const;  ///< 0, or a magnitude from `kLeastReal` to `kMostReal`. Accepts integers.
  bool boolean() const;
  const JsonValue& raw() const { return *value_; }

  /// Throws `InputError`: "<origin>: <path>: expected <what>, found <what is there>".
  [[noreturn]] void expected(const std::string& what) const;
  [[noreturn]] void complain(const std::string& problem, const std::string& remedy = "") const;

 private:
  JsonReader(const JsonValue& value, const JsonDocument& document)
      : value_(&value), document_(&document) {}
  const JsonValue* find(std::string_view key) const;
  std::string described() const;

  const JsonValue* value_;
  const JsonDocument* document_;
};

}  // namespace labreport
