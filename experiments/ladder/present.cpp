// Builds the datasets and facts of section.md: one change at a time makes a training step faster.
#include <algorithm>
#include <cmath>
#include <functional>

#include "base/format.h"
#include "base/lists.h"
#include "base/statistics.h"
#include "base/text.h"
#include "experiments/common/change.h"
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

  std::optional<double> speedup() const {
    const Rung* first = ladder->first_run();
    if (first == nullptr || first == rung || !rung->ran()) return std::nullopt;
    return first->mean_ms() / rung->mean_ms();
  }
  std::optional<double> speedup_over_previous() const {
    if (previous == nullptr || !rung->ran()) return std::nullopt;
    return previous->mean_ms() / rung->mean_ms();
  }
  std::optional<double> saved_ms() const {
    if (previous == nullptr || !rung->ran()) return std::nullopt;
    return Gain{previous, rung}.saved_ms();
  }
  /// Returns the reason of a saving, without "because", or says that it is not known. Returns
  /// nothing for the first rung.
  Value why() const {
    if (!saved_ms()) return {};
    if (*saved_ms() <= 0) return "saves nothing";
    if (previous->launch_bound() && rung->launch_bound())
      return "not known: launch-bound before and after, where processes differ by as much";
    if (!previous->busy_ms || !rung->busy_ms) return "not known: not profiled";
    const std::string clause = reason_clause({previous, rung});
    if (!clause.empty()) return clause.substr(std::string_view("because ").size());
    const double fewer_kernels = previous->kernels.value_or(0) - rung->kernels.value_or(0);
    return "not known: GPU idle time falls by " +
           format_value(*previous->idle_ms() - *rung->idle_ms(), kThreeDigits) + " ms, more than " +
           format_value(fewer_kernels, kAsCount) + " fewer launches explain";
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

/// Makes a column of a member of the rung: a number, or a function that returns one.
template <typename Member>
Column<Row> rung_column(const char* name, const char* title, Member member, const char* unit,
                        Notation notation) {
  return {name, title, [member](const Row& row) { return Value(std::invoke(member, *row.rung)); },
          unit, notation};
}

const std::vector<Column<Row>> kRows{
    {"ladder", "Network", [](const Row& row) { return row.ladder->words; }},
    {"rung", "Rung", [](const Row& row) { return row.rung->change; }},
    {"ms", "Step",
     [](const Row& row) {
       return row.rung->ran() ? Value::mean_of(row.rung->steps_ms)
                              : Value::missing(row.rung->reason);
     },
     "ms"},
    {"last", "vs. last", &Row::speedup_over_previous, "×", kThreeDigits},
    {"total", "vs. first", &Row::speedup, "×", kThreeDigits},
    rung_column("forward", "Forward", &Rung::forward_ms, "ms", kTime),
    rung_column("backward", "Backward", &Rung::backward_ms, "ms", kTime),
    rung_column("optimizer", "Optimizer", &Rung::optimizer_ms, "ms", kTime),
    rung_column("gpu", "GPU time", &Rung::busy_ms, "ms", kTime),
    rung_column("kernels", "Kernels", &Rung::kernels, "", kAsCount),
    rung_column("idle", "Idle a kernel", &Rung::idle_us, "µs", kThreeDigits),
    rung_column("peak", "Peak memory", &Rung::peak_bytes, "GiB", {Notation::kGibibytes}),
    {"saved", "Saved", &Row::saved_ms, "ms", kThreeDigits},
    {"why", "Because", &Row::why},
    rung_column("mfu", "MFU", &Rung::mfu, "%", kShare),
    {"loss", "Loss differs by", &Row::loss_difference, "%", {Notation::kRelativeError, 2}},
    rung_column("compile", "Compile time", &Rung::compile_s, "s", {Notation::kFixed, 1})};

std::vector<Row> rows_of(const Ladder& ladder) {
  std::vector<Row> rows;
  const Rung* previous = nullptr;
  for (const Rung& rung : ladder.rungs) {
    rows.push_back({&ladder, &rung, previous});
    if (rung.ran()) previous = &rung;
  }
  return rows;
}

/// One part of a rung's step. The last part also has what a figure writes beside the strip.
struct StripPart {
  const Row* rung;
  std::string part;
  double from_ms, to_ms;
  bool is_last = false;
};

template <typename Getter>
std::function<Value(const StripPart&)> of_last(Getter getter) {
  return [getter](const StripPart& part) { return part.is_last ? getter(*part.rung) : Value(); };
}

const std::vector<Column<StripPart>> kStrips{
    {"ladder", "Network", [](const StripPart& part) { return part.rung->ladder->words; }},
    {"rung", "Rung", [](const StripPart& part) { return part.rung->rung->change; }},
    {"part", "Part", &StripPart::part},
    {"from", "From", &StripPart::from_ms, "ms", kTime},
    {"to", "To", &StripPart::to_ms, "ms", kTime},
    {"before", "Step before", of_last([](const Row& row) {
       return row.previous == nullptr ? Value() : Value(row.previous->mean_ms());
     }),
     "ms", kTime},
    {"text", "Step", of_last([](const Row& row) {
       const auto saved_ms = row.saved_ms();
       if (!row.rung->ran()) return Value(row.rung->reason);
       return Value(format_value(row.rung->mean_ms(),
                                 {Notation::kSignificant, row.rung->mean_ms() < 1000 ? 3 : 4}) +
                    " ms" +
                    (!saved_ms ? ""
                               : (*saved_ms < 0 ? " (+" : " (−") +
                                     Gain{row.previous, row.rung}.saved_digits() + ")"));
     })},
    {"floor", "GEMMs and AdamW alone, at peaks",
     [](const StripPart& part) { return part.rung->ladder->ms_at_peaks; }, "ms", kThreeDigits},
    {"floor_words", "Peaks", [](const StripPart& part) {
       const Ladder& ladder = *part.rung->ladder;
       return ladder.ms_at_peaks ? Value("GEMMs and AdamW alone, at " + ladder.peaks + ": " +
                                         format_value(*ladder.ms_at_peaks, kThreeDigits) + " ms")
                                 : Value();
     }}};

std::vector<StripPart> strips_of(const std::vector<Row>& rows) {
  std::vector<StripPart> strips;
  for (const Row& row : rows) {
    double end_ms = 0;
    for (const auto& [part, ms] : step_parts(*row.rung)) {
      // Profiler and timer differ by less than this share of a step.
      if (ms.value_or(0) < 0.001 * row.rung->mean_ms()) continue;
      strips.push_back({&row, part, end_ms, end_ms + *ms});
      end_ms = strips.back().to_ms;
    }
    if (!row.rung->ran()) strips.push_back({&row, "step", 0, 0});
    strips.back().is_last = true;
  }
  return strips;
}

/// Tells which two parts of the step shrink most from the first to the fastest rung. Returns
/// nothing if either rung's phases are unknown, or if only one part shrinks.
std::optional<Facts> shrinking_facts(const Ladder& ladder) {
  const Rung &first = *ladder.first_run(), &last = *ladder.fastest();
  if (!first.backward_ms || !last.backward_ms) return std::nullopt;
  std::vector<std::pair<double, std::string>> shrinks;
  const std::vector<StepPart> before = step_parts(first), after = step_parts(last);
  if (before.size() < 2 || before.size() != after.size()) return std::nullopt;
  for (std::size_t i = 0; i < before.size(); ++i) {
    shrinks.emplace_back(before[i].second.value_or(0) - after[i].second.value_or(0),
                         before[i].first);
  }
  std::ranges::stable_sort(shrinks, std::greater());
  if (shrinks[1].first <= 0) return std::nullopt;
  return Facts()
      .set("most", shrinks[0].second)
      .set("most_ms", shrinks[0].first, kThreeDigits)
      .set("next", shrinks[1].second)
      .set("next_ms", shrinks[1].first, kThreeDigits);
}

/// Names the change that ends the launch-bound steps if the first step is one, else the change that
/// saves most. Changes after which the step is launch-bound count together with the one that ends
/// it. Returns nothing if no change can be ranked.
std::optional<Facts> foremost_facts(const Ladder& ladder) {
  const auto end = end_of_launch_bound_steps(ladder);
  if (ladder.first_run()->launch_bound() && end) {
    const auto kernel_share = [](const Rung& rung) {
      return format_percent(std::min(1.0, *rung.busy_ms / rung.mean_ms())) + " %";
    };
    return Facts()
        .set("change", end->after->change)
        .set("effect", "ends the launch-bound steps: kernels fill " + kernel_share(*end->before) +
                           " of the step before it and " + kernel_share(*end->after) + " with it");
  }
  Ladder others = ladder;
  others.rungs = only(ladder.rungs, std::not_fn(&Rung::launch_bound));
  const std::vector<Gain> largest_gain = largest_gains(others, 1);
  if (largest_gain.empty()) return std::nullopt;
  const Gain& gain = largest_gain.front();
  std::vector<std::string> changes;  // From one rung of the gain to the other.
  for (const Gain& change : gains(ladder)) {
    if (change.before->cell == gain.before->cell) changes.clear();
    changes.push_back(change.after->change);
    if (change.after->cell == gain.after->cell) break;
  }
  Facts facts;
  facts.set("change", join_words(changes));
  const bool is_joint = changes.size() > 1;
  const std::string why = reason_clause(gain);
  std::string effect = is_joint ? "save most together, " : "saves most, ";
  effect += gain.saved_digits() + " ms" + (why.empty() ? "" : ", " + why);
  changes.pop_back();
  if (is_joint) effect += ". With " + join_words(changes) + " alone the step is launch-bound";
  return facts.set("effect", effect);
}

/// True if the fastest rung's step is shorter than the first's by more than they vary.
bool is_clear(const Ladder& ladder) {
  const auto speedup = ladder.speedup();
  return speedup && speedup->is_clear();
}

/// Tells how much of what all changes save is time in which the first step's GPU idles. Empty if it
/// is less than kToldIdleShare, or if the first step is launch-bound, which the answer says.
std::string idle_words(const Rung& first, const Rung& fastest) {
  constexpr double kToldIdleShare = 0.2;
  const auto first_ms = first.idle_ms(), fastest_ms = fastest.idle_ms();
  if (first.launch_bound() || !first_ms || !fastest_ms) return "";
  const double idle_ms = *first_ms - *fastest_ms, saved_ms = first.mean_ms() - fastest.mean_ms();
  if (saved_ms <= 0 || idle_ms < kToldIdleShare * saved_ms) return "";
  const double deviation_ms = std::hypot(first.deviation_ms(), fastest.deviation_ms());
  return ", where " + certain_ms(idle_ms, deviation_ms) + " of the " +
         certain_ms(saved_ms, deviation_ms) + " ms saved are GPU idle time that ends";
}

/// Gives the speedup of the fastest rung over the first and, if it is clear, the foremost change.
Facts ladder_facts(const Ladder& ladder) {
  const double first_ms = ladder.first_run()->mean_ms(), fastest_ms = ladder.fastest()->mean_ms();
  const Ratio speedup = ladder.speedup().value_or(Ratio{});
  const std::string speedup_words = stated_ratio(speedup, kThreeDigits);
  std::string fall = "from " + format_value(first_ms, kThreeDigits) + " to " +
                     format_value(fastest_ms, kThreeDigits) + " ms";
  if (!speedup.is_certain()) fall += ", by a factor of " + speedup_words;
  return Facts()
      .set("words", ladder.words)
      .set("from", first_ms, kThreeDigits)
      .set("to", fastest_ms, kThreeDigits)
      .set("first", Value::mean_of(ladder.first_run()->steps_ms), {})
      .set("last", Value::mean_of(ladder.fastest()->steps_ms), {})
      .set("idle", is_clear(ladder) ? idle_words(*ladder.first_run(), *ladder.fastest()) : "")
      .set("speedup", speedup_words)
      .set("gain", speedup.is_clear() ? speedup_words + "×" : "no clear gain")
      .set("fall", fall)
      .when("foremost", is_clear(ladder) ? foremost_facts(ladder) : std::nullopt)
      .when("shrinks", is_clear(ladder) ? shrinking_facts(ladder) : std::nullopt)
      .when("floor", ladder.ms_at_peaks.has_value(),
            Facts()
                .set("ms", ladder.ms_at_peaks.value_or(0), kThreeDigits)
                .set("peaks", ladder.peaks));
}

/// Names the ladder with the largest clear speedup but the advised one, which has a figure of its
/// own.
std::optional<Facts> largest_speedup_facts(const std::vector<Ladder>& all, const Ladder* advised) {
  const std::vector<Ladder> climbed =
      only(all, [&](const Ladder& ladder) { return &ladder != advised && is_clear(ladder); });
  if (climbed.empty()) return std::nullopt;
  return ladder_facts(
      *largest(climbed, [](const Ladder& ladder) { return ladder.speedup()->value; }));
}

}  // namespace

Presentation present(const RunView& view) {
  const std::vector<Ladder> all = ladders(view);
  if (all.empty()) return {};
  const Ladder* advised = advised_ladder(all);
  PartContent part;
  std::vector<Facts> answers, diverging;
  std::vector<const Cell*> first_cells;
  std::vector<Row> rows, advised_rows, other_rows;
  for (const Ladder& ladder : all) {
    for (const Row& row : rows_of(ladder)) {
      rows.push_back(row);
      (&ladder == advised ? advised_rows : other_rows).push_back(row);
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
  part.facts.list("ladders", answers).list("apart", diverging);
  part.facts.when("advised", advised != nullptr,
                  advised == nullptr ? Facts() : ladder_facts(*advised));
  const bool is_headline = advised != nullptr && is_clear(*advised);
  part.facts.when("headline", is_headline ? std::optional(ladder_facts(*advised)) : std::nullopt);
  part.facts.when("gains_most", largest_speedup_facts(all, advised));
  part.datasets = {make_dataset("rungs", kRows, rows),
                   make_dataset("advised-rungs", kRows, advised_rows),
                   make_dataset("advised-strips", kStrips, strips_of(advised_rows)),
                   make_dataset("other-rungs", kRows, other_rows),
                   make_dataset("other-strips", kStrips, strips_of(other_rows))};
  part.details.tables = {command_table(view.run(), kProblem, first_cells)};
  return {{"", std::move(part)}};
}

}  // namespace labreport::ladder
