#include "experiments/mixed_precision_accumulation/loops.h"

#include <algorithm>
#include <cmath>

#include "results/metric_names.h"

namespace labreport::mixed_precision_accumulation {
namespace {

constexpr int kFp32Bits = 24;
constexpr int kFp16Bits = 11;
constexpr int kBf16Bits = 8;

const std::vector<Loop>& known_loops() {
  static const std::vector<Loop> loops{
      {metric::kFp32Loop, "FP32 += FP32", kFp32Bits, 0.01, false, 0, {}, {}},
      {metric::kFp16Loop, "FP16 += FP16", kFp16Bits, 0.01, false, 0, {}, {}},
      {metric::kMixedLoop, "FP32 += FP16", kFp32Bits, 0.01, false, 0, {}, {}},
      {metric::kCastLoop, "FP32 += FP16 cast to FP32", kFp32Bits, 0.01, false, 0, {}, {}},
      {metric::kBf16Loop, "BF16 += BF16", kBf16Bits, 0.01, true, 0, {}, {}},
      {metric::kHalvesLoop, "FP32 += halves", kFp32Bits, 0.5, true, 0, {}, {}}};
  return loops;
}

std::vector<double> numbers(const Launch& launch, std::string_view tag, std::string_view name) {
  const Metric* metric = launch.find(tag, name);
  return metric == nullptr ? std::vector<double>() : metric->numbers();
}

}  // namespace

double Loop::error_after(std::size_t additions) const {
  return sums[additions - 1] - static_cast<double>(additions) * value;
}

double Loop::last_ulp() const { return unit_in_last_place(last(), significand); }

double Loop::input_error() const { return static_cast<double>(sums.size()) * (addend - value); }

double unit_in_last_place(double value, int significand) {
  if (value == 0) return 0;  // has no last place
  return std::ldexp(1.0, std::ilogb(value) - (significand - 1));
}

std::vector<Loop> loops_of(const Launch& launch) {
  std::vector<Loop> loops;
  for (Loop loop : known_loops()) {
    loop.sums = numbers(launch, metric::kRunning, loop.name);
    loop.host_sums = numbers(launch, metric::kRunningHost, loop.name);
    const std::vector<double> addend = numbers(launch, metric::kAddend, loop.name);
    if (loop.sums.empty() || addend.empty()) continue;
    loop.addend = addend.front();
    loops.push_back(std::move(loop));
  }
  return loops;
}

const Loop* find(const std::vector<Loop>& loops, std::string_view name) {
  const auto found = std::ranges::find(loops, name, &Loop::name);
  return found == loops.end() ? nullptr : &*found;
}

}  // namespace labreport::mixed_precision_accumulation
