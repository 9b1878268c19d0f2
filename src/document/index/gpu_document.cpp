#include <algorithm>
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

struct KeyNumberRow {
  Value topic;
  PreferredKeyNumber preferred;
};

const std::vector<Column<KeyNumberRow>> kKeyNumberColumns{
    {"topic", "Topic", &KeyNumberRow::topic},
    {"found", "Found",
     [](const KeyNumberRow& row) {
       Value words = row.preferred.number->words;
       words.link = kGpuToRoot + row.preferred.run->address(row.preferred.number->part);
       return words;
     }},
    {"edition", "Edition", [](const KeyNumberRow& row) { return row.preferred.run->edition; }},
    {"measured", "Measured (UTC)",
     [](const KeyNumberRow& row) { return readable_time(row.preferred.run->started_at); }}};

Dataset key_number_data(const GpuRuns& gpu, const std::vector<GpuRuns>& gpus) {
  std::vector<KeyNumberRow> rows;
  for (const std::string topic : each(kTopics, &Topic::name)) {
    const auto preferred = preferred_key_number(gpu, topic, gpu.runs.front()->edition);
    if (preferred.run == nullptr) continue;
    rows.push_back({topic, preferred});
    if (has_topic_page(gpus, topic))
      rows.back().topic.link = kGpuToRoot + topic_folder(topic) + "/index.html";
  }
  return make_dataset("found", kKeyNumberColumns, rows);
}

struct QuantityRow {
  const Series* series;
  std::string network;
  std::vector<std::string> flags;

  const Quantity& newest() const { return *series->front().quantity; }

  /// Returns the range of the quantity's first value over the runs, "4 runs: 327 to 330". Missing
  /// with fewer than three runs.
  Value history() const {
    std::vector<double> values;
    for (const auto& [run, quantity] : *series) {
      const double* value = quantity->find(newest().values.front().first);
      if (value != nullptr) values.push_back(*value);
    }
    if (values.size() < kMinHistoryRuns) return {};
    const auto [low, high] = std::ranges::minmax(values);
    return format_count(static_cast<std::int64_t>(values.size())) +
           " runs: " + format_significant(low, 3) + " to " + format_significant(high, 3);
  }
};

/// Makes a table of one topic's quantities in one unit. If all have one setting, it is part of the
/// title.
TableView quantity_table(const std::vector<Series>& all, const std::vector<GpuRuns>& gpus) {
  const std::string setting = common_setting(all);
  const Quantity& first = *all.front().front().quantity;
  std::vector<QuantityRow> rows;
  for (const Series& series : all) {
    const Quantity& newest = *series.front().quantity;
    rows.push_back({&series, network_names(gpus, newest), {}});
    if (!newest.remark.empty()) rows.back().flags.push_back(newest.remark);
  }
  std::vector<Column<QuantityRow>> columns;
  if (!first.network.empty()) columns.push_back({"network", "Network", &QuantityRow::network});
  if (!first.precision.empty()) {
    columns.push_back(
        {"precision", "Precision", [](const QuantityRow& row) { return row.newest().precision; }});
  }
  if (setting.empty()) {
    columns.push_back(
        {"setting", "Setting", [](const QuantityRow& row) { return row.newest().setting; }});
  }
  for (const std::string& name : value_names(all)) {
    columns.push_back(
        {slug(name), name,
         [name](const QuantityRow& row) { return newest_value(*row.series, name, kGpuToRoot); },
         first.unit});
  }
  columns.push_back({"history", "Measured more than twice", &QuantityRow::history});
  TableView table = table_of(make_dataset("numbers", columns, rows));
  table.slug = slug(first.topic + " " + first.unit);
  table.title = first.topic + " (" + first.unit + ")" + (setting.empty() ? "" : ", ") + setting;
  return table;
}

std::vector<TableView> quantity_tables(const GpuRuns& gpu, const std::vector<GpuRuns>& gpus) {
  std::vector<TableView> tables;
  for (const Topic& topic : kTopics) {
    std::map<std::string, std::vector<Series>> by_unit;
    for (Series& series : quantity_series(gpu, topic.name)) {
      const std::string unit = series.front().quantity->unit;
      by_unit[unit].push_back(std::move(series));
    }
    for (const auto& [unit, all] : by_unit) tables.push_back(quantity_table(all, gpus));
  }
  return tables;
}

struct PastStep {
  const RunSummary* run;
  std::string precision;
  double ms;
};

const std::vector<Column<PastStep>> kHistoryColumns{
    {"measured", "Measured (UTC)",
     [](const PastStep& step) { return readable_time(step.run->started_at); }},
    {"revision", "Revision", [](const PastStep& step) { return step.run->revision; }},
    {"precision", "Precision", &PastStep::precision},
    {"time", "Training step", &PastStep::ms, "ms", {Notation::kSignificant, 4}}};

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
                                              : ladders.front().quantity->network + " in " +
                                                    ladders.front().quantity->precision);
  content.datasets = history_data(gpu);
  content.datasets.insert(content.datasets.end(), {key_number_data(gpu, gpus), ladder_data(ladders),
                                                   run_data(gpu.runs, kGpuToRoot)});
  content.details.tables = quantity_tables(gpu, gpus);
  Document document;
  document.title = gpu.name;
  document.sections = {overview_section("gpu", std::move(content))};
  return document;
}

}  // namespace labreport
