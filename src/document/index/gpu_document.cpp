#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "document/index/ladders.h"
#include "document/index/pages.h"

namespace labreport {
namespace {

constexpr const char* kGpuToRoot = "../";
constexpr std::size_t kMinHistoryRuns = 3;

/// One quantity's values that the host's CPU sets, or those that the GPU sets.
struct QuantityRow {
  const Series* series;
  bool set_by_cpu;
  std::string network;
  std::vector<std::string> flags;

  const Quantity& quantity() const { return *series->front().quantity; }

  Value value(const std::string& name) const {
    const auto chosen = chosen_measurement(*series, name);
    return chosen && chosen->quantity->is_set_by_cpu(name) == set_by_cpu
               ? chosen->value(name, kGpuToRoot)
               : Value();
  }
  bool is_empty() const {
    return std::ranges::all_of(value_names({*series}),
                               [&](const auto& name) { return value(name).is_missing(); });
  }

  /// Returns the range of the quantity's first value over the runs, "4 runs: 327 to 330". Missing
  /// with fewer than three runs.
  Value history() const {
    const std::string& name = quantity().values.front().first;
    std::vector<double> values;
    for (const Measurement& measurement : *series) {
      const double* value = measurement.quantity->find(name);
      if (value != nullptr && measurement.quantity->is_set_by_cpu(name) == set_by_cpu)
        values.push_back(*value);
    }
    if (values.size() < kMinHistoryRuns) return {};
    const auto [low, high] = std::ranges::minmax(values);
    return format_count(static_cast<std::int64_t>(values.size())) +
           " runs: " + format_significant(low, 3) + " to " + format_significant(high, 3);
  }
};

/// Makes a table of one topic's quantities in one unit: of the values that the host's CPU sets, or
/// of those that the GPU sets. Nothing if there are none. If all quantities have one setting, it is
/// part of the title.
std::optional<TableView> quantity_table(const std::vector<Series>& all, bool set_by_cpu,
                                        const std::vector<GpuRuns>& gpus) {
  constexpr const char* kSetByCpu = "set by the host’s CPU, or not known to be the GPU’s";
  const auto setting_of = [](const Series& series) { return series.front().quantity->setting; };
  const std::vector<std::string> settings = distinct(each(all, setting_of));
  const std::string setting = settings.size() == 1 ? settings.front() : "";
  const Quantity& first = *all.front().front().quantity;
  std::vector<QuantityRow> rows;
  for (const Series& series : all) {
    rows.push_back({&series, set_by_cpu, network_name(gpus, *series.front().quantity), {}});
    const std::string flag = remark_on(series);
    if (!flag.empty()) rows.back().flags.push_back(flag);
  }
  std::erase_if(rows, std::mem_fn(&QuantityRow::is_empty));
  if (rows.empty()) return std::nullopt;
  std::vector<Column<QuantityRow>> columns;
  if (!first.network.empty()) columns.push_back({"network", "Network", &QuantityRow::network});
  if (!first.precision.empty()) {
    columns.push_back({"precision", "Precision",
                       [](const QuantityRow& row) { return row.quantity().precision; }});
  }
  if (setting.empty()) {
    columns.push_back(
        {"setting", "Setting", [](const QuantityRow& row) { return row.quantity().setting; }});
  }
  for (const std::string& name : value_names(all)) {
    columns.push_back(
        {slug(name), name, [name](const QuantityRow& row) { return row.value(name); }, first.unit});
  }
  columns.push_back({"history", "Measured more than twice", &QuantityRow::history});
  TableView table = table_of(make_dataset("numbers", columns, rows));
  const std::string remark = set_by_cpu ? kSetByCpu : "";
  table.slug = slug(first.topic + " " + first.unit + " " + remark);
  table.title = first.topic + " (" + first.unit + ")" + (setting.empty() ? "" : ", ") + setting +
                (remark.empty() ? "" : ": ") + remark;
  return table;
}

/// Makes the tables of all topics. Values that the CPU sets have tables of their own, the last
/// ones.
std::vector<TableView> quantity_tables(const GpuRuns& gpu, const std::vector<GpuRuns>& gpus) {
  std::vector<TableView> tables;
  for (const bool set_by_cpu : {false, true}) {
    for (const Topic& topic : kTopics) {
      std::map<std::string, std::vector<Series>> by_unit;
      for (Series& series : quantity_series(gpu, topic.name))
        by_unit[series.front().quantity->unit].push_back(std::move(series));
      for (const auto& [unit, all] : by_unit) {
        if (auto table = quantity_table(all, set_by_cpu, gpus)) tables.push_back(std::move(*table));
      }
    }
  }
  return tables;
}

struct PastStep {
  const RunSummary* run;
  std::string precision;
  double ms;

  Value time() const {
    Value time = ms;
    time.key = run->key(precision + " step");
    return time;
  }
};

const std::vector<Column<PastStep>> kHistoryColumns{
    {"measured", "Measured (UTC)",
     [](const PastStep& step) { return readable_time(step.run->started_at); }},
    {"revision", "Revision", [](const PastStep& step) { return step.run->revision; }},
    {"precision", "Precision", &PastStep::precision},
    {"time", "Training step", &PastStep::time, "ms", {Notation::kSignificant, 4}}};

/// Makes a dataset for each network and edition of which the GPU has three runs or more.
std::vector<Dataset> history_data(const GpuRuns& gpu) {
  std::map<std::tuple<std::string, std::string>, std::vector<const RunSummary*>> runs;
  for (const RunSummary* run : gpu.runs) {
    const bool has_step = run->headline.fp32_ms > 0 || run->headline.mixed_ms > 0;
    if (has_step) runs[{run->headline.network, run->edition}].push_back(run);
  }
  std::vector<Dataset> datasets;
  for (const auto& [key, history] : runs) {
    if (history.size() < kMinHistoryRuns) continue;
    std::vector<PastStep> steps;
    for (const RunSummary* run : history) {
      const Headline& headline = run->headline;
      if (headline.fp32_ms > 0) steps.push_back({run, "FP32", headline.fp32_ms});
      if (headline.mixed_ms > 0) steps.push_back({run, headline.precision, headline.mixed_ms});
    }
    const auto& [network, edition] = key;
    datasets.push_back(make_dataset("history", kHistoryColumns, steps));
    datasets.back().family = "Network";
    datasets.back().variant = network + " (" + edition + ")";
  }
  return datasets;
}

}  // namespace

Document gpu_document(const GpuRuns& gpu, const std::vector<GpuRuns>& gpus) {
  const std::vector<GpuRuns> only_this_gpu{gpu};
  const std::vector<GpuLadder> ladders = common_ladders(only_this_gpu);
  PartContent content;
  content.facts.set("ladder", ladders.empty() ? ""
                                              : network_name(gpus, ladders.front().quantity()) +
                                                    " in " + ladders.front().quantity().precision);
  content.datasets = history_data(gpu);
  content.datasets.insert(content.datasets.end(),
                          {finding_data("found", only_this_gpu, gpus, kGpuToRoot),
                           ladder_data(ladders), run_data(gpu.runs, kGpuToRoot)});
  content.details.tables = quantity_tables(gpu, gpus);
  Document document;
  document.title = gpu.name;
  document.sections = {overview_section("gpu", std::move(content))};
  return document;
}

}  // namespace labreport
