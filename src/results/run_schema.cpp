#include "results/run_schema.h"

#include <fmt/format.h>

#include <memory>
#include <valijson/adapters/rapidjson_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "base/table.h"
#include "embedded/results.h"
#include "results/run_json.h"

namespace labreport {
namespace {

using valijson::adapters::RapidJsonAdapter;

void let_unknown_keys_be(JsonValue& schema) {
  if (schema.IsArray()) {
    for (JsonValue& part : schema.GetArray()) let_unknown_keys_be(part);
  }
  if (!schema.IsObject()) return;
  const auto more = schema.FindMember("additionalProperties");
  if (more != schema.MemberEnd() && more->value.IsFalse()) schema.RemoveMember(more);
  for (auto& member : schema.GetObject()) let_unknown_keys_be(member.value);
}

/// A schema can be neither copied nor moved.
std::unique_ptr<valijson::Schema> parsed(std::string_view text,
                                         UnknownKeys unknown_keys = UnknownKeys::kRefused) {
  JsonDocument document = parse_json(text, "the schema");
  if (unknown_keys == UnknownKeys::kLetBe) let_unknown_keys_be(document);
  auto result = std::make_unique<valijson::Schema>();
  valijson::SchemaParser parser;
  parser.populateSchema(RapidJsonAdapter(document), *result);
  return result;
}

/// The validator writes a path as "<root>", "[cells]", "[0]"; readers want cells[0].
std::string readable_path(const std::vector<std::string>& steps) {
  std::string path;
  for (const std::string& step : steps) {
    if (step == "<root>") continue;
    const std::string inner = step.substr(1, step.size() - 2);
    const bool index = inner.find_first_not_of("0123456789") == std::string::npos;
    path += index ? step : path.empty() ? inner : "." + inner;
  }
  return path.empty() ? "the document" : path;
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
  constexpr ConstantTable<std::string_view, std::string_view, 5> kForms{
      {{"[schema_version]", "a version such as 1.1.0"},
       {"[started_at]", "a time such as 2026-05-01T12:34:56Z"},
       {"[revision]", "40 hex digits, or nothing"},
       {"[uuid_hash]", "at most 64 hex digits"},
       {"[id]", "letters, digits, '_', '.' and '-'"}}};
  const auto* form = error.context.empty() ? nullptr : look_up(kForms, error.context.back());
  return "expected " + std::string(form == nullptr ? "a text of another form" : *form);
}

void validate(const JsonDocument& document, const valijson::Schema& schema,
              const std::string& origin, const std::string& remedy) {
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(schema, RapidJsonAdapter(document), &results)) return;
  const auto error = innermost(results);
  throw InputError(
      fmt::format("{}: {}: {}", origin, readable_path(error.context), readable_problem(error)),
      remedy);
}

}  // namespace

std::string_view run_schema() { return embedded::results().at("src/results/run.schema.json"); }

void validate_against_schema(const JsonDocument& document, const std::string& origin,
                             UnknownKeys unknown_keys) {
  const auto validate_with = [&](const valijson::Schema& schema) {
    validate(document, schema, origin, "the published run.schema.json says what is expected");
  };
  // Each is parsed when it is first asked for.
  if (unknown_keys == UnknownKeys::kLetBe) {
    static const auto lenient = parsed(run_schema(), UnknownKeys::kLetBe);
    return validate_with(*lenient);
  }
  static const auto strict = parsed(run_schema());
  validate_with(*strict);
}

void validate_json(const Json& document, std::string_view schema, const std::string& origin,
                   const std::string& remedy) {
  validate(parse_json(document.dump(), origin), *parsed(schema), origin, remedy);
}

}  // namespace labreport
