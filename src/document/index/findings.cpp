// Makes the table of the topics' findings, which the index has for all GPUs and a GPU's page for
// one. Two GPUs have a column with the ratio of their numbers.
#include <algorithm>

#include "base/lists.h"
#include "document/index/pages.h"
#include "document/index/value_rows.h"
#include "results/cell.h"

namespace labreport {
namespace {

struct FindingRow {
  Value topic;
  std::string what;  ///< "xl (3.4 B), BF16, context 512, batch 4, step (ms)"
  std::vector<Value> cells = {};
};

/// Says which changes of the network's ladder a step has outside of the ladder; empty if no GPU has
/// that ladder.
std::string changes_words(const Topic& topic, const ValueRow& row,
                          const std::vector<GpuRuns>& gpus) {
  const std::string matmul(describe(Variant::kMatmul));
  const bool has_ladder =
      std::ranges::any_of(value_rows(topic::kFastestStep, gpus), [&](const ValueRow& rung) {
        return rung.name == matmul && rung.quantity().parameters == row.quantity().parameters &&
               rung.quantity().precision == row.quantity().precision;
      });
  if (!has_ladder) return "";
  if (topic.name == std::string_view(topic::kTrainingStep)) return " with no change but " + matmul;
  if (topic.name == std::string_view(topic::kCompilation)) return ", no other change but " + matmul;
  return "";
}

/// Returns the row of a topic; nothing if none of the GPUs at these places measured it.
std::optional<FindingRow> finding_row(const Topic& topic, const std::vector<GpuRuns>& gpus,
                                      const std::vector<std::size_t>& places,
                                      const std::string& root) {
  const auto rows = only(value_rows(topic.name, gpus), [&](const ValueRow& row) {
    return std::ranges::any_of(places,
                               [&](std::size_t gpu) { return row.by_gpu[gpu].has_value(); });
  });
  if (rows.empty()) return std::nullopt;
  FindingRow result{topic.name, "only numbers that are not known to be the GPU’s"};
  result.topic.link = topic_address(topic, root);
  const ValueRow* finding = conclusive_row(topic, rows);
  if (finding != nullptr) {
    result.what = finding->label(true) + changes_words(topic, *finding, gpus) + " (" +
                  finding->quantity().unit + ")";
  }
  for (const std::size_t gpu : places)
    result.cells.push_back(finding == nullptr ? Value() : finding->value(gpu, root));
  return result;
}

}  // namespace

Dataset finding_data(const std::string& name, const std::vector<GpuRuns>& shown,
                     const std::vector<GpuRuns>& gpus, const std::string& root) {
  const auto places = each(shown, [&](const GpuRuns& gpu) {
    return static_cast<std::size_t>(std::ranges::find(gpus, gpu.name, &GpuRuns::name) -
                                    gpus.begin());
  });
  std::vector<FindingRow> rows;
  for (const Topic& topic : kTopics) {
    if (auto row = finding_row(topic, gpus, places, root)) rows.push_back(std::move(*row));
  }
  std::vector<Column<FindingRow>> columns{{"topic", "Topic", &FindingRow::topic},
                                          {"what", "What", &FindingRow::what}};
  for (std::size_t i = 0; i < shown.size(); ++i) {
    columns.push_back(
        {shown[i].name, shown[i].short_name, [i](const FindingRow& row) { return row.cells[i]; }});
  }
  add_ratio(columns, shown, 1, [](const FindingRow& row, std::size_t i) { return row.cells[i]; });
  return make_dataset(name, columns, rows);
}

}  // namespace labreport
