// Builds the datasets and facts of section.md: a training step made faster one change at a time.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/statistics.h"
#include "document/waterfall.h"
#include "experiments/common/command.h"
#include "experiments/common/ladder.h"
#include "experiments/problems.h"

namespace labreport::ladder {
namespace {

constexpr const char* kProblem = "ladder";
constexpr Notation kFactor{Notation::kSignificant, 3};
constexpr Notation kTime{Notation::kSignificant, 4};
constexpr Notation kShare{Notation::kPercent};
constexpr double kAgree = 0.01;            // largest relative difference of losses from rounding
constexpr std::size_t kComparedSteps = 5;  // first steps; losses of later ones amplify rounding

struct Row {
  const Ladder* ladder;
  const Rung* rung;
  const Rung* before;  ///< The nearest earlier rung that ran; null if none did.

  std::optional<double> speedup(const Rung* base) const {
    if (base == nullptr || base == rung || !rung->ran()) return std::nullopt;
    return base->mean_ms() / rung->mean_ms();
  }
  /// The largest difference from the first rung's losses, relative to these, of the compared steps.
  std::optional<double> loss_difference() const {
    const Rung* first = ladder->first_run();
    if (first == nullptr || first == rung || rung->losses.empty()) return std::nullopt;
    double most = 0;
    const std::size_t steps = std::min(first->losses.size(), rung->losses.size());
    for (std::size_t i = 0; i < std::min(steps, kComparedSteps); ++i) {
      most = std::max(most, std::abs(rung->losses[i] / first->losses[i] - 1));
    }
    return most;
  }
};

const std::vector<Column<Row>> kRows{
    {"rung", "Rung", [](const Row& row) { return row.rung->change; }},
    {"ms", "Step",
     [](const Row& row) {
       return row.rung->ran() ? Value::mean_of(row.rung->steps_ms)
                              : Value::missing(row.rung->reason);
     },
     "ms"},
    {"gain", "vs. last", [](const Row& row) { return Value(row.speedup(row.before)); }, "×",
     kFactor},
    {"total", "vs. first",
     [](const Row& row) { return Value(row.speedup(row.ladder->first_run())); }, "×", kFactor},
    {"mfu", "MFU", [](const Row& row) { return Value(row.rung->mfu); }, "%", kShare},
    {"peak",
     "Peak memory",
     [](const Row& row) { return Value(row.rung->peak_bytes); },
     "GiB",
     {Notation::kGibibytes}},
    {"kernels",
     "Kernels",
     [](const Row& row) { return Value(row.rung->kernels); },
     "",
     {Notation::kCount}},
    {"idle", "GPU idle", [](const Row& row) { return Value(row.rung->idle_share()); }, "%", kShare},
    {"loss",
     "Loss differs by",
     [](const Row& row) { return Value(row.loss_difference()); },
     "%",
     {Notation::kRelativeError, 2}},
    {"compile",
     "Compile time",
     [](const Row& row) { return Value(row.rung->compile_s); },
     "s",
     {Notation::kFixed, 1}}};

std::vector<Row> rows_of(const Ladder& ladder) {
  std::vector<Row> rows;
  const Rung* before = nullptr;
  for (const Rung& rung : ladder.rungs) {
    rows.push_back({&ladder, &rung, before});
    if (rung.ran()) before = &rung;
  }
  return rows;
}

/// Bars for the first rung's step, each change's saving, the fastest step and the lower bound.
std::vector<WaterfallBar> waterfall(const Ladder& ladder) {
  const auto written = [](double ms) { return format_value(ms, kTime) + " ms"; };
  const Rung& first = *ladder.first_run();
  std::vector<WaterfallBar> bars{
      {first.change, "step", 0, first.mean_ms(), written(first.mean_ms())}};
  for (const Gain& gain : gains(ladder)) {
    const bool slower = gain.saved_ms() < 0;
    bars.push_back({gain.after->change, slower ? "slower" : "saved", gain.after->mean_ms(),
                    gain.before->mean_ms(), (slower ? "+" : "−") + gain.saved_words() + " ms"});
  }
  const double left = ladder.fastest()->mean_ms();
  bars.push_back({"fastest", "step", 0, left, written(left)});
  if (ladder.floor_ms) {
    bars.push_back({"floor", "floor", 0, *ladder.floor_ms, written(*ladder.floor_ms)});
  }
  return bars;
}

/// The change that saves the most time, and the speedup of the fastest rung over the first.
Facts ladder_facts(const Ladder& ladder) {
  constexpr Notation kThree{Notation::kSignificant, 3};
  const double from = ladder.first_run()->mean_ms(), to = ladder.fastest()->mean_ms();
  const std::vector<Gain> largest = largest_gains(ladder, 1);
  Facts foremost;
  if (!largest.empty()) {
    const std::string why = reason_clause(largest.front());
    foremost.set("change", largest.front().after->change)
        .set("saved", largest.front().saved_words())
        .when("why", !why.empty(), "because", why);
  }
  return Facts()
      .set("words", ladder.words)
      .set("from", from, kThree)
      .set("to", to, kThree)
      .set("speedup", from / to, kFactor)
      .when("foremost", !largest.empty(), foremost);
}

std::string first_reason(const std::vector<Ladder>& all) {
  for (const Ladder& ladder : all) {
    for (const Rung& rung : ladder.rungs) {
      if (!rung.reason.empty()) return rung.reason;
    }
  }
  return "not measured yet";
}

}  // namespace

Presentation present(const RunView& view) {
  const std::vector<Ladder> all = ladders(view);
  if (all.empty()) return {};
  PartContent part;
  std::vector<Facts> ran, diverging;
  std::vector<const Cell*> first_rungs;
  for (const Ladder& ladder : all) {
    const std::vector<Row> rows = rows_of(ladder);
    part.datasets.push_back(make_dataset("rungs", kRows, rows));
    part.datasets.back().variant = ladder.words;
    for (const Row& row : rows) {
      const auto difference = row.loss_difference();
      if (!difference || *difference <= kAgree) continue;
      diverging.emplace_back()
          .set("words", ladder.words)
          .set("change", row.rung->change)
          .set("difference", *difference, {Notation::kPercent});
    }
    if (!gains(ladder).empty()) ran.push_back(ladder_facts(ladder));
    first_rungs.push_back(ladder.rungs.front().cell);
    for (const Rung& rung : ladder.rungs) part.cells.push_back(rung.cell);
  }
  part.facts.flag("nothing", ran.empty()).set("reason", first_reason(all));
  part.facts.list("ladders", ran).list("apart", diverging);
  const Ladder* drawn = advised_ladder(all);
  part.facts.set("drawn", drawn == nullptr ? "" : drawn->words);
  part.facts.when("advised", drawn != nullptr, drawn == nullptr ? Facts() : ladder_facts(*drawn));
  if (drawn != nullptr) part.datasets.push_back(waterfall_data(waterfall(*drawn)));
  part.details.tables = {command_table(view.run(), kProblem, first_rungs)};
  return {{"", std::move(part)}};
}

}  // namespace labreport::ladder
