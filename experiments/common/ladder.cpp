#include "experiments/common/ladder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/measures.h"
#include "base/format.h"
#include "base/statistics.h"
#include "experiments/common/timing.h"
#include "plan/arithmetic.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

constexpr double kWorthwhile = 1.02;    // smaller gains are not advised
constexpr double kOptimizerBytes = 28;  // bytes a parameter: four FP32 tensors read, three written
constexpr double kMillisecondsPerSecond = 1e3;
constexpr double kMostlyIdle = 0.5;  // beyond this idle share launches set the step time
constexpr double kNotable = 0.1;     // share of the saving
constexpr Notation kThree{Notation::kSignificant, 3};

std::optional<double> number(const Launch& launch, std::string_view tag, std::string_view name) {
  const Metric* metric = launch.find(tag, name);
  return metric == nullptr ? std::nullopt : metric->number();
}

std::string change_of(const CellSpec& spec, const Ladder& ladder) {
  if (!spec.implementation.empty()) return "torch.compile";
  if (!ladder.rungs.empty() && ladder.rungs.back().cell->spec.precision != spec.precision)
    return std::string(describe(*spec.precision));
  return std::string(describe(spec.variant.value_or(Variant::kMatmul)));
}

std::optional<double> mfu_of(const RunView& view, const CellSpec& spec, double ms) {
  CellSpec own = spec;
  own.implementation.clear();  // the same network
  const auto flops = step_flops(own);
  const auto rate = matrix_rate(view, *spec.precision);
  if (!flops || !rate || ms <= 0) return std::nullopt;
  return *flops / (ms / kMillisecondsPerSecond) / *rate;
}

Rung rung_of(const RunView& view, const Cell& cell, const Ladder& ladder) {
  Rung rung{&cell, change_of(cell.spec, ladder), reason_missing(cell)};
  const Launch* launch = ok_launch(cell);
  if (launch == nullptr) return rung;
  rung.steps_ms = Timed{&cell.spec, launch}.counted(metric::kStep, metric::kTotal);
  if (cell.spec.device == DeviceKind::kCuda) {  // a CPU has operators in their place
    rung.busy_ms = single_milliseconds(*launch, metric::kProfile, metric::kBusy);
    rung.kernels = number(*launch, metric::kProfile, metric::kKernels);
  }
  rung.peak_bytes = number(*launch, metric::kMemory, metric::kPeakAllocated);
  if (const auto ms = single_milliseconds(*launch, metric::kStartUp, metric::kCompile)) {
    rung.compile_s = *ms / kMillisecondsPerSecond;
  }
  const Metric* losses = launch->find(metric::kLosses, metric::kTotal);
  if (losses != nullptr) rung.losses = losses->numbers();
  if (rung.ran()) rung.mfu = mfu_of(view, cell.spec, rung.ms());
  return rung;
}

std::optional<double> floor_of(const RunView& view, const Ladder& ladder) {
  const CellSpec& spec = ladder.rungs.back().cell->spec;
  const Limits limits = measured_limits(view.run());
  const auto flops = step_flops(ladder.rungs.front().cell->spec);
  const auto rate = matrix_rate(view, *spec.precision);
  if (!flops || !rate || !limits.bandwidth || !spec.model) return std::nullopt;
  const double bytes = kOptimizerBytes * static_cast<double>(parameter_count(*spec.model));
  return kMillisecondsPerSecond * (*flops / *rate + bytes / *limits.bandwidth);
}

bool complete(const CellSpec& spec) { return spec.model && spec.precision; }

Ladder& ladder_for(std::vector<Ladder>& all, const CellSpec& spec) {
  const std::string precision(describe(under_autocast(spec) ? *spec.precision : Precision::kFp32));
  const auto found = std::ranges::find_if(all, [&](const Ladder& ladder) {
    return ladder.precision == precision && ladder.rungs.front().cell->spec.model == spec.model;
  });
  if (found != all.end()) return *found;
  return all.emplace_back(Ladder{spec.size, spec.size + " in " + precision, precision, {}});
}

/// True if the GPU idles over half of both steps: such steps vary between processes by as much as a
/// change saves.
bool between_launch_bound(const Gain& gain) {
  return std::min(gain.before->idle_share().value_or(0), gain.after->idle_share().value_or(0)) >
         kMostlyIdle;
}

std::string falls(double from, double to) {
  return fmt::format("falls from {} to {} ms", format_value(from, kThree),
                     format_value(to, kThree));
}

/// Explains why the step saves less time than its kernels do: the GPU's idle time rises.
std::string idle_rise(const Gain& gain) {
  const auto before = gain.before->idle_ms(), after = gain.after->idle_ms();
  if (!before || !after || *after - *before < kNotable * gain.saved_ms()) return "";
  return fmt::format(", while GPU idle time rises from {} to {} ms", format_value(*before, kThree),
                     format_value(*after, kThree));
}

double parameters(const Ladder& ladder) {
  return static_cast<double>(parameter_count(*ladder.rungs.front().cell->spec.model));
}

}  // namespace

double Rung::ms() const { return mean(steps_ms); }

std::optional<double> Rung::idle_ms() const {
  if (!busy_ms || !ran()) return std::nullopt;
  return std::max(0.0, ms() - *busy_ms);
}

std::optional<double> Rung::idle_share() const {
  const auto idle = idle_ms();
  return idle ? std::optional(*idle / ms()) : std::nullopt;
}

const Rung* Ladder::first() const {
  const auto found = std::ranges::find_if(rungs, &Rung::ran);
  return found == rungs.end() ? nullptr : &*found;
}

const Rung* Ladder::best() const {
  const Rung* best = nullptr;
  for (const Rung& rung : rungs) {
    if (rung.ran() && (best == nullptr || rung.ms() < best->ms())) best = &rung;
  }
  return best;
}

std::vector<Ladder> ladders(const RunView& view) {
  std::vector<Ladder> all;
  for (const Cell& cell : view.run().cells) {
    if (cell.spec.kind != CellKind::kLadder || !complete(cell.spec)) continue;
    Ladder& ladder = ladder_for(all, cell.spec);
    ladder.rungs.push_back(rung_of(view, cell, ladder));
  }
  for (Ladder& ladder : all) ladder.floor_ms = floor_of(view, ladder);
  std::ranges::stable_sort(all, {}, [](const Ladder& ladder) {
    return std::pair(parameters(ladder), ladder.precision != describe(Precision::kFp32));
  });
  return all;
}

std::string Gain::saved() const { return format_value(std::abs(saved_ms()), kThree); }

bool Gain::by_launches() const {
  const auto idle = before->idle_ms(), left = after->idle_ms();
  return idle && left && *idle - *left >= saved_ms() / 2;
}

std::vector<Gain> gains(const Ladder& ladder) {
  std::vector<Gain> found;
  const Rung* before = nullptr;
  for (const Rung& rung : ladder.rungs) {
    if (!rung.ran()) continue;
    if (before != nullptr) found.push_back({before, &rung});
    before = &rung;
  }
  return found;
}

std::vector<Gain> largest_gains(const Ladder& ladder, std::size_t most) {
  std::vector<Gain> found = gains(ladder);
  std::erase_if(found, [](const Gain& gain) { return gain.speedup() < kWorthwhile; });
  std::ranges::stable_sort(found, std::greater(), &Gain::saved_ms);
  found.erase(std::ranges::find_if(found, between_launch_bound), found.end());
  found.resize(std::min(found.size(), most));
  return found;
}

std::string because(const Gain& gain) {
  const Rung &before = *gain.before, &after = *gain.after;
  if (gain.by_launches()) {
    return "because GPU idle time " + falls(*before.idle_ms(), *after.idle_ms());
  }
  if (!before.busy_ms || !after.busy_ms) return "";
  const std::string time = "GPU time " + falls(*before.busy_ms, *after.busy_ms) + idle_rise(gain);
  if (before.cell->spec.precision != after.cell->spec.precision) {
    return "because GEMMs run on tensor cores: " + time;
  }
  return "because " + time;
}

const Ladder* advised(const std::vector<Ladder>& all) {
  const Ladder* chosen = nullptr;
  for (const Ladder& ladder : all) {
    if (gains(ladder).empty()) continue;
    const bool larger = chosen == nullptr || parameters(ladder) > parameters(*chosen);
    const bool half = under_autocast(ladder.rungs.front().cell->spec);
    if (larger || (half && parameters(ladder) == parameters(*chosen))) chosen = &ladder;
  }
  return chosen;
}

}  // namespace labreport
