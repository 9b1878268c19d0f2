#include <algorithm>

#include "base/text.h"
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

constexpr Notation kRunTime{Notation::kSignificant, 4};

Value positive(double value) { return value > 0 ? Value(value) : Value(); }

const std::vector<Column<RunRow>> kRuns{
    {"device", "GPU", &RunRow::device},
    {"title", "Report", [](const RunRow& row) { return row.run->title; }},
    {"edition", "Edition", [](const RunRow& row) { return row.run->edition; }},
    {"measured", "Measured (UTC)",
     [](const RunRow& row) { return readable_time(row.run->started_at); }},
    {"network", "Network", [](const RunRow& row) { return row.headline().network; }},
    {"fp32", "FP32 step", [](const RunRow& row) { return positive(row.headline().fp32_ms); }, "ms",
     kRunTime},
    {"mixed", "BF16 step", [](const RunRow& row) { return positive(row.headline().mixed_ms); },
     "ms", kRunTime},
    {"peak",
     "Peak memory",
     [](const RunRow& row) { return positive(row.headline().peak_bytes); },
     "GiB",
     {Notation::kGibibytes}},
    {"outcome", "Outcome", [](const RunRow& row) { return row.run->outcome; }}};

}  // namespace

Dataset run_rows(const std::vector<const RunSummary*>& runs, const std::string& root) {
  // If all runs ship with the project, marking them would distinguish none.
  const bool names_references =
      !std::ranges::all_of(runs, [](const RunSummary* run) { return run->reference; });
  std::vector<RunRow> rows;
  for (const RunSummary* run : runs) {
    RunRow& row =
        rows.emplace_back(RunRow{run, root + run->address(""), "run-" + slug(run->folder), {}});
    if (run->demonstration) row.flags.emplace_back("CPU demonstration");
    if (run->reference && names_references) row.flags.emplace_back("reference run");
    if (run->incomplete) row.flags.emplace_back("interrupted");
    if (run->preset != "full" && !run->demonstration) row.flags.push_back(run->preset + " preset");
  }
  return make_dataset("runs", kRuns, rows);
}

Section overview_section(const std::string& name, PartContent content) {
  const auto file = [](const std::string& path) {
    return embedded::document().at("src/document/index/" + path);
  };
  return compose_section(file(name + ".md"), {{"", std::move(content)}}, [&](const auto& figure) {
    return file("figures/" + figure + ".vl.json");
  });
}

}  // namespace labreport
