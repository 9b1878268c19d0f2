#include "experiments/mixed_precision_accumulation/loops.h"

#include <algorithm>
#include <cmath>

#include "results/metric_names.h"

namespace labreport::mixed_precision_accumulation {
namespace {

const std::vector<Loop> kKnownLoops{
    {.name = metric::kFp32Loop, .label = "FP32 += FP32"},
    {.name = metric::kFp16Loop, .label = "FP16 += FP16"},
    {.name = metric::kMixedLoop, .label = "FP32 += FP16"},
    {.name = metric::kCastLoop, .label = "FP32 += FP16 cast to FP32"},
    {.name = metric::kBf16Loop, .label = "BF16 += BF16", .is_extra = true},
    {.name = metric::kExactLoop, .label = "FP32 += halves", .exact_addend = 0.5, .is_extra = true}};

std::vector<double> numbers(const Launch& launch, std::string_view tag, std::string_view name) {
  const Metric* metric = launch.find(tag, name);
  return metric == nullptr ? std::vector<double>() : metric->numbers();
}

}  // namespace

double Loop::error_after(std::size_t additions) const {
  return sums[additions - 1] - static_cast<double>(additions) * exact_addend;
}

double Loop::input_error() const {
  return static_cast<double>(sums.size()) * (addend - exact_addend);
}

std::vector<Loop> loops_of(const Launch& launch) {
  std::vector<Loop> loops;
  for (Loop loop : kKnownLoops) {
    loop.sums = numbers(launch, metric::kRunningSum, loop.name);
    loop.host_sums = numbers(launch, metric::kHostRunningSum, loop.name);
    const std::vector<double> addend = numbers(launch, metric::kAddend, loop.name);
    if (loop.sums.empty() || addend.empty()) continue;
    loop.addend = addend.front();
    loops.push_back(std::move(loop));
  }
  return loops;
}

const Loop* find_loop(const std::vector<Loop>& loops, std::string_view name) {
  const auto found = std::ranges::find(loops, name, &Loop::name);
  return found == loops.end() ? nullptr : &*found;
}

}  // namespace labreport::mixed_precision_accumulation
