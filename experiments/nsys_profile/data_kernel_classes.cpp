// Part (d): the GEMMs' share of GPU time, in the forward pass and in a whole step.
#include <cmath>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/nsys_profile/kernel_sums.h"
#include "experiments/nsys_profile/presenters.h"

namespace labreport::nsys_profile {
namespace {

constexpr const char* kClasses[]{"elementwise", "exponential", "where",  "reduction", "copy",
                                 "gather",      "fused",       "memset", "other"};
constexpr Pass kComparedPasses[]{Pass::kForward, Pass::kForwardBackward, Pass::kTrainStep};
constexpr Pass kDrawnPasses[]{Pass::kForward, Pass::kBackward, Pass::kOptimizer, Pass::kTrainStep};
constexpr double kPoint = 0.01;
constexpr Notation kShareOfTime{Notation::kPercent};

struct ProfiledPass {
  const Profile* profile;
  Pass pass;
};

/// A row for each pass of a profile and a column for each class's share; omits classes of no pass.
Dataset every_class(const std::vector<const Profile*>& profiles) {
  std::vector<ProfiledPass> passes;
  for (const Profile* profile : profiles) {
    for (const Pass pass : kComparedPasses) {
      if (profile->rows(pass).empty() && profile->reason.empty()) continue;
      passes.push_back({profile, pass});
    }
  }
  std::vector<Column<ProfiledPass>> columns{
      {"profile", "Profile", [](const ProfiledPass& row) { return row.profile->label; }},
      {"pass", "Pass", [](const ProfiledPass& row) { return describe(row.pass); }}};
  const auto add = [&](const std::string& kind, const auto& wanted) {
    const auto value = [wanted](const ProfiledPass& row) {
      return share_of(*row.profile, row.pass, wanted);
    };
    const auto known = [&](const ProfiledPass& row) {
      return share(row.profile->rows(row.pass), wanted) > 0;
    };
    if (std::ranges::any_of(passes, known))
      columns.push_back({kind, kind, value, "%", kShareOfTime});
  };
  add("GEMM", is_gemm);
  for (const std::string kind : kClasses) {
    add(kind, [kind](const KernelRow& row) { return row.kind == kind; });
  }
  return make_dataset("every-class", columns, passes);
}

/// The GEMMs' share of each pass's GPU time, one row for each profile.
Dataset gemm_shares(const std::vector<const Profile*>& profiles) {
  std::vector<Column<const Profile*>> columns{
      {"profile", "Profile", [](const Profile* profile) { return profile->label; }}};
  for (const Pass pass : kComparedPasses) {
    const std::string name(describe(pass));
    columns.push_back({name, "GEMMs, " + name,
                       [pass](const Profile* profile) { return share_of(*profile, pass, is_gemm); },
                       "%", kShareOfTime});
  }
  return make_dataset("gemm-shares", columns, profiles);
}

/// One class's segment of a bar; `share` is of the pass's GPU time, from 0 to 1.
struct ClassBar {
  std::string row, kind;
  double ms, share;
  std::string change;  ///< Words behind the bar: "61.43 ms, 5.3×"
};

const std::vector<Column<ClassBar>> kClassBars{
    {"row", "Pass", &ClassBar::row},
    {"class", "Class", &ClassBar::kind},
    {"ms", "Time", &ClassBar::ms, "ms"},
    {"share", "Share", &ClassBar::share, "%", kShareOfTime},
    {"change", "Change", &ClassBar::change}};

/// Adds a bar for each pass of the profile, with its speedup over the same pass of `full` in words.
void add_bars(std::vector<ClassBar>& bars, const Profile* profile, const Profile* full) {
  for (const Pass pass : kDrawnPasses) {
    const Rows rows = profile == nullptr ? Rows() : profile->rows(pass);
    const double whole = total(rows), before = full == nullptr ? 0 : total(full->rows(pass));
    std::string change = format_significant(whole) + " ms";
    if (before > 0 && whole > 0) change += ", " + format_factor(before / whole) + "×";
    for (const std::string& kind : drawn_classes()) {
      const double ms = total(matching(rows, of_class(kind)));
      if (ms <= 0) continue;
      const std::string precision(labreport::describe(profile->precision()));
      bars.push_back(
          {precision + " · " + std::string(describe(pass)), kind, ms, ms / whole, change});
    }
  }
}

/// "Elementwise kernels rise from 8.1 to 18.2 %, copies fall; reductions stay within a point": the
/// largest change comes first and is the only one with numbers.
std::string changes(const Rows& before, const Rows& after, const std::string& kernels) {
  struct Change {
    std::string words;
    double from, to;
    double size() const { return std::abs(to - from); }
  };
  std::vector<Change> changed;
  std::vector<std::string> steady;
  for (const std::string& kind : drawn_classes()) {
    const Change change{class_words(kind, kernels), share(before, of_class(kind)),
                        share(after, of_class(kind))};
    if (kind == "GEMM" || change.from + change.to <= 0) continue;
    if (change.size() >= kPoint) {
      changed.push_back(change);
    } else if (kind != "other") {
      steady.push_back(change.words);
    }
  }
  std::string words;
  std::vector<std::string> rise, fall;
  std::ranges::sort(changed, std::greater<>(), &Change::size);
  for (const Change& change : changed) {
    if (words.empty()) {
      words = change.words + (change.to > change.from ? " rise" : " fall") + " from " +
              format_percent(change.from) + " to " + format_percent(change.to) + " %";
    } else {
      (change.to > change.from ? rise : fall).push_back(change.words);
    }
  }
  if (!rise.empty()) words += ", " + join_words(rise) + " rise";
  if (!fall.empty()) words += ", " + join_words(fall) + " fall";
  if (!steady.empty())
    words += (words.empty() ? "" : "; ") + join_words(steady) + " stay within a point";
  if (!words.empty()) words.front() = static_cast<char>(std::toupper(words.front()));
  return words;
}

/// The GEMMs' share of GPU time in the profile's forward pass and in its longest measured pass.
Facts class_sentence(const Profile& profile, const std::string& kernels) {
  const Rows forward = profile.rows(Pass::kForward), optimizer = profile.rows(Pass::kOptimizer);
  const Rows both = profile.rows(Pass::kForwardBackward), step = profile.rows(Pass::kTrainStep);
  const Rows& fullest = step.empty() ? both : step;
  const double drop = gemm_share(forward) - gemm_share(fullest);
  // The optimizer explains the drop if it launches no GEMMs and the share without the optimizer
  // falls by less than half as much.
  const bool by_optimizer = drop >= kPoint && !optimizer.empty() && gemm_share(optimizer) == 0 &&
                            gemm_share(forward) - gemm_share(both) < drop / 2;
  const std::string list = changes(forward, fullest, kernels);
  return Facts()
      .set("profile", profile.words)
      .set("forward", gemm_share(forward), kShareOfTime)
      .set("fullest", gemm_share(fullest), kShareOfTime)
      .when("by_optimizer", by_optimizer, "ms", format_significant(total(optimizer), 3))
      .flag("unexplained", std::abs(drop) >= kPoint && !by_optimizer)
      .when("changes", !list.empty(), "list", list);
}

Facts class_facts(const Profiles& profiles) {
  Facts facts = profiles.facts();
  const Profile* profile = profiles.described;
  const auto has = [&](Pass pass) { return profile != nullptr && !profile->rows(pass).empty(); };
  const char* situation = !has(Pass::kForward)          ? "nothing"
                          : has(Pass::kTrainStep)       ? "whole_step"
                          : has(Pass::kForwardBackward) ? "backward_only"
                                                        : "forward_only";
  facts.choose({"nothing", "whole_step", "backward_only", "forward_only"}, situation,
               has(Pass::kForward) ? class_sentence(*profile, profiles.kernels()) : Facts());
  const Profile* drawn = drawn_step(profiles);
  facts.flag("inference", profile != nullptr && profile->inference && profile->step);
  facts.set("timeline", drawn == nullptr ? "" : drawn->words);
  return facts;
}

}  // namespace

PartContent kernel_classes(const Profiles& profiles) {
  PartContent part;
  part.facts = class_facts(profiles);
  std::vector<ClassBar> bars;
  add_bars(bars, profiles.described, nullptr);
  add_bars(bars, profiles.half, profiles.described);
  part.datasets = {make_dataset("kernel-classes", kClassBars, bars),
                   gemm_shares(profiles.in_tables), every_class(profiles.in_details)};
  std::ranges::move(step_timeline(profiles), std::back_inserter(part.datasets));
  return part;
}

}  // namespace labreport::nsys_profile
