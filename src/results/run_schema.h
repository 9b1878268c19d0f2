// run.schema.json, and documents held against it.
#pragma once

#include <string>
#include <string_view>

#include "results/json_reader.h"
#include "results/json_writer.h"
#include "results/run_check.h"

namespace labreport {

/// The whole, or a part that files of their own hold too.
enum class SchemaPart { kRun, kLaunch, kDevice, kParams };

/// Empties a launch's lists of metrics and tables where having read them has proven them to be what
/// the schema wants: nearly all of a run, and the validator is slow by comparison.
void leave_out_proven(JsonValue& launch);

/// Throws `InputError` with the value's path in its document and what the schema wants.
void validate_against_schema(const JsonReader& value, SchemaPart part,
                             Unknown unknown = Unknown::kRefused);

/// The same with another schema, of which `remedy` tells.
void validate_json(const Json& document, std::string_view schema, const std::string& origin,
                   const std::string& remedy);

}  // namespace labreport
