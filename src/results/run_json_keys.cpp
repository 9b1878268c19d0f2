#include "results/run_json_keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>

#include "results/metric_names.h"

namespace labreport {
namespace {

/// Reads the outcome as `Alternative` and returns true if that alternative has the status.
template <typename Alternative>
bool read_as(const JsonReader& json, const std::string& status, Outcome& outcome) {
  outcome = Alternative();
  if (status_name(outcome) != status) return false;
  read_struct(json, std::get<Alternative>(outcome), "status");
  return true;
}

template <typename... Alternatives>
bool read_as_any(const JsonReader& json, const std::string& status,
                 std::variant<Alternatives...>& outcome) {
  return (read_as<Alternatives>(json, status, outcome) || ...);
}

}  // namespace

void write_into(Json& object, const std::variant<Scalar, Samples>& data) {
  if (const auto* samples = std::get_if<Samples>(&data)) {
    object["samples"] = std::visit([](const auto& values) { return Json(values); }, *samples);
  } else {
    object["value"] = std::get<Scalar>(data);
  }
}

void read_from(const JsonReader& object, std::variant<Scalar, Samples>& data) {
  if (!object.has("samples")) return read_json(object.at("value"), data.emplace<Scalar>());
  const JsonReader array = object.at("samples");
  std::vector<std::int64_t> whole;
  std::vector<double> real;
  bool all_whole = true;
  whole.reserve(array.count());
  real.reserve(array.count());
  array.each([&](const JsonReader& sample) {
    all_whole = all_whole && sample.raw().is_number_integer();
    if (all_whole) whole.push_back(sample.integer());
    real.push_back(sample.real());
  });
  data = all_whole ? Samples(std::move(whole)) : Samples(std::move(real));
}

bool spreads_key(const std::variant<Scalar, Samples>& data, std::string_view key) {
  return key == (std::holds_alternative<Samples>(data) ? "samples" : "value");
}

void read_json(const JsonReader& json, Scalar& value, const Bounds& /*bounds*/) {
  const JsonValue& raw = json.raw();
  if (raw.is_structured()) json.expected("a number, a string, true, false or null");
  if (raw.is_boolean()) value = json.boolean();
  if (raw.is_string()) value = json.text();
  if (raw.is_number_integer()) value = json.integer();
  if (raw.is_number_float()) value = json.real();
}

void read_json(const JsonReader& json, std::string& value, const Bounds& bounds) {
  value = json.text(bounds.longest);
  if (bounds.form != nullptr) {
    // Each thread compiles a pattern once. The text's length was checked above, because std::regex
    // recurses for each character.
    thread_local std::map<const Form*, std::regex> patterns;
    const std::regex& pattern =
        patterns.try_emplace(bounds.form, bounds.form->pattern).first->second;
    if (!std::regex_match(value, pattern)) json.expected(bounds.form->words);
  }
  if (!bounds.names.empty() && std::ranges::find(bounds.names, value) == bounds.names.end()) {
    json.expected(fmt::format("one of {}", fmt::join(bounds.names, ", ")));
  }
}

void read_json(const JsonReader& json, std::int64_t& value, const Bounds& bounds) {
  value = json.integer();
  if (value < bounds.least) json.expected(fmt::format("an integer of at least {}", bounds.least));
  if (value > bounds.most) json.expected(fmt::format("an integer of at most {}", bounds.most));
}

void read_json(const JsonReader& json, double& value, const Bounds& bounds) {
  value = json.real();
  if (bounds.above && value <= *bounds.above) {
    json.expected(fmt::format("a number above {}", *bounds.above));
  }
}

void read_json(const JsonReader& json, std::map<std::string, std::string>& texts,
               const Bounds& /*bounds*/) {
  json.each_member(
      [&](const std::string& key, const JsonReader& value) { texts[key] = value.text(); });
}

void write_into(Json& object, const CellSpec& spec) {
  object["kind"] = name(spec.kind);
  object["params"] = spec;
}

void read_from(const JsonReader& object, CellSpec& spec) {
  read_json(object.at("kind"), spec.kind);
  read_json(object.at("params"), spec);
}

bool spreads_key(const CellSpec& /*spec*/, std::string_view key) {
  return key == "kind" || key == "params";
}

void check_read(const JsonReader& params, const CellSpec& spec) {
  if (!is_countable(spec)) params.complain("its tensors have more bytes than can be counted");
}

void to_json(Json& object, const Outcome& outcome) {
  object = {{"status", status_name(outcome)}};
  std::visit([&](const auto& details) { write_members(object, details); }, outcome);
}

void read_json(const JsonReader& json, Outcome& outcome, const Bounds& /*bounds*/) {
  const JsonReader status = json.at("status");
  if (read_as_any(json, status.text(), outcome)) return;
  status.expected("one of ok, oom, skipped, timeout, crashed, error");
}

void check_read(const JsonReader& json, const Table& table) {
  const std::size_t width = table.columns.size();
  const std::size_t most = table.name == metric::kGpuTrace ? kMostTraced : kMostRows;
  json.at("rows").each(
      [&](const JsonReader& row) {
        if (row.count() != width) row.expected("a row of " + std::to_string(width) + " values");
      },
      most);
}

void check_read(const JsonReader& json, const Cell& cell) {
  if (cell.id == cell_id(cell.spec)) return;
  json.at("id").expected("'" + cell_id(cell.spec) + "', which is what the parameters name");
}

}  // namespace labreport

void nlohmann::adl_serializer<labreport::Scalar>::to_json(labreport::Json& json,
                                                          const labreport::Scalar& value) {
  std::visit(
      [&](const auto& held) {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) {
          json = nullptr;
        } else {
          json = held;
        }
      },
      value);
}
