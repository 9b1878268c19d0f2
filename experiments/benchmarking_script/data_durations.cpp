// Presents part (b): how long the phases of a step take and how much they vary.
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "base/format.h"
#include "base/lists.h"
#include "base/outliers.h"
#include "base/text.h"
#include "experiments/benchmarking_script/presenters.h"
#include "experiments/common/bound.h"
#include "experiments/common/bounds_table.h"
#include "experiments/common/change.h"
#include "experiments/common/less_work.h"
#include "experiments/common/ratio.h"
#include "plan/arithmetic.h"
#include "results/metric_names.h"
#include "results/shipped_variant.h"

namespace labreport::benchmarking_script {
namespace {

constexpr double kNoticeableRatio = 0.05;      // Smaller differences of two ratios count as none.
constexpr double kNoticeableVariation = 0.05;  // Smaller ones need no reason.
constexpr double kTera = 1e12;

/// The kernels of one phase in a profiled step; empty without a profile.
struct PhaseGemms {
  std::optional<double> ms = {}, rate = {};  ///< The rate, in TFLOP/s, needs known FLOPs.
  double others_ms = 0;                      ///< The time of all other kernels.
};

/// The phase has `flop_factor` times the FLOPs of `forward`, a spec whose mode is the forward pass.
PhaseGemms phase_gemms(const Launch* profile, const CellSpec& forward, std::string_view phase,
                       double flop_factor) {
  const auto kernels = kernel_times(profile, phase);
  if (!kernels || kernels->gemms_ms <= 0) return {};
  const auto flops = step_flops(forward);
  return {.ms = kernels->gemms_ms,
          .rate = flops ? quotient(flop_factor * *flops / kTera, kernels->gemms_ms / 1e3)
                        : std::nullopt,
          .others_ms = kernels->non_gemms_ms()};
}

/// The times of one network at one context and precision, in all modes.
struct SizeRow {
  const TimingGroup* group;
  PhaseTimes phases_ms;
  NetworkBounds bounds;
  PhaseGemms forward_gemms, backward_gemms;
  std::string reason;  ///< Why times are missing; empty if none is.
  std::vector<std::string> flags;

  const std::string& label() const { return group->label; }
  std::optional<Ratio> backward_ratio() const {
    return ratio_of(phases_ms.backward, phases_ms.forward);
  }
  /// Returns the time of kernels that are no GEMMs: backward's over forward's.
  std::optional<double> others_ratio() const {
    return quotient(backward_gemms.others_ms, forward_gemms.others_ms);
  }
  /// Returns the coefficient of variation without an outlier; 0 if the optimizer was not timed.
  double optimizer_variation() const {
    return variation_of(without_outlier(phases_ms.optimizer)).value_or(0);
  }
};

std::vector<SizeRow> size_rows(const RunView& view, const std::vector<TimingGroup>& groups) {
  std::vector<SizeRow> rows;
  for (const TimingGroup& group : groups) {
    std::vector<std::string> flags;
    for (const auto& [mode, cell] : group.cells) {
      if (const auto step = timed_launch(group, mode))
        std::ranges::move(disturbances(*step), std::back_inserter(flags));
    }
    const NetworkBounds bounds = network_bounds(view, group);
    for (const auto& [phase, bound] :
         {std::pair("forward", &bounds.forward), std::pair("backward", &bounds.backward),
          std::pair("optimizer", &bounds.optimizer)}) {
      if (bound->bound() == Bound::kLaunch) flags.push_back(std::string("launch-bound ") + phase);
    }
    CellSpec forward = group.spec;
    forward.mode = Mode::kForward;
    const Launch* first_step = profiled_first_step(view, forward);
    const Launch* profile = first_step ? first_step : longest_profile(view, forward);
    rows.push_back({.group = &group,
                    .phases_ms = phase_times(group),
                    .bounds = bounds,
                    .forward_gemms = phase_gemms(profile, forward, metric::kForward, 1),
                    .backward_gemms = phase_gemms(profile, forward, metric::kBackward, 2),
                    .reason = why_modes_are_missing(group),
                    .flags = distinct(flags)});
    for (const auto& [words, phase] :
         {std::pair("forward", &PhaseTimes::forward), {"backward", &PhaseTimes::backward}}) {
      std::ranges::move(outlier_remark(words, rows.back().phases_ms.*phase),
                        std::back_inserter(rows.back().flags));
    }
    if (!group.spec.implementation.empty() && !is_shipped(group.spec) &&
        !less_work(view.run()).empty())
      rows.back().flags.emplace_back("steps do less");
  }
  return rows;
}

/// Returns the network's training step if it is the user's own, whose phases include "other".
std::optional<TimedLaunch> own_step(const TimingGroup& group) {
  const auto step = timed_launch(group, Mode::kTrainStep);
  const bool is_own = step && step->launch->find(metric::kEvent, metric::kOther) != nullptr;
  return is_own ? step : std::nullopt;
}

Column<SizeRow> own_phase_column(const char* name, const char* title, std::string_view phase) {
  return {name, title,
          [phase](const SizeRow& row) {
            const auto step = own_step(*row.group);
            return step ? Value::mean_of(step->ms_after_warmup(metric::kSynced, phase)) : Value();
          },
          "ms"};
}

/// Names the phases of the user's step that occur several times in it: "4 × forward, 4 × backward".
Value repeated_phases(const SizeRow& row) {
  const auto step = own_step(*row.group);
  std::vector<std::string> words;
  for (const Metric& metric : step ? step->launch->metrics : std::vector<Metric>()) {
    const bool is_phase =
        metric.tag == metric::kOccurrences && metric.name != metric::kSynchronizations;
    if (is_phase && metric.number().value_or(0) > 1)
      words.push_back(format_count(static_cast<std::int64_t>(*metric.number())) + " × " +
                      metric.name);
  }
  return words.empty() ? Value() : Value(join(words, ", "));
}

std::optional<double> waits(const SizeRow& row) {
  const auto step = own_step(*row.group);
  return step ? step->launch->number(metric::kOccurrences, metric::kSynchronizations)
              : std::nullopt;
}

using PhaseMember = std::vector<double> PhaseTimes::*;

constexpr std::pair<const char*, PhaseMember> kPhases[]{{"forward", &PhaseTimes::forward},
                                                        {"backward", &PhaseTimes::backward},
                                                        {"optimizer", &PhaseTimes::optimizer}};

Value mean_or_reason(const SizeRow& row, const std::vector<double>& samples) {
  return samples.empty() ? Value::missing(row.reason) : Value::mean_of(samples);
}

Column<SizeRow> phase_column(const char* name, const char* title, PhaseMember phase) {
  return {name, title,
          [=](const SizeRow& row) { return mean_or_reason(row, row.phases_ms.*phase); }, "ms"};
}

Column<SizeRow> whole_step_column(const char* name, const char* title, Mode mode) {
  return {name, title,
          [mode](const SizeRow& row) {
            return mean_or_reason(row, whole_step_times(*row.group, mode));
          },
          "ms"};
}

/// The pass or whole step that varies most, and why if the run shows it.
struct MostVarying {
  double variation;         ///< Its coefficient of variation.
  std::string words;        ///< "small's forward pass"
  std::string reason = {};  ///< ", which the CPU sets", ", the shortest"; may be empty.
};

/// Finds what varies most. Each time is without an outlier, which alone would decide it. Returns
/// nothing if all have a single step.
std::optional<MostVarying> most_varying(const std::vector<SizeRow>& rows) {
  std::optional<MostVarying> most;
  double shortest_ms = std::numeric_limits<double>::infinity();
  for (const SizeRow& row : rows) {
    for (const auto* pass_ms : {&row.phases_ms.forward, &row.phases_ms.backward}) {
      if (!pass_ms->empty()) shortest_ms = std::min(shortest_ms, mean(*pass_ms));
    }
  }
  for (const SizeRow& row : rows) {
    const auto add = [&](const std::vector<double>& times_ms, const std::string& words,
                         const TimeBound* bound) {
      const auto variation = variation_of(without_outlier(times_ms));
      if (!variation || (most && *variation <= most->variation)) return;
      const bool is_notable = *variation >= kNoticeableVariation;
      const bool is_launch_bound =
          is_notable && bound != nullptr && bound->bound() == Bound::kLaunch;
      most = {*variation, row.label() + "'s " + words,
              is_launch_bound ? ", which the CPU sets"
              : is_notable && rows.size() > 1 && mean(times_ms) == shortest_ms ? ", the shortest"
                                                                               : ""};
    };
    add(row.phases_ms.forward, "forward pass", &row.bounds.forward);
    add(row.phases_ms.backward, "backward pass", &row.bounds.backward);
    for (const auto& [mode, cell] : row.group->cells) {
      const bool is_forward = mode == Mode::kInference || mode == Mode::kForward;
      add(whole_step_times(*row.group, mode), step_words(mode),
          is_forward ? &row.bounds.forward : nullptr);
    }
  }
  return most;
}

const std::vector<Column<SizeRow>> kSizes{
    {"size", "Size", [](const SizeRow& row) { return row.group->name; }},
    {"context", "Context", [](const SizeRow& row) { return row.group->context; }, "", kAsCount},
    phase_column("forward", "Forward", &PhaseTimes::forward),
    own_phase_column("loss", "Loss", metric::kLoss),
    phase_column("backward", "Backward", &PhaseTimes::backward),
    phase_column("optimizer", "Optimizer", &PhaseTimes::optimizer),
    own_phase_column("other", "Other", metric::kOther),
    {"repeated", "Several times a step", repeated_phases},
    {"waits", "Synchronizations", waits, "", {Notation::kFixed, 0}},
    {"ratio",
     "Backward ÷ forward",
     [](const SizeRow& row) {
       return row.backward_ratio() ? Value(row.backward_ratio()->value) : Value();
     },
     "×",
     {Notation::kFixed, 2}},
    {"forward_rate", "Forward GEMMs", [](const SizeRow& row) { return row.forward_gemms.rate; },
     "TFLOP/s", kThreeDigits},
    {"backward_rate", "Backward GEMMs", [](const SizeRow& row) { return row.backward_gemms.rate; },
     "TFLOP/s", kThreeDigits},
    {"others_ratio",
     "Other kernels, backward ÷ forward",
     &SizeRow::others_ratio,
     "×",
     {Notation::kFixed, 2}},
    whole_step_column("inference_step", "Inference", Mode::kInference),
    whole_step_column("forward_step", "Forward", Mode::kForward),
    whole_step_column("forward_backward_step", "Forward+backward", Mode::kForwardBackward),
    whole_step_column("train_step", "Training step", Mode::kTrainStep),
    {"variation",
     "Passes and steps vary, outliers apart",
     [](const SizeRow& row) {
       const auto most = most_varying({row});
       return most ? Value(most->variation) : Value();
     },
     "%",
     {Notation::kPercent}},
    {"optimizer_variation",
     "Optimizer varies, outliers apart",
     [](const SizeRow& row) {
       return row.optimizer_variation() > 0 ? Value(row.optimizer_variation()) : Value();
     },
     "%",
     {Notation::kPercent}},
    {"label", "Label", &SizeRow::label}};

struct Sample {
  std::string label, phase;
  double ms;
};

const std::vector<Column<Sample>> kSamples{{"label", "Size", &Sample::label},
                                           {"name", "Name", &Sample::phase},
                                           {"ms", "Time", &Sample::ms, "ms"}};

Dataset samples_dataset(const std::vector<SizeRow>& rows) {
  std::vector<Sample> samples;
  for (const SizeRow& row : rows) {
    for (const auto& [name, phase] : kPhases) {
      for (const double ms : row.phases_ms.*phase) samples.push_back({row.label(), name, ms});
    }
  }
  return make_dataset("samples", kSamples, samples);
}

/// The throughput of a network at one context, in the run's only mode.
struct TokensRow {
  std::string size;
  std::int64_t context;
  double tokens_per_second;
};

const std::vector<Column<TokensRow>> kTokens{
    {"size", "Size", &TokensRow::size},
    {"context", "Context", &TokensRow::context, "", kAsCount},
    {"tokens",
     "Tokens per second",
     &TokensRow::tokens_per_second,
     "",
     {Notation::kSignificant, 3}}};

/// Returns no rows unless the run has a single mode and several contexts.
std::vector<TokensRow> tokens_rows(const std::vector<TimingGroup>& groups) {
  std::set<Mode> modes;
  std::vector<TokensRow> rows;
  for (const TimingGroup& group : groups) {
    if (!group.context) return {};
    for (const auto& [mode, cell] : group.cells) {
      modes.insert(mode);
      const std::vector<double> ms = whole_step_times(group, mode);
      if (ms.empty() || mean(ms) <= 0 || !takes_batch(*ok_launch(*cell))) continue;
      const auto tokens = static_cast<double>(group.spec.batch.value_or(1) * *group.context);
      rows.push_back({group.name, *group.context, tokens / (mean(ms) / 1e3)});
    }
  }
  return modes.size() == 1 ? rows : std::vector<TokensRow>();
}

/// Returns why backward takes its multiple of forward's time. Its GEMMs have twice the FLOPs; their
/// rates are the reason if GEMMs take most of forward and if, with twice the time for all else,
/// they explain half of the ratio's difference from 2. Otherwise, or if FLOPs are unknown, the
/// profiled GEMMs and the rest are told if the ratio lies between theirs.
std::string ratio_reason(const SizeRow& row) {
  const PhaseGemms &forward = row.forward_gemms, &backward = row.backward_gemms;
  if (!forward.ms || !backward.ms) return "";
  const double forward_ms = typical_time(row.phases_ms.forward), rest_ms = forward_ms - *forward.ms;
  if (rest_ms <= 0 || !row.others_ratio()) return "";
  const double ratio = row.backward_ratio()->value;
  const double explained = (*backward.ms + 2 * rest_ms) / forward_ms;
  if (forward.rate && *forward.ms > rest_ms &&
      std::abs(ratio - explained) <= std::max(kNoticeableRatio, std::abs(ratio - 2) / 2))
    return ": twice the FLOPs at " + format_ratio(*backward.rate / *forward.rate) +
           " times the rate";
  if (forward.rate && std::abs(ratio - 2) <= kNoticeableRatio) return "";
  const double gemms_ratio = *backward.ms / *forward.ms;
  const auto [low, high] = std::minmax(gemms_ratio, *row.others_ratio());
  if (ratio < low - kNoticeableRatio || ratio > high + kNoticeableRatio) return "";
  const bool rest_differs = std::abs(gemms_ratio - ratio) > kNoticeableRatio;
  return ": profiled, GEMMs take " + format_ratio(gemms_ratio) + " times as long" +
         (rest_differs ? ", the rest " + format_ratio(*row.others_ratio()) : "");
}

std::string variation_words(double variation) {
  return variation > 1 ? format_fixed(variation, 1) + " times the mean"
                       : format_rough_percent(variation) + " %";
}

/// Tells how much the optimizer of `row` varies if that is more than `others`, and why if the CPU
/// sets its time.
std::string optimizer_words(const SizeRow& row, double others) {
  const double variation = row.optimizer_variation();
  if (variation <= others) return variation > 0 ? ", optimizers by less." : ".";
  const bool is_launch_bound = row.bounds.optimizer.bound() == Bound::kLaunch;
  return "; " + row.label() + "'s optimizer varies by " + variation_words(variation) +
         (is_launch_bound ? ", set by the CPU." : ".");
}

/// Tells the times, the largest network's ratio and how much times vary. `rows` have a forward and
/// a backward pass. Returns nothing if there are none or all have a single step.
std::optional<Facts> timed_facts(const std::vector<SizeRow>& rows) {
  const auto most = most_varying(rows);
  if (!most) return std::nullopt;
  const SizeRow &first = rows.front(), &last = rows.back();
  const auto forward_ms = [](const SizeRow& row) {
    return format_significant(mean(row.phases_ms.forward), 3);
  };
  const auto ratios = each(rows, [](const SizeRow& row) { return row.backward_ratio()->value; });
  return Facts()
      .set("forward", from_to(forward_ms(first), forward_ms(last)))
      .set("sizes", from_to(first.label(), last.label()))
      .set("lowest_to_highest",
           from_to(format_ratio(std::ranges::min(ratios)), format_ratio(std::ranges::max(ratios))))
      .set("size", last.label())
      .set("ratio", format_ratio(ratios.back()))
      .set("reason", ratio_reason(last))
      .set("variation", variation_words(most->variation))
      .set("most_varying", most->words + most->reason)
      .set("optimizer",
           optimizer_words(*largest(rows, &SizeRow::optimizer_variation), most->variation));
}

/// Tells the share of each phase in a step of the user's, the largest first, "other" last.
std::string parts_of_step(const std::string& label, const TimedLaunch& step) {
  std::vector<std::pair<double, std::string>> parts;
  double sum_ms = 0, other_ms = 0;
  for (const auto& [phase, words] : {std::pair(metric::kForward, "forward"),
                                     {metric::kLoss, "the loss"},
                                     {metric::kBackward, "backward"},
                                     {metric::kOptimizer, "the optimizer"},
                                     {metric::kOther, "all else"}}) {
    const auto times_ms = step.ms_after_warmup(metric::kEvent, phase);
    if (times_ms.empty()) continue;
    sum_ms += mean(times_ms);
    if (phase == metric::kOther) other_ms = mean(times_ms);
    if (phase != metric::kOther) parts.emplace_back(mean(times_ms), words);
  }
  if (parts.empty() || sum_ms <= 0)
    return "Its phases are unknown, because hooks do not see into compiled or captured code.";
  std::ranges::sort(parts, std::greater());
  parts.emplace_back(other_ms, "all else");
  const auto words = each(parts, [&](const auto& part) {
    return part.second + " " + format_rough_percent(part.first / sum_ms) + " %";
  });
  return "Of " + label + "'s, " + parts.front().second + " takes" +
         join_words(words).substr(parts.front().second.size()) + ".";
}

/// Tells the time of a step of the user's, its phases at the last size, and how much steps vary.
std::optional<Facts> own_step_facts(const std::vector<TimingGroup>& groups) {
  std::vector<std::pair<std::string, TimedLaunch>> steps;
  std::vector<double> varying;
  for (const TimingGroup& group : groups) {
    if (const auto step = own_step(group)) steps.emplace_back(group.label, *step);
    const auto variation = variation_of(without_outlier(whole_step_times(group, Mode::kTrainStep)));
    if (variation) varying.push_back(*variation);
  }
  if (steps.empty() || varying.empty()) return std::nullopt;
  const auto ms = [](const auto& step) {
    return format_significant(mean(step.second.ms_after_warmup(metric::kStep, metric::kTotal)), 3);
  };
  return Facts()
      .set("step", from_to(ms(steps.front()), ms(steps.back())))
      .set("sizes", from_to(steps.front().first, steps.back().first))
      .set("variation", variation_words(std::ranges::max(varying)))
      .set("parts", parts_of_step(steps.back().first, steps.back().second));
}

}  // namespace

PartContent present_durations(const RunView& view, const std::vector<TimingGroup>& groups) {
  const std::vector<SizeRow> rows = size_rows(view, groups);
  PartContent part;
  const auto own = own_step_facts(groups);
  part.facts.when("own", own);
  part.facts.when("timed", own ? std::nullopt : timed_facts(only(rows, &SizeRow::backward_ratio)));
  const std::string less = less_work(view.run());
  part.facts.when("less", !less.empty(), "finding", less);
  part.facts.flag("gpu", view.on_gpu());
  part.facts.set("launch_below", format_fixed(100 * kLaunchBoundBelow, 0));
  part.datasets = step_datasets(view, groups);
  part.datasets.push_back(make_dataset("sizes", kSizes, rows));
  part.datasets.push_back(samples_dataset(rows));
  part.datasets.push_back(make_dataset("tokens", kTokens, tokens_rows(groups)));
  part.details.tables = {bounds_table(view, groups)};
  part.details.warnings = step_warnings(groups);
  return part;
}

}  // namespace labreport::benchmarking_script
