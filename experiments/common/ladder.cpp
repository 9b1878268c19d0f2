#include "experiments/common/ladder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/measures.h"
#include "base/format.h"
#include "base/outliers.h"
#include "base/statistics.h"
#include "document/value.h"
#include "experiments/common/launch_costs.h"
#include "experiments/common/peak_rates.h"
#include "experiments/common/timing.h"
#include "plan/arithmetic.h"
#include "plan/part_work.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

constexpr double kLeastSpeedup = 1.02;  // Changes with smaller speedups are not advised.
constexpr double kMillisecondsPerSecond = 1e3;

std::string change_of(const CellSpec& spec, const Ladder& ladder) {
  if (!spec.implementation.empty()) return "torch.compile";
  if (!ladder.rungs.empty() && ladder.rungs.back().cell->spec.precision != spec.precision)
    return std::string(describe(*spec.precision));
  return std::string(describe(spec.variant.value_or(Variant::kMatmul)));
}

Rung rung_of(const RunView& view, const Cell& cell, const Ladder& ladder) {
  Rung rung{&cell, change_of(cell.spec, ladder), reason_missing(cell)};
  const Launch* launch = ok_launch(cell);
  if (launch == nullptr) return rung;
  rung.steps_ms = TimedLaunch{&cell.spec, launch}.ms_after_warmup(metric::kStep, metric::kTotal);
  if (cell.spec.device == DeviceKind::kCuda) {  // A CPU has no kernels.
    rung.busy_ms = single_milliseconds(*launch, metric::kProfile, metric::kBusy);
    rung.kernels = single_number(*launch, metric::kProfile, metric::kKernels);
    rung.forward_ms = single_milliseconds(*launch, metric::kBusy, metric::kForward);
    if (const auto loss_ms = single_milliseconds(*launch, metric::kBusy, metric::kLoss))
      rung.forward_ms = rung.forward_ms.value_or(0) + *loss_ms;
    rung.backward_ms = single_milliseconds(*launch, metric::kBusy, metric::kBackward);
    rung.optimizer_ms = single_milliseconds(*launch, metric::kBusy, metric::kOptimizer);
  }
  rung.peak_bytes = single_number(*launch, metric::kMemory, metric::kPeakAllocated);
  if (const auto ms = single_milliseconds(*launch, metric::kStartUp, metric::kCompile)) {
    rung.compile_s = *ms / kMillisecondsPerSecond;
  }
  rung.losses = launch->numbers(metric::kLosses, metric::kTotal);
  CellSpec eager = cell.spec;
  eager.implementation.clear();  // `step_flops` knows only labreport's own network.
  const auto flops = step_flops(eager);
  const auto peak = peak_flop_rate(view, *eager.precision);
  if (rung.ran() && flops && peak && rung.mean_ms() > 0)
    rung.mfu = *flops / (rung.mean_ms() / kMillisecondsPerSecond) / *peak;
  return rung;
}

std::optional<double> ms_at_peaks(const RunView& view, const Ladder& ladder) {
  const CellSpec& spec = ladder.rungs.back().cell->spec;
  const auto flops = step_flops(ladder.rungs.front().cell->spec);
  const auto rate = peak_flop_rate(view, *spec.precision), bandwidth = peak_bandwidth(view);
  if (!flops || !rate || !bandwidth || !spec.model) return std::nullopt;
  const double bytes = kFusedAdamWBytes * static_cast<double>(parameter_count(*spec.model));
  return kMillisecondsPerSecond * (*flops / *rate + bytes / *bandwidth);
}

std::string in_three_digits(double value) { return format_value(value, kThreeDigits); }

/// Tells that GPU idle time takes back a part of what shorter kernels save; empty if it takes back
/// less than kTakenBack of what is left.
std::string growth_of_idle_time(const Gain& gain) {
  constexpr double kTakenBack = 0.2;
  const auto before_ms = gain.before->idle_ms(), after_ms = gain.after->idle_ms();
  if (!before_ms || !after_ms || gain.saved_ms() <= 0) return "";
  if (*after_ms - *before_ms < kTakenBack * gain.saved_ms()) return "";
  return fmt::format(", but GPU idle time rises by {} ms", in_three_digits(*after_ms - *before_ms));
}

double parameters(const Ladder& ladder) {
  return static_cast<double>(parameter_count(*ladder.rungs.front().cell->spec.model));
}

}  // namespace

double Rung::mean_ms() const { return typical_time(steps_ms); }

double Rung::deviation_ms() const { return sample_stddev(without_outlier(steps_ms)); }

std::optional<double> Rung::idle_ms() const {
  if (!busy_ms || !ran()) return std::nullopt;
  return std::max(0.0, mean_ms() - *busy_ms);
}

bool Rung::launch_bound() const {
  return busy_ms && ran() && *busy_ms < kLaunchBoundBelow * mean_ms();
}

std::optional<double> Rung::idle_us() const {
  const auto idle = idle_ms();
  if (!idle || kernels.value_or(0) <= 0) return std::nullopt;
  return *idle * kMicrosecondsPerMillisecond / *kernels;
}

std::vector<StepPart> step_parts(const Rung& rung) {
  if (!rung.ran()) return {};
  if (!rung.busy_ms || *rung.busy_ms > rung.mean_ms()) return {{"step", rung.mean_ms()}};
  const double in_phases_ms =
      rung.forward_ms.value_or(0) + rung.backward_ms.value_or(0) + rung.optimizer_ms.value_or(0);
  return {{"forward", rung.forward_ms},
          {"backward", rung.backward_ms},
          {"optimizer", rung.optimizer_ms},
          {"replayed graph", *rung.busy_ms - in_phases_ms},
          {"GPU idle", rung.idle_ms()}};
}

const Rung* Ladder::first_run() const {
  const auto found = std::ranges::find_if(rungs, &Rung::ran);
  return found == rungs.end() ? nullptr : &*found;
}

const Rung* Ladder::fastest() const {
  const Rung* fastest_rung = nullptr;
  for (const Rung& rung : rungs) {
    if (rung.ran() && (fastest_rung == nullptr || rung.mean_ms() < fastest_rung->mean_ms()))
      fastest_rung = &rung;
  }
  return fastest_rung;
}

std::optional<Ratio> Ladder::speedup() const {
  if (first_run() == nullptr) return std::nullopt;
  return ratio_of(first_run()->steps_ms, fastest()->steps_ms);
}

std::vector<Ladder> ladders(const RunView& view) {
  std::vector<Ladder> all;
  for (const Cell& cell : view.run().cells) {
    const CellSpec& spec = cell.spec;
    if (spec.kind != CellKind::kLadder || !spec.model || !spec.precision) continue;
    const std::string precision(
        describe(under_autocast(spec) ? *spec.precision : Precision::kFp32));
    auto ladder = std::ranges::find_if(all, [&](const Ladder& known) {
      return known.precision == precision && known.rungs.front().cell->spec.model == spec.model;
    });
    if (ladder == all.end()) {
      ladder = all.insert(ladder, {.size = spec.size,
                                   .words = spec.size + " in " + precision,
                                   .precision = precision,
                                   .rungs = {}});
    }
    ladder->rungs.push_back(rung_of(view, cell, *ladder));
  }
  for (Ladder& ladder : all) {
    ladder.ms_at_peaks = ms_at_peaks(view, ladder);
    ladder.peaks = peak_words(view, *ladder.rungs.back().cell->spec.precision);
    if (ladder.rungs.back().cell->spec.precision == Precision::kTf32)
      ladder.words = ladder.size + ", FP32 to TF32";
  }
  std::ranges::stable_sort(all, {}, [](const Ladder& ladder) {
    return std::pair(parameters(ladder), ladder.precision != describe(Precision::kFp32));
  });
  return all;
}

std::string Gain::saved_digits() const { return in_three_digits(std::abs(saved_ms())); }

bool Gain::from_less_idle_time() const {
  const auto idle_before = before->idle_ms(), idle_after = after->idle_ms();
  return idle_before && idle_after && *idle_before - *idle_after >= saved_ms() / 2;
}

std::vector<Gain> gains(const Ladder& ladder) {
  std::vector<Gain> all;
  const Rung* before = nullptr;
  for (const Rung& rung : ladder.rungs) {
    if (!rung.ran()) continue;
    if (before != nullptr) all.push_back({before, &rung});
    before = &rung;
  }
  return all;
}

std::vector<Gain> largest_gains(const Ladder& ladder, std::size_t max_count) {
  const auto scatter_ms = [](const Rung* rung) {
    return rung->steps_ms.size() < 2 ? 0 : sample_stddev(rung->steps_ms);
  };
  std::vector<Gain> largest = gains(ladder);
  std::erase_if(largest, [](const Gain& gain) { return gain.speedup() < kLeastSpeedup; });
  std::ranges::stable_sort(largest, std::greater(), &Gain::saved_ms);
  // Gains that save less than the first uncertain one are even less certain.
  const auto first_uncertain = std::ranges::find_if(largest, [&](const Gain& gain) {
    return !gain.before->busy_ms || !gain.after->busy_ms || gain.before->launch_bound() ||
           gain.after->launch_bound() ||
           gain.saved_ms() < scatter_ms(gain.before) + scatter_ms(gain.after);
  });
  largest.erase(first_uncertain, largest.end());
  largest.resize(std::min(largest.size(), max_count));
  return largest;
}

std::optional<Gain> end_of_launch_bound_steps(const Ladder& ladder) {
  for (const Gain& gain : gains(ladder)) {
    if (gain.before->launch_bound() && gain.after->busy_ms && !gain.after->launch_bound())
      return gain;
  }
  return std::nullopt;
}

std::string reason_clause(const Gain& gain) {
  const Rung &before = *gain.before, &after = *gain.after;
  if (!before.busy_ms || !after.busy_ms) return "";
  const double fewer_kernels = before.kernels.value_or(0) - after.kernels.value_or(0);
  const std::string fewer = fewer_kernels >= 1 ? fmt::format("{} fewer kernels run: ",
                                                             format_value(fewer_kernels, kAsCount))
                                               : "";
  if (gain.from_less_idle_time()) {
    if (fewer.empty() && before.idle_us() && after.idle_us())
      return fmt::format("because GPU idle time a kernel falls from {} to {} µs",
                         in_three_digits(*before.idle_us()), in_three_digits(*after.idle_us()));
    // The CPU spends at most their share of the step on that many launches.
    if (*before.idle_ms() - *after.idle_ms() >
        fewer_kernels / before.kernels.value_or(1) * before.mean_ms())
      return "";
    return fmt::format("because {}GPU idle time falls by {} ms", fewer,
                       in_three_digits(*before.idle_ms() - *after.idle_ms()));
  }
  const double saved_in_optimizer =
      before.optimizer_ms.value_or(0) - after.optimizer_ms.value_or(0);
  if (after.cell->spec.variant == Variant::kFusedAdamW && after.optimizer_ms &&
      saved_in_optimizer >= gain.saved_ms() / 2) {
    return fmt::format(
        "because AdamW moves {} instead of {} bytes a parameter: its GPU time falls by {} ms",
        kFusedAdamWBytes, kUnfusedAdamWBytes, in_three_digits(saved_in_optimizer));
  }
  const bool on_tensor_cores = before.cell->spec.precision != after.cell->spec.precision;
  const bool keeps_no_scores = after.cell->spec.variant == Variant::kSdpa && before.peak_bytes &&
                               after.peak_bytes && *after.peak_bytes < *before.peak_bytes;
  return std::string("because ") +
         (on_tensor_cores   ? "GEMMs run on tensor cores: "
          : keeps_no_scores ? "attention writes no scores to memory: "
                            : "") +
         "GPU time falls by " + in_three_digits(*before.busy_ms - *after.busy_ms) + " ms" +
         growth_of_idle_time(gain);
}

const Ladder* advised_ladder(const std::vector<Ladder>& all) {
  const Ladder* chosen = nullptr;
  for (const Ladder& ladder : all) {
    if (gains(ladder).empty()) continue;
    const bool larger = chosen == nullptr || parameters(ladder) > parameters(*chosen);
    const bool in_16_bits = under_autocast(ladder.rungs.front().cell->spec);
    if (larger || (in_16_bits && parameters(ladder) == parameters(*chosen))) chosen = &ladder;
  }
  return chosen;
}

}  // namespace labreport
