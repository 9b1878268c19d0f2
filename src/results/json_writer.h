// Writes JSON for people who read it and diff it: one line for each metric, samples side by side.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace labreport {

using Json = nlohmann::ordered_json;

/// Indents by two spaces and ends with a newline. A line holds an array of scalars, a metric, an
/// object of scalars and such arrays up to 100 bytes, or several rows of integers.
std::string write_json(const Json& document);

/// Writes the value on one line and replaces bytes that are not UTF-8. The library's `dump` would
/// throw on them, and file names and a worker's stderr may contain them.
template <typename AnyJson>
std::string compact_json(const AnyJson& value) {
  return value.dump(-1, ' ', false, AnyJson::error_handler_t::replace);
}

}  // namespace labreport
