#include "results/run_json_keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>

#include "results/metric_names.h"

namespace labreport {
namespace {

/// Reads the outcome and returns true if `status` is the name of this alternative.
template <typename Alternative>
bool read_if_named(const JsonReader& json, const std::string& status, Outcome& outcome) {
  outcome = Alternative();
  if (status_name(outcome) != status) return false;
  read_struct(json, std::get<Alternative>(outcome), "status");
  return true;
}

template <typename... Alternatives>
bool read_named_alternative(const JsonReader& json, const std::string& status,
                            std::variant<Alternatives...>& outcome) {
  return (read_if_named<Alternatives>(json, status, outcome) || ...);
}

}  // namespace

void write_keys_into(Json& object, const std::variant<Scalar, Samples>& data) {
  if (const auto* samples = std::get_if<Samples>(&data)) {
    object["samples"] = std::visit([](const auto& values) { return Json(values); }, *samples);
  } else {
    object["value"] = std::get<Scalar>(data);
  }
}

void read_keys_from(const JsonReader& object, std::variant<Scalar, Samples>& data) {
  if (!object.has("samples")) return read_json(object.at("value"), data.emplace<Scalar>());
  const JsonReader array = object.at("samples");
  std::vector<std::int64_t> integers;
  std::vector<double> reals;
  bool all_integers = true;
  integers.reserve(array.item_count());
  reals.reserve(array.item_count());
  array.for_each_item([&](const JsonReader& sample) {
    all_integers = all_integers && sample.raw().is_number_integer();
    if (all_integers) integers.push_back(sample.integer());
    reals.push_back(sample.real());
  });
  data = all_integers ? Samples(std::move(integers)) : Samples(std::move(reals));
}

bool has_flattened_key(const std::variant<Scalar, Samples>& data, std::string_view key) {
  return key == (std::holds_alternative<Samples>(data) ? "samples" : "value");
}

void read_json(const JsonReader& json, Scalar& value, const Bounds& /*bounds*/) {
  const JsonValue& raw = json.raw();
  if (raw.is_structured()) json.throw_expected("a number, a string, true, false or null");
  if (raw.is_boolean()) value = json.boolean();
  if (raw.is_string()) value = json.text();
  if (raw.is_number_integer()) value = json.integer();
  if (raw.is_number_float()) value = json.real();
}

void read_json(const JsonReader& json, std::string& value, const Bounds& bounds) {
  value = json.text(bounds.max_bytes);
  if (bounds.pattern != nullptr) {
    // Each thread compiles a pattern once. std::regex recurses for each character, so the length of
    // the text had to be checked above.
    thread_local std::map<const TextPattern*, std::regex> patterns;
    const std::regex& pattern =
        patterns.try_emplace(bounds.pattern, bounds.pattern->regex).first->second;
    if (!std::regex_match(value, pattern)) json.throw_expected(bounds.pattern->description);
  }
  if (!bounds.allowed_texts.empty() &&
      std::ranges::find(bounds.allowed_texts, value) == bounds.allowed_texts.end()) {
    json.throw_expected(fmt::format("one of {}", fmt::join(bounds.allowed_texts, ", ")));
  }
}

void read_json(const JsonReader& json, std::int64_t& value, const Bounds& bounds) {
  value = json.integer();
  if (value < bounds.min) json.throw_expected(fmt::format("an integer of at least {}", bounds.min));
  if (value > bounds.max) json.throw_expected(fmt::format("an integer of at most {}", bounds.max));
}

void read_json(const JsonReader& json, double& value, const Bounds& bounds) {
  value = json.real();
  if (bounds.above && value <= *bounds.above) {
    json.throw_expected(fmt::format("a number above {}", *bounds.above));
  }
}

void read_json(const JsonReader& json, std::map<std::string, std::string>& texts,
               const Bounds& /*bounds*/) {
  json.for_each_member(
      [&](const std::string& key, const JsonReader& value) { texts[key] = value.text(); });
}

void write_keys_into(Json& object, const CellSpec& spec) {
  object["kind"] = name(spec.kind);
  object["params"] = spec;
}

void read_keys_from(const JsonReader& object, CellSpec& spec) {
  read_json(object.at("kind"), spec.kind);
  read_json(object.at("params"), spec);
}

bool has_flattened_key(const CellSpec& /*spec*/, std::string_view key) {
  return key == "kind" || key == "params";
}

void check_after_reading(const JsonReader& params, const CellSpec& spec) {
  if (!bytes_are_countable(spec))
    params.throw_error("its tensors have more bytes than can be counted");
}

void to_json(Json& object, const Outcome& outcome) {
  object = {{"status", status_name(outcome)}};
  std::visit([&](const auto& details) { write_members(object, details); }, outcome);
}

void read_json(const JsonReader& json, Outcome& outcome, const Bounds& /*bounds*/) {
  const JsonReader status = json.at("status");
  if (read_named_alternative(json, status.text(), outcome)) return;
  status.throw_expected("one of ok, oom, skipped, timeout, crashed, error");
}

void check_after_reading(const JsonReader& json, const Table& table) {
  const std::size_t column_count = table.columns.size();
  const std::size_t max_rows = table.name == metric::kGpuTrace ? kMaxTraceRows : kMaxTableRows;
  json.at("rows").for_each_item(
      [&](const JsonReader& row) {
        if (row.item_count() != column_count)
          row.throw_expected("a row of " + std::to_string(column_count) + " values");
      },
      max_rows);
}

void check_after_reading(const JsonReader& json, const Cell& cell) {
  if (cell.id == cell_id(cell.spec)) return;
  json.at("id").throw_expected("'" + cell_id(cell.spec) + "', which is what the parameters name");
}

}  // namespace labreport

void nlohmann::adl_serializer<labreport::Scalar>::to_json(labreport::Json& json,
                                                          const labreport::Scalar& value) {
  std::visit(
      [&](const auto& alternative) {
        if constexpr (std::is_same_v<std::decay_t<decltype(alternative)>, std::monostate>) {
          json = nullptr;
        } else {
          json = alternative;
        }
      },
      value);
}
