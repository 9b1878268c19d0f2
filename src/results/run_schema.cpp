#include "results/run_schema.h"

#include <algorithm>
#include <map>
#include <memory>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "base/table.h"
#include "embedded/results.h"
#include "results/run_json.h"

namespace labreport {
namespace {

using valijson::adapters::NlohmannJsonAdapter;

void let_unknown_keys_be(JsonValue& schema) {
  if (!schema.is_structured()) return;
  if (schema.is_object() && schema.value("additionalProperties", JsonValue()) == false) {
    schema.erase("additionalProperties");
  }
  for (JsonValue& part : schema) let_unknown_keys_be(part);
}

/// A schema can be neither copied nor moved.
std::unique_ptr<valijson::Schema> parsed(const JsonValue& schema) {
  auto result = std::make_unique<valijson::Schema>();
  valijson::SchemaParser().populateSchema(NlohmannJsonAdapter(schema), *result);
  return result;
}

constexpr Names<SchemaPart, 3> kDefinitions{{{SchemaPart::kLaunch, "launch"},
                                             {SchemaPart::kDevice, "device"},
                                             {SchemaPart::kParams, "params"}}};

JsonValue schema_text(SchemaPart part, Unknown unknown) {
  JsonValue schema = parse_json(run_schema(), "the schema").root;
  if (unknown == Unknown::kLetBe) let_unknown_keys_be(schema);
  if (part == SchemaPart::kRun) return schema;
  JsonValue definition = schema["definitions"][std::string(name_in(kDefinitions, part))];
  definition["definitions"] = schema["definitions"];  // it refers to others
  return definition;
}

/// Each is parsed when it is first asked for.
const valijson::Schema& schema_of(SchemaPart part, Unknown unknown) {
  static std::map<std::pair<SchemaPart, Unknown>, std::unique_ptr<valijson::Schema>> known;
  auto& schema = known[{part, unknown}];
  if (!schema) schema = parsed(schema_text(part, unknown));
  return *schema;
}

/// The validator writes a path as "<root>", "[cells]", "[0]".
std::vector<std::string> steps_of(const valijson::ValidationResults::Error& error) {
  std::vector<std::string> steps;
  for (const std::string& step : error.context) {
    if (step != "<root>") steps.push_back(step.substr(1, step.size() - 2));
  }
  return steps;
}

/// The last error reported is the innermost, which says most.
valijson::ValidationResults::Error innermost(valijson::ValidationResults& results) {
  valijson::ValidationResults::Error error;
  valijson::ValidationResults::Error deepest;
  while (results.popError(error)) {
    if (error.context.size() >= deepest.context.size()) deepest = error;
  }
  return deepest;
}

/// The validator names its own means; readers want to know what to write.
std::string readable_problem(const valijson::ValidationResults::Error& error) {
  if (error.description.find("regex") == std::string::npos) return error.description;
  constexpr ConstantTable<std::string_view, std::string_view, 6> kForms{
      {{"[schema_version]", "a version such as 1.1.0"},
       {"[started_at]", "a time such as 2026-05-01T12:34:56Z"},
       {"[revision]", "40 hex digits, or nothing"},
       {"[implementation]", "at most 60 letters, digits, '_' and '-'"},
       {"[uuid_hash]", "at most 64 hex digits"},
       {"[id]", "letters, digits, '_', '.' and '-'"}}};
  const auto* form = error.context.empty() ? nullptr : look_up(kForms, error.context.back());
  return "expected " + std::string(form == nullptr ? "a text of another form" : *form);
}

void validate(const JsonReader& value, const valijson::Schema& schema, const std::string& remedy) {
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(schema, NlohmannJsonAdapter(value.raw()), &results)) return;
  const auto error = innermost(results);
  value.follow(steps_of(error)).complain(readable_problem(error), remedy);
}

/// Empties a list whose objects have no key besides those that reading them asks for: each of
/// their values has been proven then. Others stay, as the schema may refuse what nobody reads.
void leave_out_proven(JsonValue& list, std::size_t keys) {
  const bool proven =
      std::ranges::all_of(list, [&](const JsonValue& part) { return part.size() == keys; });
  if (proven) list.clear();
}

}  // namespace

std::string_view run_schema() { return embedded::results().at("src/results/run.schema.json"); }

void leave_out_proven(JsonValue& launch) {
  constexpr std::size_t kMetric = 4;  // tag, name, unit, and value or samples
  constexpr std::size_t kColumn = 2;  // name, unit
  leave_out_proven(launch.at("metrics"), kMetric);
  leave_out_proven(launch.at("conditions"), kMetric);
  for (JsonValue& table : launch.at("tables")) {
    leave_out_proven(table.at("columns"), kColumn);
    table.at("rows").clear();
  }
}

void validate_against_schema(const JsonReader& value, SchemaPart part, Unknown unknown) {
  validate(value, schema_of(part, unknown), "the published run.schema.json says what is expected");
}

void validate_json(const Json& document, std::string_view schema, const std::string& origin,
                   const std::string& remedy) {
  const JsonDocument held{JsonValue(document), origin};
  validate(JsonReader(held), *parsed(parse_json(schema, "the schema").root), remedy);
}

}  // namespace labreport
