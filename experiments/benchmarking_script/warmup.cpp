// Part (c): what the first steps of a fresh process cost, and how many to leave out.
#include <algorithm>
#include <span>

#include "base/format.h"
#include "base/statistics.h"
#include "base/text.h"
#include "document/charts/chart_forms.h"
#include "experiments/benchmarking_script/anatomy.h"
#include "experiments/benchmarking_script/parts.h"
#include "experiments/benchmarking_script/warmup_words.h"
#include "experiments/benchmarking_script/windows.h"
#include "experiments/common/change.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_script {
namespace {

constexpr int kDeviationDigits = 2;
constexpr double kLittle = 0.05;

/// The mode that the answer speaks of: the longest of part (c) that every edition shows.
Mode answered_mode(const std::vector<WarmupRow>& rows) {
  const bool backward = std::any_of(rows.begin(), rows.end(), [](const WarmupRow& row) {
    return row.mode == Mode::kForwardBackward;
  });
  return backward ? Mode::kForwardBackward : rows.front().mode;
}

void declare(Facts& facts) {
  for (const char* name : {"step",
                           "steps",
                           "warmup",
                           "warmup_steps",
                           "rise",
                           "worst",
                           "sd_warm",
                           "sd_cold",
                           "sd_rest",
                           "first",
                           "warm_step",
                           "first_allocations",
                           "residue_1",
                           "residue_2",
                           "second_where",
                           "second_rise",
                           "second_spread",
                           "unclear_rows",
                           "second_allocations",
                           "whole",
                           "code",
                           "library",
                           "allocation",
                           "busy"}) {
    facts.set(name, "");
  }
  for (const char* name :
       {"nothing", "one_window", "answered", "one_warmup", "two_warmups", "second_slow", "counted",
        "second_allocates", "optimizer", "rises", "gpu", "anatomy", "one_enough", "first_explains",
        "factor", "little", "unclear", "second_unclear"}) {
    facts.flag(name, false);
  }
}

void set_first_step(Facts& facts, const WarmupRow& worst) {
  facts.set("worst", worst.label);
  const Summary& warm = worst.windows.back().summary;
  facts.set("sd_cold", format_significant(worst.windows.front().summary.stddev, kDeviationDigits));
  facts.set("sd_warm", format_significant(warm.stddev, kDeviationDigits));
  // The other steps of the cold window: a machine that varies anyway is no first step's doing.
  const std::span<const double> rest =
      std::span(worst.steps).subspan(1, worst.windows.front().summary.count - 1);
  facts.set("sd_rest", format_significant(sample_stddev(rest), kDeviationDigits));
  facts.flag("first_explains", 2 * sample_stddev(rest) < worst.windows.front().summary.stddev);
  facts.set("first", certain_digits(worst.steps.front(), warm.stddev));
  facts.set("warm_step", certain_digits(warm.median, warm.stddev));
  facts.flag("counted", worst.allocations_in(0) > 0);
  facts.set("first_allocations", format_plural(worst.allocations_in(0), "time"));
}

/// Shares of the first step of the size that warm-up changes most, where that step was profiled.
void set_anatomy(Facts& facts, const std::vector<FirstStep>& steps, const std::string& label) {
  const auto step = std::ranges::find(steps, label, &FirstStep::label);
  const bool known = step != steps.end() && step->code && step->library && step->allocation;
  facts.flag("anatomy", known);
  const auto share = [&](double ms) { return format_percent(ms / step->whole); };
  facts.set("whole", known ? format_significant(step->whole) : "");
  facts.set("code", known ? share(*step->code) : "");
  facts.set("library", known ? share(*step->library) : "");
  facts.set("allocation", known ? share(*step->allocation) : "");
  facts.set("busy", known ? share(step->busy) : "");
}

void set_second_step(Facts& facts, const WarmupRow& row) {
  facts.flag("second_slow", stands_out(row));
  facts.flag("second_unclear", !stands_out(row) && row.step_rise(1) > kNoticeable);
  facts.set("second_where", row.label);
  facts.set("second_rise", change_words(1 + row.step_rise(1), row.spread(), kLongerThan));
  facts.set("second_spread", format_rough_percent(row.spread()));
  facts.flag("second_allocates", row.allocations_in(1) > 0);
  facts.set("second_allocations", format_plural(row.allocations_in(1), "time"));
}

Facts make_facts(const std::vector<WarmupRow>& all, const std::vector<FirstStep>& profiled) {
  Facts facts;
  declare(facts);
  facts.flag("nothing", all.empty());
  if (all.empty()) return facts;
  const Mode mode = answered_mode(all);
  std::vector<WarmupRow> rows;
  std::copy_if(all.begin(), all.end(), std::back_inserter(rows),
               [&](const WarmupRow& row) { return row.mode == mode && row.windows.size() > 1; });
  facts.flag("one_window", rows.empty());
  if (rows.empty()) return facts;
  const WarmupRow& worst = *std::max_element(
      rows.begin(), rows.end(),
      [](const auto& a, const auto& b) { return a.mean_rise(0) < b.mean_rise(0); });
  facts.flag("answered", true);
  facts.flag("rises", worst.mean_rise(0) > kNoticeable);
  facts.set("step", step_words(mode));
  facts.set("steps",
            format_count(static_cast<std::int64_t>(rows.front().windows[0].summary.count)));
  facts.set("warmup", std::to_string(rows.front().windows.back().warmup));
  facts.set("rise", rise_range(rows));
  facts.flag("factor", any_factor(rows));
  facts.flag("little", largest_residue(rows, 0) < kLittle);
  const std::vector<std::string> unclear = unclear_rows(rows);
  facts.flag("unclear", !unclear.empty());
  facts.set("unclear_rows", join_words(unclear));
  facts.flag("optimizer", std::any_of(all.begin(), all.end(), [](const WarmupRow& row) {
               return row.mode == Mode::kTrainStep;
             }));
  set_first_step(facts, worst);
  set_anatomy(facts, profiled, worst.label);
  set_second_step(facts, slowest_second_step(rows));
  const std::size_t last = rows.front().windows.back().warmup;
  facts.set("warmup_steps", format_plural(static_cast<std::int64_t>(last), "step"));
  facts.flag("one_warmup", last > 1);
  facts.flag("two_warmups", last > 2);
  facts.flag("one_enough", slowest_second_step(rows).step_rise(1) <= kNoticeable &&
                               largest_residue(rows, 1) <= kNoticeable);
  facts.set("residue_1", bound_words(rows, 1));
  facts.set("residue_2", bound_words(rows, 2));
  return facts;
}

Figure steps_figure(const std::vector<WarmupRow>& rows, Mode mode) {
  StepChart chart{.quantity = {"Time of a step", "ms"},
                  .lines = {},
                  .notes = {},
                  .shaded = 0,
                  .shade_text = ""};
  for (const WarmupRow& row : rows) {
    if (row.mode != mode) continue;
    chart.lines.push_back({row.label, row.steps});
    chart.shaded = static_cast<int>(row.windows.back().warmup);
  }
  chart.shade_text = "warm-up";
  const std::string mode_name(describe(mode));
  return {
      .slug = "steps-" + slug(mode_name),
      .title = "Each " + step_words(mode) + " from the start of the process",
      .caption = "Every step of a fresh process, the first included; the axis is logarithmic.",
      .alt = "Lines over step numbers, one for each size. The table below holds the same numbers.",
      .spec = step_chart(chart),
      .data = steps_table(rows, mode),
      .family = "Mode",
      .variant = mode_name};
}

bool has_mode(const std::vector<WarmupRow>& rows, Mode mode) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const WarmupRow& row) { return row.mode == mode; });
}

}  // namespace

PartContent present_warmup(const RunView& view, const std::vector<TimingGroup>& groups) {
  PartContent part;
  const std::vector<WarmupRow> rows = warmup_rows(view.edition(), groups);
  const std::vector<FirstStep> profiled = first_steps(view, groups);
  part.facts = make_facts(rows, profiled);
  part.facts.flag("gpu", view.on_gpu());
  for (const Mode mode : {Mode::kForwardBackward, Mode::kForward, Mode::kTrainStep}) {
    if (has_mode(rows, mode)) part.figures.push_back(steps_figure(rows, mode));
  }
  part.tables = {windows_table(view.edition(), groups, rows), first_step_table(rows)};
  if (!profiled.empty()) part.tables.push_back(anatomy_table(profiled));
  const TableView apart = apart_table(groups, rows);
  if (!apart.rows.empty()) part.drawer.tables.push_back(apart);
  part.drawer.tables.push_back(start_up_table(groups));
  return part;
}

}  // namespace labreport::benchmarking_script
