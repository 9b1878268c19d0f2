// Makes the table of runs, and the sections of all pages over several runs.
#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "base/lists.h"
#include "base/text.h"
#include "document/demonstration.h"
#include "document/index/pages.h"
#include "embedded/document.h"
#include "results/run_labels.h"

namespace labreport {
namespace {

struct RunRow {
  const RunSummary* run;
  std::string network;
  std::string link;
  std::string id;
  std::vector<std::string> flags;

  const Headline& headline() const { return run->headline; }
  /// Links to the run's report, because no other column tells two runs apart.
  Value measured() const {
    Value time = readable_time(run->started_at);
    time.link = link;
    return time;
  }
};

constexpr Notation kRunTimeFormat{Notation::kSignificant, 4};

/// Returns a member of a run's headline, in which 0 means that it was not measured.
std::function<Value(const RunRow&)> headline_value(double Headline::* member) {
  return [=](const RunRow& row) {
    Value value;
    if (row.headline().*member <= 0) return value;
    value = row.headline().*member;
    const bool is_fp32 = member == &Headline::fp32_ms, is_peak = member == &Headline::peak_bytes;
    value.key =
        row.run->key(is_peak ? "peak" : (is_fp32 ? "FP32" : row.headline().precision) + " step");
    return value;
  };
}

const std::vector<Column<RunRow>> kRunColumns{
    {"device", "GPU", [](const RunRow& row) { return row.run->device; }},
    {"title", "Report", [](const RunRow& row) { return row.run->title; }},
    {"edition", "Edition", [](const RunRow& row) { return row.run->edition; }},
    {"measured", "Measured (UTC)", &RunRow::measured},
    {"network", "Network", &RunRow::network},
    {"fp32", "FP32 step", headline_value(&Headline::fp32_ms), "ms", kRunTimeFormat},
    {"mixed", "BF16 step", headline_value(&Headline::mixed_ms), "ms", kRunTimeFormat},
    {"peak", "Peak memory", headline_value(&Headline::peak_bytes), "GiB", {Notation::kGibibytes}},
    {"outcome", "Outcome", [](const RunRow& row) { return row.run->outcome; }}};

}  // namespace

Dataset run_data(const std::vector<const RunSummary*>& runs, const std::vector<GpuRuns>& gpus,
                 const std::string& root) {
  // If all runs ship with the project, there is no need to mark them.
  const bool marks_references =
      !std::ranges::all_of(runs, [](const RunSummary* run) { return run->reference; });
  std::vector<RunRow> rows;
  for (const RunSummary* run : runs) {
    const auto quantity =
        std::ranges::find(run->quantities, run->headline.network, &Quantity::network);
    const std::string network =
        quantity == run->quantities.end() ? run->headline.network : network_name(gpus, *quantity);
    RunRow& row = rows.emplace_back(
        RunRow{run, network, root + run->address(""), "run-" + slug(run->folder), {}});
    if (run->demonstration) row.flags.emplace_back(kDemonstration);
    if (run->reference && marks_references) row.flags.emplace_back("reference run");
    if (run->incomplete) row.flags.emplace_back("interrupted");
    if (run->preset != "full" && !run->demonstration) row.flags.push_back(run->preset + " preset");
  }
  return make_dataset("runs", kRunColumns, rows);
}

Dataset report_data(const std::vector<const RunSummary*>& runs, const std::vector<GpuRuns>& gpus) {
  struct ReportRow {
    std::string title;
    std::string edition;  ///< "2025"; "2025, fewer measurements"
    std::map<std::string, const RunSummary*> by_gpu = {};
  };
  const std::string no_gpu;
  std::vector<ReportRow> rows;
  for (const RunSummary* run : runs) {
    const std::string gpu = run->demonstration ? no_gpu : run->gpu();
    const std::string edition =
        run->edition + (run->preset == kPresetQuick ? ", fewer measurements" : "");
    auto row = std::ranges::find_if(rows, [&](const ReportRow& known) {
      return known.title == run->title && known.edition == edition && !known.by_gpu.contains(gpu);
    });
    if (row == rows.end()) row = rows.insert(row, {run->title, edition});
    row->by_gpu[gpu] = run;
  }
  const std::vector<std::string> titles = distinct(each(rows, &ReportRow::title));
  std::ranges::stable_sort(rows, {}, [&](const ReportRow& row) {
    return std::pair(std::ranges::find(titles, row.title) - titles.begin(), row.edition);
  });
  std::vector<Column<ReportRow>> columns{
      {"title", "Report", [](const ReportRow& row) { return row.title + ", " + row.edition; }}};
  const auto add_column = [&](const std::string& name, const std::string& title) {
    columns.push_back({name.empty() ? "cpu" : name, title, [name](const ReportRow& row) {
                         const auto found = row.by_gpu.find(name);
                         if (found == row.by_gpu.end()) return Value();
                         const RunSummary& run = *found->second;
                         Value day = run.started_at.substr(0, std::size("2026-05-01") - 1);
                         day.link = run.address("");
                         return day;
                       }});
  };
  for (const GpuRuns& gpu : gpus) add_column(gpu.name, gpu.short_name);
  if (std::ranges::any_of(runs, &RunSummary::demonstration)) add_column(no_gpu, "CPU");
  return make_dataset("reports", columns, rows);
}

Section overview_section(const std::string& name, PartContent content) {
  const auto embedded_file = [](const std::string& path) {
    return embedded::document().at("src/document/index/" + path);
  };
  Section section = compose_section(
      embedded_file(name + ".md"), {{"", std::move(content)}},
      [&](const auto& figure) { return embedded_file("figures/" + figure + ".vl.json"); });
  section.title = "";
  return section;
}

}  // namespace labreport
