// Builds the datasets and facts of section.md: one change at a time makes a training step faster.
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
constexpr Notation kTime{Notation::kSignificant, 4};
constexpr Notation kShare{Notation::kPercent};
// Rounding explains relative differences of losses up to this.
constexpr double kLossTolerance = 0.01;
// Only the losses of the first steps are compared, because later ones amplify rounding.
constexpr std::size_t kComparedSteps = 5;

struct Row {
  const Ladder* ladder;
  const Rung* rung;
  const Rung* previous;  ///< The nearest earlier rung that ran; null if none did.

  std::optional<double> speedup(const Rung* reference) const {
    if (reference == nullptr || reference == rung || !rung->ran()) return std::nullopt;
    return reference->mean_ms() / rung->mean_ms();
  }
  /// Returns the largest relative difference from the first rung's losses over the compared steps.
  std::optional<double> loss_difference() const {
    const Rung* first = ladder->first_run();
    if (first == nullptr || first == rung || rung->losses.empty()) return std::nullopt;
    double largest_difference = 0;
    const std::size_t steps = std::min(first->losses.size(), rung->losses.size());
    for (std::size_t i = 0; i < std::min(steps, kComparedSteps); ++i) {
      largest_difference =
          std::max(largest_difference, std::abs(rung->losses[i] / first->losses[i] - 1));
    }
    return largest_difference;
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
    {"gain", "vs. last", [](const Row& row) { return Value(row.speedup(row.previous)); }, "×",
     kThreeDigits},
    {"total", "vs. first",
     [](const Row& row) { return Value(row.speedup(row.ladder->first_run())); }, "×", kThreeDigits},
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
  const Rung* previous = nullptr;
  for (const Rung& rung : ladder.rungs) {
    rows.push_back({&ladder, &rung, previous});
    if (rung.ran()) previous = &rung;
  }
  return rows;
}

/// Returns bars for the first step, each change's saving, the fastest step and one at peak rates.
std::vector<WaterfallBar> waterfall_bars(const Ladder& ladder) {
  const auto ms_words = [](double ms) { return format_value(ms, kTime) + " ms"; };
  const Rung& first = *ladder.first_run();
  std::vector<WaterfallBar> bars{
      {first.change, "step", 0, first.mean_ms(), ms_words(first.mean_ms())}};
  for (const Gain& gain : gains(ladder)) {
    const bool slower = gain.saved_ms() < 0;
    bars.push_back({gain.after->change, slower ? "slower" : "saved", gain.after->mean_ms(),
                    gain.before->mean_ms(), (slower ? "+" : "−") + gain.saved_digits() + " ms"});
  }
  const double fastest_ms = ladder.fastest()->mean_ms();
  bars.push_back({"fastest", "step", 0, fastest_ms, ms_words(fastest_ms)});
  if (ladder.ms_at_peak_rates) {
    const double ms = *ladder.ms_at_peak_rates;
    bars.push_back({"at peak rates", "at peak rates", 0, ms, ms_words(ms)});
  }
  return bars;
}

/// Gives the change that saves the most time, and the speedup of the fastest rung over the first.
Facts ladder_facts(const Ladder& ladder) {
  const double first_ms = ladder.first_run()->mean_ms(), fastest_ms = ladder.fastest()->mean_ms();
  const std::vector<Gain> largest_gain = largest_gains(ladder, 1);
  Facts gain_facts;
  if (!largest_gain.empty()) {
    const std::string why = reason_clause(largest_gain.front());
    gain_facts.set("change", largest_gain.front().after->change)
        .set("saved", largest_gain.front().saved_digits())
        .when("why", !why.empty(), "because", why);
  }
  return Facts()
      .set("words", ladder.words)
      .set("from", first_ms, kThreeDigits)
      .set("to", fastest_ms, kThreeDigits)
      .set("speedup", first_ms / fastest_ms, kThreeDigits)
      .when("foremost", !largest_gain.empty(), gain_facts);
}

std::string first_reason(const std::vector<Ladder>& ladders) {
  for (const Ladder& ladder : ladders) {
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
  std::vector<Facts> answers, diverging;
  std::vector<const Cell*> first_cells;
  for (const Ladder& ladder : all) {
    const std::vector<Row> rows = rows_of(ladder);
    part.datasets.push_back(make_dataset("rungs", kRows, rows));
    part.datasets.back().variant = ladder.words;
    for (const Row& row : rows) {
      const auto difference = row.loss_difference();
      if (!difference || *difference <= kLossTolerance) continue;
      diverging.emplace_back()
          .set("words", ladder.words)
          .set("change", row.rung->change)
          .set("difference", *difference, {Notation::kPercent});
    }
    if (!gains(ladder).empty()) answers.push_back(ladder_facts(ladder));
    first_cells.push_back(ladder.rungs.front().cell);
    for (const Rung& rung : ladder.rungs) part.cells.push_back(rung.cell);
  }
  part.facts.flag("nothing", answers.empty()).set("reason", first_reason(all));
  part.facts.list("ladders", answers).list("apart", diverging);
  const Ladder* drawn_ladder = advised_ladder(all);
  part.facts.set("drawn", drawn_ladder == nullptr ? "" : drawn_ladder->words);
  part.facts.when("advised", drawn_ladder != nullptr,
                  drawn_ladder == nullptr ? Facts() : ladder_facts(*drawn_ladder));
  if (drawn_ladder != nullptr)
    part.datasets.push_back(waterfall_data(waterfall_bars(*drawn_ladder)));
  part.details.tables = {command_table(view.run(), kProblem, first_cells)};
  return {{"", std::move(part)}};
}

}  // namespace labreport::ladder
