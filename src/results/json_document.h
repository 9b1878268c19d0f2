// JSON as it was read: strict, and where in it a value stands.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace labreport {

using JsonValue = nlohmann::json;

struct JsonDocument {
  JsonValue root;
  std::string origin;  ///< Where its text came from, for complaints.
};

/// Parses text, naming `origin` and the line when it is not JSON, and the object in which a key
/// stands twice, and refusing more than `kMostValues`. What nests deeper than any reader goes is
/// left out: null. Throws `InputError`.
JsonDocument parse_json(std::string_view text, const std::string& origin);

/// Where `wanted` stands in the document: "cells[3].params", or "the document".
std::string path_to(const JsonValue& wanted, const JsonValue& document);

}  // namespace labreport
