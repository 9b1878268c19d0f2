#include "measure/catalog.h"

#include <ATen/TensorOperators.h>
#include <gmock/gmock.h>

#include <cmath>

#include "measure/attention/clocks.h"
#include "measure/attention/implementation.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::attention_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kHugeLength = 1 << 21;  // its mask alone takes 4 TiB

LaunchRequest request_of(AttentionMethod method, AttentionBackend backend, Precision precision,
                         std::vector<std::int64_t> lengths) {
  LaunchRequest request;
  request.spec.kind = CellKind::kAttention;
  request.spec.device = DeviceKind::kCpu;
  request.spec.batch = 2;
  request.spec.precision = precision;
  request.spec.warmup = 1;
  request.spec.steps = 3;
  request.spec.attention = AttentionSweep{method, backend, 16, 1, std::move(lengths)};
  return request;
}

std::vector<std::string> outcomes(const Launch& launch) {
  std::vector<std::string> outcomes;
  for (const MeasuredRow& row : measured_rows(launch, metric::kAttention)) {
    outcomes.push_back(row.text(column::kOutcome));
  }
  return outcomes;
}

TEST(Attention, KeepsTheTimeOfEachSyncedPass) {
  const Launch launch = measure_attention(
      request_of(AttentionMethod::kSynced, AttentionBackend::kEager, Precision::kFp32, {16, 32}));
  EXPECT_THAT(outcomes(launch), ElementsAre(metric::kRan, metric::kRan));
  EXPECT_EQ(launch.find(metric::kForwardPasses, "32")->numbers().size(), 3u);
  EXPECT_EQ(launch.find(metric::kBackwardPasses, "16")->numbers().size(), 3u);
  const auto rows = measured_rows(launch, metric::kAttention);
  EXPECT_EQ(rows.at(1).number(column::kLength), 32);
  EXPECT_EQ(rows.at(1).number(attention_column(metric::kBackward, "count")), 3);
  EXPECT_FALSE(rows.at(1).number(attention_column(metric::kEndToEnd, "count")));
}

TEST(Attention, CountsBytesSavedForBackward) {
  const Launch launch = measure_attention(
      request_of(AttentionMethod::kSynced, AttentionBackend::kEager, Precision::kFp32, {64}));
  const auto rows = measured_rows(launch, metric::kAttention);
  const double saved_bytes = *rows.at(0).number(column::kBeforeBackwardBytes) -
                             *rows.at(0).number(column::kBeforeForwardBytes);
  // Saved are exponentials and probabilities, 8-byte indices of maxima, sums, and the output.
  EXPECT_EQ(saved_bytes, 2 * (2 * 64 * 64 * 4) + 2 * 64 * (8 + 4) + 2 * 64 * 16 * 4);
  EXPECT_GT(rows.at(0).number(column::kPeakBytes), rows.at(0).number(column::kBeforeBackwardBytes));
}

TEST(Attention, CountsThePeakOfEachPass) {
  const Launch launch = measure_attention(
      request_of(AttentionMethod::kSynced, AttentionBackend::kEager, Precision::kFp32, {64}));
  const auto row = measured_rows(launch, metric::kAttention).at(0);
  const double inputs = *row.number(column::kBeforeForwardBytes);
  const auto tensors_of_scores = [&](std::string_view tag) {
    return (*launch.find(tag, "64")->number() - inputs) / (2 * 64 * 64 * 4);
  };
  EXPECT_EQ(std::floor(tensors_of_scores(metric::kForwardPeak)), 4);
  EXPECT_EQ(std::floor(tensors_of_scores(metric::kBackwardPeak)), 6);
  EXPECT_EQ(launch.find(metric::kBackwardPeak, "64")->number(), row.number(column::kPeakBytes));
}

TEST(Attention, TriesNoLengthAfterRunningOutOfMemory) {
  const Launch launch =
      measure_attention(request_of(AttentionMethod::kSynced, AttentionBackend::kEager,
                                   Precision::kFp32, {16, kHugeLength, 2 * kHugeLength}));
  EXPECT_TRUE(is_ok(launch.outcome));
  EXPECT_THAT(outcomes(launch), ElementsAre(metric::kRan, metric::kOutOfMemory, metric::kNotTried));
  const auto rows = measured_rows(launch, metric::kAttention);
  EXPECT_EQ(rows.at(1).number(column::kRequestedBytes), kHugeLength * kHugeLength);
  EXPECT_FALSE(rows.at(1).number(attention_column(metric::kForward, "count")));
}

TEST(Attention, TimesEveryPassByDoBench) {
  for (const auto backend : {AttentionBackend::kEager, AttentionBackend::kMath}) {
    for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
      const LaunchRequest request = request_of(AttentionMethod::kDoBench, backend, precision, {32});
      const Launch launch = measure_attention(request);
      ASSERT_THAT(outcomes(launch), ElementsAre(metric::kRan)) << name(backend);
      const auto row = measured_rows(launch, metric::kAttention).at(0);
      for (const auto pass : {metric::kForward, metric::kBackward, metric::kEndToEnd}) {
        EXPECT_GT(row.number(attention_column(pass, "median_ns")), 0) << pass;
      }
      EXPECT_EQ(launch.find(metric::kForwardPasses, "32"), nullptr);
      EXPECT_LE(launch.find(metric::kAttentionError, metric::kOutput)->number(),
                attention_tolerance(request.spec));
    }
  }
}

TEST(Attention, TellsWhyABackendIsNotOffered) {
  const Launch launch = measure_attention(
      request_of(AttentionMethod::kDoBench, AttentionBackend::kFlash, Precision::kBf16, {16, 32}));
  EXPECT_THAT(outcomes(launch), ElementsAre(metric::kNotOffered, metric::kNotOffered));
  EXPECT_THAT(measured_rows(launch, metric::kAttention).at(1).text(column::kReason),
              HasSubstr("GPU"));
}

TEST(Attention, TimesOnlyBothPassesTogetherForTheLeaderboard) {
  LaunchRequest request =
      request_of(AttentionMethod::kLeaderboard, AttentionBackend::kMath, Precision::kBf16, {32});
  request.spec.attention->heads = 4;
  const Launch launch = measure_attention(request);
  const auto rows = measured_rows(launch, metric::kAttention);
  EXPECT_GT(rows.at(0).number(attention_column(metric::kEndToEnd, "median_ns")), 0);
  EXPECT_FALSE(rows.at(0).number(attention_column(metric::kForward, "count")));
}

TEST(AttentionErrors, ExceedTheToleranceForAWrongMask) {
  const LaunchRequest request =
      request_of(AttentionMethod::kSynced, AttentionBackend::kEager, Precision::kFp32, {16});
  AttentionInputs inputs = attention_inputs(request.spec, 16, c10::kCPU);
  const auto eager = make_attention(request.spec, c10::kCPU);
  const AttentionErrors eager_errors = attention_errors(*eager, inputs, {.count = 16});
  EXPECT_LT(eager_errors.output, attention_tolerance(request.spec));
  EXPECT_LT(eager_errors.largest_gradient(), attention_tolerance(request.spec));
  EXPECT_GT(eager_errors.output_from_unmasked, 0.05);
  inputs.clear_gradients();
  inputs.mask = inputs.mask.logical_not();  // each query sees only later keys
  EXPECT_FALSE(attention_errors(*eager, inputs, {.count = 16}).output <= 0.05) << "it may be NaN";
}

TEST(AttentionErrors, ConcernTheComparedQueriesOnly) {
  const LaunchRequest request =
      request_of(AttentionMethod::kSynced, AttentionBackend::kEager, Precision::kFp32, {16});
  const AttentionInputs inputs = attention_inputs(request.spec, 16, c10::kCPU);
  const auto eager = make_attention(request.spec, c10::kCPU);
  inputs.mask.narrow(0, 12, 4).fill_(true);  // the last four queries see later keys
  const auto errors = [&](std::int64_t first) {
    inputs.clear_gradients();
    return attention_errors(*eager, inputs, {first, 4});
  };
  EXPECT_GT(errors(12).output, 0.05);
  EXPECT_GT(errors(12).largest_gradient(), 0.05);
  for (const std::int64_t first : {0, 8}) {
    EXPECT_LT(errors(first).output, attention_tolerance(request.spec)) << first;
    EXPECT_LT(errors(first).largest_gradient(), attention_tolerance(request.spec)) << first;
  }
}

TEST(BackendReason, OmitsHeadingsAndDisabledBackends) {
  EXPECT_EQ(
      backend_reason({"Flash attention kernel not used because: (Triggered internally at a.h)",
                      "Expected all of dtype: {Half, BFloat16}. (Triggered internally at b.h)",
                      "Math kernel not used because it has been runtime disabled."},
                     "No available kernel"),
      "Expected all of dtype: {Half, BFloat16}.");
  EXPECT_EQ(backend_reason({}, "No available kernel\nat a.cpp"), "No available kernel");
}

TEST(AttentionClocks, PrepareBeforeEachPass) {
  std::vector<std::string> calls;
  const auto record = [&](const char* call) { return [&, call] { calls.emplace_back(call); }; };
  const SyncedTimes times =
      synced_ns(c10::kCPU, 1, 1, {record("prepare"), record("forward"), record("backward")});
  EXPECT_EQ(times.forward.size(), 1u);
  EXPECT_EQ(times.backward.size(), 1u);
  EXPECT_THAT(calls,
              ElementsAre("prepare", "forward", "backward", "prepare", "forward", "backward"));
  const TimedPass pass{record("prepare"), record("run")};
  EXPECT_EQ(do_bench_ns(c10::kCPU, {0, 0}, pass).size(), 1u);
}

}  // namespace
}  // namespace labreport::attention_test
