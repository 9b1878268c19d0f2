// Writes JSON for people who read it and diff it: one line for each metric, samples side by side.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace labreport {

using Json = nlohmann::ordered_json;

/// Indents by two spaces and ends with a newline. One line holds an array of scalars, a metric,
/// another object of at most 100 bytes that nests no object, or several rows of integers.
std::string write_json(const Json& document);

/// Writes the value on one line and replaces bytes that are not UTF-8, which file names and a
/// worker's stderr may contain. With its defaults, the library's `dump` throws on such bytes.
template <typename AnyJson>
std::string compact_json(const AnyJson& value) {
  return value.dump(-1, ' ', false, AnyJson::error_handler_t::replace);
}

}  // namespace labreport
