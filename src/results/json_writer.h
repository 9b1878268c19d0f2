// Writing JSON that people read and diff: one line a metric, samples beside each other.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace labreport {

using Json = nlohmann::ordered_json;

/// Two spaces a level, a trailing newline. An object or array whose parts hold no objects stays on
/// one line when it is short or holds only scalars.
std::string write_json(const Json& document);

/// All on one line. Bytes that are no UTF-8, of a file's name or a worker's last words, are
/// replaced: the library's own `dump` would throw.
template <typename AnyJson>
std::string compact_json(const AnyJson& value) {
  return value.dump(-1, ' ', false, AnyJson::error_handler_t::replace);
}

}  // namespace labreport
