// run.schema.json, and documents held against it.
#pragma once

#include <string>
#include <string_view>

#include "results/json_reader.h"
#include "results/json_writer.h"

namespace labreport {

/// Keys that the schema does not know: where it lists all there are, they are refused, or let be.
enum class UnknownKeys { kRefused, kLetBe };

/// Throws `InputError` with `origin`, the path inside the document and what the schema wants.
void validate_against_schema(const JsonDocument& document, const std::string& origin,
                             UnknownKeys unknown_keys = UnknownKeys::kRefused);

/// The same with another schema, of which `remedy` tells.
void validate_json(const Json& document, std::string_view schema, const std::string& origin,
                   const std::string& remedy);

}  // namespace labreport
