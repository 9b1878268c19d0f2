// JSON as it was read: strict, and where in it a value stands.
#pragma once

#include <rapidjson/document.h>

#include <string>
#include <string_view>

namespace labreport {

using JsonDocument = rapidjson::Document;
using JsonValue = rapidjson::Value;

/// Parses text, naming `origin` and the line when it is not JSON, and the object in which a key
/// stands twice. Throws `InputError`.
JsonDocument parse_json(std::string_view text, const std::string& origin);

/// The bytes of a string value.
std::string_view view(const JsonValue& text);

/// Whether the number was written without a fraction and fits 64 bits, signed or not.
bool is_integer(const JsonValue& value);

/// Where `wanted` stands in the document: "cells[3].params", or "the document".
std::string path_to(const JsonValue& wanted, const JsonValue& document);

}  // namespace labreport
