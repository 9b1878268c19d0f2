// Presents part (d): the GEMMs' share of GPU time in the forward pass and in a whole step.
#include <cmath>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/nsys_profile/kernel_sums.h"
#include "experiments/nsys_profile/presenters.h"

namespace labreport::nsys_profile {
namespace {

constexpr const char* kDetailedClasses[]{"elementwise", "exponential", "where",
                                         "reduction",   "copy",        "gather",
                                         "fused",       "memset",      "other"};
constexpr Pass kComparedPasses[]{Pass::kForward, Pass::kForwardBackward, Pass::kTrainStep};
constexpr Pass kDrawnPasses[]{Pass::kForward, Pass::kBackward, Pass::kOptimizer, Pass::kTrainStep};
constexpr double kPercentagePoint = 0.01;

struct ProfiledPass {
  const KernelProfile* profile;
  Pass pass;
};

/// Makes a row for each pass of each profile and a column for each class that has a kernel.
Dataset every_class(const std::vector<const KernelProfile*>& profiles) {
  std::vector<ProfiledPass> passes;
  for (const KernelProfile* profile : profiles) {
    for (const Pass pass : kComparedPasses) {
      if (profile->rows(pass).empty() && profile->reason.empty()) continue;
      passes.push_back({profile, pass});
    }
  }
  std::vector<Column<ProfiledPass>> columns{
      {"profile", "Profile", [](const ProfiledPass& row) { return row.profile->label; }},
      {"pass", "Pass", [](const ProfiledPass& row) { return describe(row.pass); }}};
  const auto add_column = [&](const std::string& kind, const auto& is_in_class) {
    const auto value = [is_in_class](const ProfiledPass& row) {
      return share_or_reason(*row.profile, row.pass, is_in_class);
    };
    const auto has_class = [&](const ProfiledPass& row) {
      return time_share(row.profile->rows(row.pass), is_in_class) > 0;
    };
    if (std::ranges::any_of(passes, has_class))
      columns.push_back({kind, kind, value, "%", kAsPercent});
  };
  add_column("GEMM", is_gemm);
  for (const std::string kind : kDetailedClasses) {
    add_column(kind, [kind](const KernelRow& row) { return row.kind == kind; });
  }
  return make_dataset("every-class", columns, passes);
}

/// Makes a row for each profile with the GEMMs' share of each pass's GPU time.
Dataset gemm_shares(const std::vector<const KernelProfile*>& profiles) {
  std::vector<Column<const KernelProfile*>> columns{
      {"profile", "Profile", [](const KernelProfile* profile) { return profile->label; }}};
  for (const Pass pass : kComparedPasses) {
    const std::string name(describe(pass));
    columns.push_back(
        {name, "GEMMs, " + name,
         [pass](const KernelProfile* profile) { return share_or_reason(*profile, pass, is_gemm); },
         "%", kAsPercent});
  }
  return make_dataset("gemm-shares", columns, profiles);
}

/// One class's segment of a pass's bar.
struct ClassSegment {
  std::string bar;   ///< "FP32 · forward"
  std::string kind;  ///< The drawn class.
  double ms;
  double share;       ///< Share of the pass's GPU time, from 0 to 1.
  std::string label;  ///< The pass's time and speedup, behind the bar: "61.43 ms, 5.3×"
};

const std::vector<Column<ClassSegment>> kSegmentColumns{
    {"row", "Pass", &ClassSegment::bar},
    {"class", "Class", &ClassSegment::kind},
    {"ms", "Time", &ClassSegment::ms, "ms"},
    {"share", "Share", &ClassSegment::share, "%", kAsPercent},
    {"change", "Change", &ClassSegment::label}};

/// Adds a bar for each pass, labelled with its speedup over `baseline`. Either profile may be null.
void add_bars(std::vector<ClassSegment>& bars, const KernelProfile* profile,
              const KernelProfile* baseline) {
  for (const Pass pass : kDrawnPasses) {
    const KernelRows rows = profile == nullptr ? KernelRows() : profile->rows(pass);
    const double pass_ms = total_ms(rows);
    const double baseline_ms = baseline == nullptr ? 0 : total_ms(baseline->rows(pass));
    std::string label = format_significant(pass_ms) + " ms";
    if (baseline_ms > 0 && pass_ms > 0) label += ", " + format_factor(baseline_ms / pass_ms) + "×";
    for (const std::string& kind : drawn_classes()) {
      const double ms = total_ms(matching(rows, has_drawn_class(kind)));
      if (ms <= 0) continue;
      const std::string precision(labreport::describe(profile->precision()));
      bars.push_back(
          {precision + " · " + std::string(describe(pass)), kind, ms, ms / pass_ms, label});
    }
  }
}

/// Says how shares change: "Elementwise kernels rise from 8.1 to 18.2 %, copies fall; reductions
/// stay within a point". The largest change comes first and is the only one with numbers.
std::string class_changes(const KernelRows& before, const KernelRows& after,
                          const std::string& kernels_word) {
  struct ShareChange {
    std::string kernels;  ///< "elementwise kernels"
    double from, to;      ///< Shares of GPU time.
    double distance() const { return std::abs(to - from); }
  };
  std::vector<ShareChange> changes;
  std::vector<std::string> unchanged;
  for (const std::string& kind : drawn_classes()) {
    const ShareChange change{describe_class(kind, kernels_word),
                             time_share(before, has_drawn_class(kind)),
                             time_share(after, has_drawn_class(kind))};
    if (kind == "GEMM" || change.from + change.to <= 0) continue;
    if (change.distance() >= kPercentagePoint) {
      changes.push_back(change);
    } else if (kind != "other") {
      unchanged.push_back(change.kernels);
    }
  }
  std::string words;
  std::vector<std::string> rising, falling;
  std::ranges::sort(changes, std::greater<>(), &ShareChange::distance);
  for (const ShareChange& change : changes) {
    if (words.empty()) {
      words = change.kernels + (change.to > change.from ? " rise" : " fall") + " from " +
              format_percent(change.from) + " to " + format_percent(change.to) + " %";
    } else {
      (change.to > change.from ? rising : falling).push_back(change.kernels);
    }
  }
  if (!rising.empty()) words += ", " + join_words(rising) + " rise";
  if (!falling.empty()) words += ", " + join_words(falling) + " fall";
  if (!unchanged.empty())
    words += (words.empty() ? "" : "; ") + join_words(unchanged) + " stay within a point";
  if (!words.empty()) words.front() = static_cast<char>(std::toupper(words.front()));
  return words;
}

/// Compares the GEMMs' share of GPU time in the profile's forward pass and in its longest pass.
Facts class_sentence(const KernelProfile& profile, const std::string& kernels_word) {
  const KernelRows forward = profile.rows(Pass::kForward),
                   optimizer = profile.rows(Pass::kOptimizer);
  const KernelRows forward_backward = profile.rows(Pass::kForwardBackward);
  const KernelRows step = profile.rows(Pass::kTrainStep);
  const KernelRows& longest = step.empty() ? forward_backward : step;
  const double drop = gemm_share(forward) - gemm_share(longest);
  // The optimizer explains the drop if it launches no GEMMs and the share without the optimizer
  // falls by less than half as much.
  const bool by_optimizer = drop >= kPercentagePoint && !optimizer.empty() &&
                            gemm_share(optimizer) == 0 &&
                            gemm_share(forward) - gemm_share(forward_backward) < drop / 2;
  const std::string changes = class_changes(forward, longest, kernels_word);
  return Facts()
      .set("profile", profile.full_name)
      .set("forward", gemm_share(forward), kAsPercent)
      .set("fullest", gemm_share(longest), kAsPercent)
      .when("by_optimizer", by_optimizer, "ms", format_significant(total_ms(optimizer), 3))
      .flag("unexplained", std::abs(drop) >= kPercentagePoint && !by_optimizer)
      .when("changes", !changes.empty(), "list", changes);
}

Facts class_facts(const Profiles& profiles) {
  Facts facts = profiles.facts();
  const KernelProfile* profile = profiles.in_answers;
  const auto ran = [&](Pass pass) { return profile != nullptr && !profile->rows(pass).empty(); };
  const char* condition = !ran(Pass::kForward)          ? "nothing"
                          : ran(Pass::kTrainStep)       ? "whole_step"
                          : ran(Pass::kForwardBackward) ? "backward_only"
                                                        : "forward_only";
  facts.choose({"nothing", "whole_step", "backward_only", "forward_only"}, condition,
               ran(Pass::kForward) ? class_sentence(*profile, profiles.kernels_word()) : Facts());
  const KernelProfile* drawn = profile_of_drawn_step(profiles);
  facts.flag("inference", profile != nullptr && profile->inference && profile->step);
  facts.set("timeline", drawn == nullptr ? "" : drawn->full_name);
  return facts;
}

}  // namespace

PartContent kernel_classes(const Profiles& profiles) {
  PartContent part;
  part.facts = class_facts(profiles);
  std::vector<ClassSegment> segments;
  add_bars(segments, profiles.in_answers, nullptr);
  add_bars(segments, profiles.in_answers_16_bit, profiles.in_answers);
  part.datasets = {make_dataset("kernel-classes", kSegmentColumns, segments),
                   gemm_shares(profiles.in_tables), every_class(profiles.in_details)};
  std::ranges::move(step_timeline(profiles), std::back_inserter(part.datasets));
  return part;
}

}  // namespace labreport::nsys_profile
