// Calculates the fake worker's results of accumulation, dtypes and layer normalization.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "plan/arithmetic.h"
#include "results/metric_names.h"
#include "results/run.h"
#include "results/table_shapes.h"

namespace labreport {

/// Rounds to a significand of `bits` bits, ties to even, without limits of the exponent.
inline double rounded_to(double value, int bits) {
  if (value == 0) return 0;
  const double last_place = std::ldexp(1.0, std::ilogb(value) - (bits - 1));
  return std::nearbyint(value / last_place) * last_place;
}

struct FakeLoop {
  std::string_view name;
  int sum_bits;
  int addend_bits;
  double addend;
};

inline constexpr FakeLoop kFakeLoops[]{
    {metric::kFp32Loop, 24, 24, 0.01},  {metric::kFp16Loop, 11, 11, 0.01},
    {metric::kMixedLoop, 24, 11, 0.01}, {metric::kCastLoop, 24, 11, 0.01},
    {metric::kBf16Loop, 8, 8, 0.01},    {metric::kExactLoop, 24, 24, 0.5}};

inline void measure_accumulation(Launch& body, const CellSpec& spec) {
  for (const FakeLoop& loop : kFakeLoops) {
    const double addend = rounded_to(loop.addend, loop.addend_bits);
    std::vector<double> sums;
    double sum = 0;
    for (int i = 0; i < 1000; ++i) sums.push_back(sum = rounded_to(sum + addend, loop.sum_bits));
    const std::string name(loop.name);
    body.metrics.push_back(real_metric(metric::kAddend, name, "1", addend));
    body.metrics.push_back({std::string(metric::kRunningSum), name, "1", Samples(sums), ""});
    if (spec.device == DeviceKind::kCpu) continue;
    body.metrics.push_back({std::string(metric::kHostRunningSum), name, "1", Samples(sums), ""});
  }
}

/// Counts as many FLOPs as labreport's network has, and the forward pass a second time.
inline void count_step(Launch& body, const CellSpec& spec) {
  const double forward = forward_flops(*spec.model, *spec.batch, *spec.context);
  for (const auto& [phase, passes] : {std::pair{metric::kForward, 1}, {metric::kBackward, 3}}) {
    body.metrics.push_back(
        integer_metric(metric::kFlops, phase, "1", static_cast<std::int64_t>(passes * forward)));
  }
  body.metrics.push_back(integer_metric(metric::kFlops, metric::kParameters, "1", 4'000'000));
  Table table = empty_table(metric::kDtypes);
  const char* dtype = under_autocast(spec) ? "bfloat16" : "float32";
  for (const auto& [group, words] :
       {std::pair{metric::kParameter, "float32"}, {metric::kProduct, dtype}}) {
    table.rows.push_back({std::string(name(*spec.precision)), std::string(group),
                          std::string("weight"), std::string(words)});
  }
  body.tables.push_back(std::move(table));
}

inline void measure_dtypes(Launch& body, const CellSpec& spec) {
  if (spec.precision) return count_step(body, spec);
  const bool on_gpu = spec.device == DeviceKind::kCuda;
  Table table = empty_table(metric::kDtypes);
  for (const auto& [precision, half] :
       {std::pair{"fp16", "float16"}, std::pair{"bf16", "bfloat16"}}) {
    const auto add = [&](std::string_view group, const char* name, const char* dtype) {
      table.rows.push_back(
          {std::string(precision), std::string(group), std::string(name), std::string(dtype)});
    };
    const char* fp32_on_gpu = on_gpu ? "float32" : half;
    add(metric::kInput, "x", "float32");
    add(metric::kOutput, "fc1", half);
    add(metric::kOutput, "relu", half);
    add(metric::kOutput, "ln", fp32_on_gpu);
    add(metric::kOutput, "fc2", half);
    add(metric::kLossValue, "cross-entropy", "float32");
    add(metric::kLossValue, "mse", "float32");
    add(metric::kLossValue, "sum", fp32_on_gpu);
    add(metric::kLossValue, "mean", half);
    for (const char* name : {"fc1.weight", "fc2.weight"}) {
      add(metric::kParameter, name, "float32");
      add(metric::kGradient, name, "float32");
      add(metric::kOptimizerState, name, "float32");
    }
    add(metric::kNorm, "input", half);
    add(metric::kNorm, "layer_norm", fp32_on_gpu);
    add(metric::kNorm, "rms_norm", half);
    add(metric::kNetwork, "ln1", "float32");
    add(metric::kNetwork, "residual", "float32");
  }
  body.tables.push_back(std::move(table));
}

struct FakeFormat {
  const char* name;
  double rounding_error;  ///< Half a unit in the last place of 1.
  double largest;         ///< The largest finite number.
};

/// Errors grow with the width if sums are rounded. A sum or square beyond the range has no error.
inline std::vector<Scalar> norm_row(const FakeFormat& format, std::string_view method,
                                    std::int64_t width, std::int64_t scale_log2) {
  const double scale = std::ldexp(1.0, static_cast<int>(scale_log2));
  const bool has_fp32_statistics = method == metric::kFp32Statistics;
  const bool square_overflows = !has_fp32_statistics && 16 * scale * scale > format.largest;
  const bool sum_overflows = method == metric::kRounded && !square_overflows &&
                             scale * scale * static_cast<double>(width) > format.largest;
  const double factor = method == metric::kRounded ? std::sqrt(static_cast<double>(width)) : 1.5;
  const double error = has_fp32_statistics ? format.rounding_error / 2
                                           : std::min(0.5, format.rounding_error * factor);
  const bool overflows = square_overflows || sum_overflows;
  const auto unless_overflow = [&](double value) { return overflows ? Scalar() : Scalar(value); };
  const auto count = [](bool happens) { return Scalar(std::int64_t{happens ? 16 : 0}); };
  return {std::string(format.name),
          std::string(method),
          width,
          scale_log2,
          error / 4,
          square_overflows ? Scalar() : Scalar(error / 2),
          unless_overflow(error),
          overflows ? Scalar(1.0) : Scalar(error / 2),
          overflows ? Scalar(0.99) : Scalar(error),
          count(4 * scale > format.largest),
          count(square_overflows),
          count(sum_overflows),
          count(format.largest < 1e6 && scale_log2 < -12)};
}

inline void measure_layer_norm(Launch& body) {
  constexpr std::array formats{FakeFormat{"fp16", 0x1p-11, 65504}, FakeFormat{"bf16", 0x1p-8, 3e38},
                               FakeFormat{"fp32", 0x1p-24, 3e38}};
  Table table = empty_table(metric::kLayerNorm);
  for (const std::int64_t width : {10, 768, 2560}) {
    for (const FakeFormat& format : formats) {
      for (const auto method : {metric::kRounded, metric::kReductions, metric::kFp32Statistics}) {
        for (std::int64_t scale = -24; scale <= 14; ++scale) {
          table.rows.push_back(norm_row(format, method, width, scale));
        }
      }
    }
  }
  body.tables.push_back(std::move(table));
}

}  // namespace labreport
