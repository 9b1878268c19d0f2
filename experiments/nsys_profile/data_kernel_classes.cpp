// Presents part (d): the GEMMs' share of GPU time in the forward pass and in a whole step.
#include <cmath>

#include "base/format.h"
#include "experiments/nsys_profile/kernel_sums.h"
#include "experiments/nsys_profile/model_parts.h"
#include "experiments/nsys_profile/presenters.h"
#include "results/metric_names.h"

namespace labreport::nsys_profile {
namespace {

constexpr Pass kComparedPasses[]{Pass::kForward, Pass::kForwardBackward, Pass::kTrainStep};
constexpr Pass kDrawnPasses[]{Pass::kForward, Pass::kBackward, Pass::kOptimizer, Pass::kTrainStep};
// The answer names AdamW's share of the copy bandwidth in this range: above it, caches held
// tensors.
constexpr double kMinBandwidthShare = 0.4, kMaxBandwidthShare = 1;

/// Makes a row for each profile with the GEMMs' share of each pass's GPU time.
Dataset gemm_shares(const char* name, const std::vector<const KernelProfile*>& profiles) {
  std::vector<Column<const KernelProfile*>> columns{
      {"profile", "Profile", [](const KernelProfile* profile) { return profile->label; }}};
  for (const Pass pass : kComparedPasses) {
    const std::string words(describe(pass));
    columns.push_back(
        {words, "GEMMs, " + words,
         [pass](const KernelProfile* profile) { return share_or_reason(*profile, pass, is_gemm); },
         "%", kAsPercent});
  }
  return make_dataset(name, columns, profiles);
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

/// A class's share of GPU time in two passes.
struct ShareChange {
  std::string kind, kernels;  ///< "elementwise", "elementwise kernels"
  double from, to;
  double distance() const { return std::abs(to - from); }
};

/// Returns the change of the class other than GEMMs whose share changes most.
ShareChange largest_change(const KernelRows& before, const KernelRows& after,
                           const std::string& kernels_word) {
  std::vector<ShareChange> changes;
  for (const std::string& kind : drawn_classes()) {
    if (kind == "GEMM") continue;
    changes.push_back({kind, describe_class(kind, kernels_word),
                       time_share(before, has_drawn_class(kind)),
                       time_share(after, has_drawn_class(kind))});
  }
  return *std::ranges::max_element(changes, {}, &ShareChange::distance);
}

/// Says what the optimizer adds to the step, and how `change` would be without it. At most one of
/// the conditions `adamw` and `optimizer` holds, and none if it launches GEMMs.
void add_optimizer_sentence(const Profiles& profiles, const KernelProfile& profile,
                            const ShareChange& change, Facts& facts) {
  const KernelRows without = matching(profile.rows(Pass::kTrainStep), [](const KernelRow& row) {
    return row.phase != metric::kOptimizer;
  });
  const KernelRows rows = profile.rows(Pass::kOptimizer);
  const TimedWork adamw = work_outside_attention(profile).back();
  const auto copy_bandwidth = profiles.limits.copy_bandwidth;
  const double bandwidth_share = copy_bandwidth ? adamw.bandwidth() / *copy_bandwidth : 0;
  const bool has_no_gemm = !rows.empty() && gemm_share(rows) == 0;
  const bool at_bandwidth =
      bandwidth_share >= kMinBandwidthShare && bandwidth_share <= kMaxBandwidthShare;
  const Facts values =
      Facts()
          .set("ms", total_ms(rows), kThreeDigits)
          .set("bytes", adamw.bytes / profile.parameters(), kAsCount)
          .set("bandwidth", bandwidth_share, kAsPercent)
          .set("class", change.kernels)
          .set("without", time_share(without, has_drawn_class(change.kind)), kAsPercent);
  facts.choose({"adamw", "optimizer"},
               !has_no_gemm   ? ""
               : at_bandwidth ? "adamw"
                              : "optimizer",
               values);
}

/// Compares the GEMMs' share of GPU time in the profile's forward pass and in its longest pass.
Facts class_sentences(const Profiles& profiles, const KernelProfile& profile) {
  const KernelRows forward = profile.rows(Pass::kForward);
  const KernelRows step = profile.rows(Pass::kTrainStep);
  const KernelRows longest = step.empty() ? profile.rows(Pass::kForwardBackward) : step;
  const ShareChange change = largest_change(forward, longest, profiles.kernels_word());
  Facts facts;
  facts.set("pass", profile.inference && profile.step ? "inference" : "forward")
      .set("profile", profile.full_name)
      .set("forward", gemm_share(forward), kAsPercent)
      .when("longer", !longest.empty(),
            Facts()
                .set("longest", step.empty() ? "forward and backward pass" : "training step")
                .set("fullest", gemm_share(longest), kAsPercent)
                .set("class", change.kernels)
                .set("verb", change.to > change.from ? "rise" : "fall")
                .set("from", change.from, kAsPercent)
                .set("to", change.to, kAsPercent));
  add_optimizer_sentence(profiles, profile, change, facts);
  return facts;
}

}  // namespace

PartContent kernel_classes(const Profiles& profiles) {
  PartContent part;
  const KernelProfile* profile = profiles.in_answers;
  const KernelProfile* drawn = profile_of_drawn_step(profiles);
  part.has_numbers = profile != nullptr && !profile->rows(Pass::kForward).empty();
  part.facts = profiles.facts();
  if (part.has_numbers) part.facts.add(class_sentences(profiles, *profile));
  part.facts.set("timeline", drawn == nullptr ? "" : drawn->full_name);
  std::vector<ClassSegment> segments;
  add_bars(segments, profiles.in_answers, nullptr);
  add_bars(segments, profiles.in_answers_16_bit, profiles.in_answers);
  part.datasets = {make_dataset("kernel-classes", kSegmentColumns, segments),
                   gemm_shares("gemm-shares", profiles.in_tables),
                   gemm_shares("every-gemm-share", profiles.in_details)};
  std::ranges::move(step_timeline(profiles), std::back_inserter(part.datasets));
  return part;
}

}  // namespace labreport::nsys_profile
