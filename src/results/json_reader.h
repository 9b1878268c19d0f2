// Reading JSON, strictly, with a path for every complaint: "cells[3].params.context: expected an
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

/// Keys and names that this program does not know are refused, or let be: a newer version may have
/// more.
enum class Unknown { kRefused, kLetBe };

struct JsonDocument {
  JsonValue root;
  std::string origin;  ///< Where its text came from, for complaints.
  std::size_t values = 0;
  Unknown unknown = Unknown::kRefused;
};

/// Parses text, naming `origin` and the line when it is not JSON, and the object in which a key
/// stands twice, and refusing more than `kMostValues`. What nests deeper than any reader goes is
/// left out: null. Throws `InputError`.
JsonDocument parse_json(std::string_view text, const std::string& origin);

/// Where `wanted` stands in the document: "cells[3].params", or "the document".
std::string path_to(const JsonValue& wanted, const JsonValue& document);

/// A value inside a document, which must live, where it is.
class JsonReader {
 public:
  explicit JsonReader(const JsonDocument& document) : JsonReader(document.root, document) {}

  JsonReader at(std::string_view key) const;                    ///< Must be there.
  std::optional<JsonReader> maybe(std::string_view key) const;  ///< Absent or null: nothing.
  bool has(std::string_view key) const;
  std::size_t count(std::size_t most = kMostItems) const;  ///< Of array elements.
  /// Array elements; at most `kMostItems`, as members are.
  void each(const std::function<void(const JsonReader&)>& visit,
            std::size_t most = kMostItems) const;
  void each_member(const std::function<void(const std::string&, const JsonReader&)>& visit) const;
  /// Complains of the first key that is not known, unless the document may have others.
  void refuse_unknown_keys(const std::function<bool(std::string_view)>& is_known) const;

  std::string text(std::size_t most = kMostText) const;  ///< Of at most so many bytes.
  std::int64_t integer() const;                          ///< At most `kMostInteger` away from 0.
  double real() const;  ///< 0, or `kLeastReal` to `kMostReal` away from it; an integer is one too.
  bool boolean() const;
  const JsonValue& raw() const { return *value_; }

  /// "<origin>: <path>: expected <what>, found <what is there>"
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
