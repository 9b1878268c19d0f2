// Writes a comparison as JSON; diff.schema.json describes the keys.
#include <cmath>

#include "embedded/writers.h"
#include "results/json_writer.h"
#include "writers/diff/diff_writers.h"

namespace labreport {
namespace {

constexpr const char* kDiffSchemaVersion = "2.0.0";

/// Returns null for a missing number and, because JSON has no infinity, for one that is not finite.
Json number_or_null(std::optional<double> value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json run_json(const ComparedRun& run) {
  Json rates = Json::object();
  for (const auto& [precision, rate] : run.limits.sustained_gemm_rates)
    rates[std::string(name(precision))] = rate;
  return {{"device", run.device},
          {"model", run.implementation},
          {"source", run.source},
          {"edition", run.edition},
          {"preset", run.preset},
          {"started_at", run.started_at},
          {"revision", run.revision},
          {"driver", run.driver},
          {"cpu", run.cpu},
          {"titles", run.table_titles},
          {"sources", run.table_sources},
          {"assumed", run.assumptions},
          {"matrix_rates", rates},
          {"bandwidth", number_or_null(run.limits.copy_bandwidth)}};
}

Json side_json(const RowSide& side) {
  return {{"value", number_or_null(side.value)}, {"launches", side.launch_values},
          {"reason", side.missing_reason},       {"fits", side.fits},
          {"flags", side.disturbances},          {"busbw", number_or_null(side.busbw)}};
}

Json row_json(const ComparedRow& row) {
  Json interval, verdict;
  if (row.interval) interval = Json::array({row.interval->first, row.interval->second});
  if (row.judgment) {
    verdict = {{"name", name(row.judgment->verdict)},
               {"adjusted_p", number_or_null(row.judgment->adjusted_p)},
               {"detectable", number_or_null(row.judgment->detectable_ratio)},
               {"reason", row.judgment->reason}};
  }
  return {{"cell", row.cell_id},
          {"cell_b", row.cell_id_b.empty() ? row.cell_id : row.cell_id_b},
          {"size", row.size},
          {"measure", name(row.measure)},
          {"unit", unit(row.measure)},
          {"standing", name(row.status)},
          {"a", side_json(row.a)},
          {"b", side_json(row.b)},
          {"ratio", number_or_null(row.ratio)},
          {"interval", interval},
          {"verdict", verdict},
          {"remarks", row.remarks}};
}

Json sum_json(const KernelSum& sum) { return {{"ns", sum.ns}, {"kernels", sum.count}}; }

Json place_json(const PlaceDifference& place) {
  return {{"phase", place.phase},
          {"place", place.part},
          {"a", sum_json(place.a)},
          {"b", sum_json(place.b)}};
}

template <typename Items>
Json json_array(const Items& items, Json (*write)(const typename Items::value_type&)) {
  Json array = Json::array();
  for (const auto& item : items) array.push_back(write(item));
  return array;
}

Json difference_json(const StepDifference& step) {
  return {{"cell", cell_id(step.spec)}, {"places", json_array(step.places, place_json)}};
}

}  // namespace

std::string_view diff_schema() {
  return embedded::writers().at("src/writers/diff/diff.schema.json");
}

std::string diff_json(const Comparison& comparison) {
  return write_json({{"schema_version", kDiffSchemaVersion},
                     {"a", run_json(comparison.a)},
                     {"b", run_json(comparison.b)},
                     {"relation", name(comparison.machines.relation)},
                     {"reasons", comparison.machines.reasons},
                     {"matched", comparison.matched_cells},
                     {"only_a", comparison.cells_only_in_a},
                     {"only_b", comparison.cells_only_in_b},
                     {"mismatches", comparison.mismatches},
                     {"rows", json_array(comparison.rows, row_json)},
                     {"differences", json_array(comparison.step_differences, difference_json)}});
}

}  // namespace labreport
