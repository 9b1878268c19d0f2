#include "experiments/nsys_profile/clock.h"

#include <algorithm>

#include "base/format.h"
#include "experiments/common/change.h"
#include "experiments/nsys_profile/profile_table.h"
#include "results/metric_names.h"

namespace labreport::nsys_profile {
namespace {

std::optional<Clock> clock_of(const Profile& profile, const std::optional<ProfiledStep>& step) {
  if (!step) return std::nullopt;
  Clock clock{profile.label, &*step, step->samples(metric::kStep, metric::kTotal)};
  const auto busy = step->value(metric::kProfile, metric::kBusy);
  if (clock.timer.empty() || !busy) return std::nullopt;
  clock.mean = mean(clock.timer);
  clock.busy = *busy;
  clock.span = step->value(metric::kProfile, metric::kSpan).value_or(*busy);
  clock.profiled = step->value(metric::kProfile, metric::kStep).value_or(0);
  if (clock.mean <= 0) return std::nullopt;
  return clock;
}

TableView empty_table(const char* slug, const char* title,
                      const std::vector<std::pair<const char*, const char*>>& numbers) {
  TableView table{slug, title, {{"Profile", "", Align::kLeft}, {"Step", "", Align::kLeft}}, {}};
  for (const auto& [name, unit] : numbers) table.columns.push_back({name, unit, Align::kRight});
  return table;
}

RowView row_of(const Clock& clock) {
  const Mode mode = clock.step->spec->mode.value_or(Mode::kForward);
  return {{text_cell(clock.label), text_cell(std::string(labreport::describe(mode)))}, {}, ""};
}

std::string signed_percent(double share) { return (share < 0 ? "" : "+") + format_percent(share); }

/// One unit a column: a factor where a percentage of some row would be hard to picture.
bool in_factors(const std::vector<Profile>& profiles) {
  return std::ranges::any_of(
      clocks(profiles), [](const Clock& clock) { return told_as_factor(1 + clock.difference()); });
}

CellView difference_cell(const Clock& clock, bool factors) {
  const double ratio = 1 + clock.difference();
  return factors ? number_cell(format_ratio(ratio), ratio)
                 : number_cell(signed_percent(clock.difference()), clock.difference());
}

/// A row for each step of each profile; a profile without numbers says why.
template <typename Fill>
void add_rows(TableView& table, const std::vector<Profile>& profiles, const Fill& fill) {
  for (const Profile& profile : profiles) {
    for (const Clock& clock : clocks(profile)) {
      RowView row = row_of(clock);
      fill(row, clock);
      if (clock.perturbed()) row.flags.emplace_back("perturbed by the profiler");
      table.rows.push_back(std::move(row));
    }
    add_missing(table, profile);
  }
}

std::optional<double> mean_of(const std::vector<double>& samples) {
  return samples.empty() ? std::nullopt : std::optional(mean(samples));
}

}  // namespace

double Clock::spread() const { return summarize(timer).coefficient_of_variation(); }

std::string difference_text(const Clock& clock) {
  const double ratio = 1 + clock.difference();
  return told_as_factor(ratio) ? format_ratio(ratio) + " ×"
                               : signed_percent(clock.difference()) + " %";
}

std::vector<Clock> clocks(const Profile& profile) {
  std::vector<Clock> found;
  for (const auto* step : {&profile.inference, &profile.step}) {
    if (auto clock = clock_of(profile, *step)) found.push_back(std::move(*clock));
  }
  return found;
}

std::vector<Clock> clocks(const std::vector<Profile>& profiles) {
  std::vector<Clock> found;
  for (const Profile& profile : profiles) {
    for (Clock& clock : clocks(profile)) found.push_back(std::move(clock));
  }
  return found;
}

TableView clocks_table(const std::vector<Profile>& profiles) {
  const bool factors = in_factors(profiles);
  TableView table = empty_table("clocks", "One step by the timer and by the profiler",
                                {{"Timer", "ms"},
                                 {"Kernels busy", "ms"},
                                 {factors ? "Busy ÷ timer" : "Difference", factors ? "×" : "%"},
                                 {"First kernel to last", "ms"},
                                 {"Step while profiled", "ms"}});
  add_rows(table, profiles, [factors](RowView& row, const Clock& clock) {
    for (CellView cell :
         {mean_cell(clock.timer), ms_cell(clock.busy), difference_cell(clock, factors),
          ms_cell(clock.span), ms_cell(clock.profiled)}) {
      row.cells.push_back(std::move(cell));
    }
  });
  return table;
}

TableView split_table(const std::vector<Profile>& profiles) {
  TableView table = empty_table("split", "Where timer and profiler part",
                                {{"Gaps between kernels", "ms"},
                                 {"Before the first, after the last", "ms"},
                                 {"The profiler's own cost", "ms"},
                                 {"Forward by events", "ms"},
                                 {"Forward's kernels", "ms"},
                                 {"Unattributed", "%"},
                                 {"Profiler's start and stop", "ms"}});
  add_rows(table, profiles, [](RowView& row, const Clock& clock) {
    const ProfiledStep& step = *clock.step;
    const auto of_profile = [&](std::string_view name) {
      return step.value(metric::kProfile, name).value_or(0);
    };
    const double unattributed = of_profile(metric::kUnattributed);
    const double around = of_profile(metric::kPrepare) + of_profile(metric::kCollect);
    for (CellView cell :
         {ms_cell(clock.gaps()), ms_cell(clock.outside()), ms_cell(clock.cost()),
          ms_cell(mean_of(step.samples(metric::kEvent, metric::kForward))),
          ms_cell(step.value(metric::kBusy, metric::kForward)),
          share_cell(clock.busy > 0 ? unattributed / clock.busy : 0), ms_cell(around)}) {
      row.cells.push_back(std::move(cell));
    }
  });
  return table;
}

}  // namespace labreport::nsys_profile
