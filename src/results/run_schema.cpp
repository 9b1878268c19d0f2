#include "results/run_schema.h"

#include "results/run_json_keys.h"

namespace labreport {
namespace {

/// Selects the overload of schema_of() or flatten_into() for a type, without a value of the type.
template <typename Value>
struct Type {};

Json schema_of(Type<bool> /*type*/, const Bounds& /*bounds*/) { return {{"type", "boolean"}}; }

Json schema_of(Type<std::int64_t> /*type*/, const Bounds& bounds) {
  return {{"type", "integer"}, {"minimum", bounds.min}, {"maximum", bounds.max}};
}

Json schema_of(Type<double> /*type*/, const Bounds& bounds) {
  Json schema{{"type", "number"}, {"minimum", -kMaxReal}, {"maximum", kMaxReal}};
  if (bounds.above) schema["exclusiveMinimum"] = *bounds.above;
  return schema;
}

/// `max_bytes` counts bytes and maxLength counts characters, so the schema may accept longer texts.
Json schema_of(Type<std::string> /*type*/, const Bounds& bounds) {
  if (!bounds.allowed_texts.empty()) return {{"enum", bounds.allowed_texts}};
  Json schema{{"type", "string"}, {"maxLength", bounds.max_bytes}};
  if (bounds.pattern != nullptr) schema["pattern"] = bounds.pattern->regex;
  return schema;
}

Json schema_of(Type<Scalar> /*type*/, const Bounds& bounds) {
  Json schema = schema_of(Type<double>(), bounds);
  schema["type"] = {"number", "string", "boolean", "null"};
  schema["maxLength"] = bounds.max_bytes;
  return schema;
}

Json schema_of(Type<std::map<std::string, std::string>> /*type*/, const Bounds& bounds) {
  return {{"type", "object"},
          {"maxProperties", kMaxListItems},
          {"propertyNames", {{"maxLength", kMaxLabelBytes}}},
          {"additionalProperties", schema_of(Type<std::string>(), bounds)}};
}

template <typename Enum>
  requires std::is_enum_v<Enum>
Json schema_of(Type<Enum> /*type*/, const Bounds& /*bounds*/) {
  return {{"enum", all_names<Enum>()}};
}

template <typename Item>
Json schema_of(Type<std::vector<Item>> /*type*/, const Bounds& bounds) {
  Json schema{{"type", "array"},
              {"maxItems", bounds.max_items},
              {"items", schema_of(Type<Item>(), bounds_of_items(bounds))}};
  if (bounds.min_items > 0) schema["minItems"] = bounds.min_items;
  return schema;
}

void add_key(Json& schema, const char* key, Json value, IfEmpty if_empty = IfEmpty::kWritten) {
  schema["properties"][key] = std::move(value);
  if (if_empty == IfEmpty::kWritten) schema["required"].push_back(key);
}

template <typename Struct, typename Value>
void add_member(Json& schema, const Member<Struct, Value>& member) {
  add_key(schema, member.key, schema_of(Type<Value>(), member.bounds), member.if_empty);
}

template <typename Struct, typename Value>
void add_member(Json& schema, const Member<Struct, std::optional<Value>>& member) {
  Json value = schema_of(Type<Value>(), member.bounds);
  if (member.if_empty == IfEmpty::kWritten) value["type"] = {value.at("type"), "null"};
  add_key(schema, member.key, std::move(value), member.if_empty);
}

template <typename Struct, typename Value>
void add_member(Json& schema, const Flattened<Struct, Value>& /*member*/) {
  flatten_into(schema, Type<Value>());
}

/// If `first_key` is not null, it precedes the members' keys and has the schema `first_schema`.
template <typename Struct>
Json object_schema(Type<Struct> /*type*/, const char* first_key = nullptr,
                   const Json& first_schema = {}) {
  Json schema{{"type", "object"},
              {"required", Json::array()},
              {"properties", Json::object()},
              {"additionalProperties", false}};
  if (first_key != nullptr) add_key(schema, first_key, first_schema);
  std::apply([&](const auto&... member) { (add_member(schema, member), ...); }, kMembers<Struct>);
  return schema;
}

template <typename Struct>
  requires(std::tuple_size_v<decltype(kMembers<Struct>)> > 0)
Json schema_of(Type<Struct> type, const Bounds& /*bounds*/) {
  return object_schema(type);
}

template <typename... Alternatives>
Json schema_of(Type<std::variant<Ok, Alternatives...>> /*type*/, const Bounds& /*bounds*/) {
  const auto with_status = [](auto alternative) {
    return object_schema(Type<decltype(alternative)>(), "status",
                         {{"const", status_name(alternative)}});
  };
  return {{"anyOf", {with_status(Ok()), with_status(Alternatives())...}}};
}

/// If the first key of the struct is present, all its required keys must be present.
template <typename Struct>
void flatten_into(Json& schema, Type<std::optional<Struct>> /*type*/) {
  const Json object = object_schema(Type<Struct>());
  schema["properties"].update(object.at("properties"));
  schema["dependencies"][std::get<0>(kMembers<Struct>).key] = object.at("required");
}

void flatten_into(Json& schema, Type<CellSpec> type) {
  add_key(schema, "kind", schema_of(Type<CellKind>(), {}));
  add_key(schema, "params", object_schema(type));
}

void flatten_into(Json& schema, Type<std::variant<Scalar, Samples>> /*type*/) {
  schema["properties"]["value"] = schema_of(Type<Scalar>(), {});
  schema["properties"]["samples"] = schema_of(Type<std::vector<double>>(), {});
  schema["oneOf"] = {{{"required", {"value"}}}, {{"required", {"samples"}}}};
}

}  // namespace

Json run_schema() {
  Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
              {"title", "A labreport run"},
              {"description",
               "What one measurement of a Transformer's training step kept. Times are integer "
               "nanoseconds, memory integer bytes; summaries are computed by the reader."}};
  schema.update(
      object_schema(Type<Run>(), "schema_version", schema_of(Type<std::string>(), kVersionBounds)));
  return schema;
}

}  // namespace labreport
