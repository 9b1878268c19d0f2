// Makes the table of runs, and the sections of all pages over several runs.
#include <algorithm>

#include "base/text.h"
#include "document/demonstration.h"
#include "document/index/pages.h"
#include "embedded/document.h"

namespace labreport {
namespace {

struct RunRow {
  const RunSummary* run;
  std::string link;
  std::string id;
  std::vector<std::string> flags;

  const Headline& headline() const { return run->headline; }
  Value device() const {
    Value name = run->device;
    name.link = link;
    return name;
  }
};

constexpr Notation kRunTimeFormat{Notation::kSignificant, 4};

/// Returns the value of a headline, in which 0 means that it was not measured.
Value headline_value(double value) { return value > 0 ? Value(value) : Value(); }

const std::vector<Column<RunRow>> kRunColumns{
    {"device", "GPU", &RunRow::device},
    {"title", "Report", [](const RunRow& row) { return row.run->title; }},
    {"edition", "Edition", [](const RunRow& row) { return row.run->edition; }},
    {"measured", "Measured (UTC)",
     [](const RunRow& row) { return readable_time(row.run->started_at); }},
    {"network", "Network", [](const RunRow& row) { return row.headline().network; }},
    {"fp32", "FP32 step", [](const RunRow& row) { return headline_value(row.headline().fp32_ms); },
     "ms", kRunTimeFormat},
    {"mixed", "BF16 step",
     [](const RunRow& row) { return headline_value(row.headline().mixed_ms); }, "ms",
     kRunTimeFormat},
    {"peak",
     "Peak memory",
     [](const RunRow& row) { return headline_value(row.headline().peak_bytes); },
     "GiB",
     {Notation::kGibibytes}},
    {"outcome", "Outcome", [](const RunRow& row) { return row.run->outcome; }}};

}  // namespace

Dataset run_data(const std::vector<const RunSummary*>& runs, const std::string& root) {
  // If all runs ship with the project, there is no need to mark them.
  const bool marks_references =
      !std::ranges::all_of(runs, [](const RunSummary* run) { return run->reference; });
  std::vector<RunRow> rows;
  for (const RunSummary* run : runs) {
    RunRow& row =
        rows.emplace_back(RunRow{run, root + run->address(""), "run-" + slug(run->folder), {}});
    if (run->demonstration) row.flags.emplace_back(kDemonstration);
    if (run->reference && marks_references) row.flags.emplace_back("reference run");
    if (run->incomplete) row.flags.emplace_back("interrupted");
    if (run->preset != "full" && !run->demonstration) row.flags.push_back(run->preset + " preset");
  }
  return make_dataset("runs", kRunColumns, rows);
}

Section overview_section(const std::string& name, PartContent content) {
  const auto embedded_file = [](const std::string& path) {
    return embedded::document().at("src/document/index/" + path);
  };
  return compose_section(
      embedded_file(name + ".md"), {{"", std::move(content)}},
      [&](const auto& figure) { return embedded_file("figures/" + figure + ".vl.json"); });
}

}  // namespace labreport
