// Tests the formulas of the parallel training problems, and answers that also need a run.
#include "experiments/parallel_arithmetic/formulas.h"

#include <gmock/gmock.h>

#include <cmath>

#include "experiments/sample_runs.h"

namespace labreport::parallel_arithmetic_test {
namespace {

using namespace parallel_arithmetic;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using namespace testing_samples;

constexpr Mesh kMesh{.fsdp = 16, .tensor = 4, .fsdp_axes = 2, .tensor_axes = 1};
constexpr Rates kTpu{.flops_per_second = 4.6e14, .bytes_per_second = 1.8e11};
constexpr SwiGluLayer kXl{.width = 2560, .inner = 10240, .tokens = 2048};
// Its intensity α is 2,000 FLOP/B.
constexpr Rates kGpu{.flops_per_second = 6e14, .bytes_per_second = 3e11};

TEST(Xxl, Holds3518GBOn44H100) {
  EXPECT_NEAR(kXxl.parameters(), 219.85e9, 0.01e9);
  EXPECT_NEAR(kXxl.state_bytes(), 3517.6e9, 0.1e9);
  EXPECT_NEAR(kXxl.state_bytes() / std::pow(2, 30), 3276, 0.5);
  EXPECT_EQ(least_devices(kXxl, 80e9, 0), 44);
  EXPECT_EQ(kXxl.saved_bytes_per_token(), 17'547'264);
}

TEST(Xxl, FitsOn38DevicesAndOnMoreWithTokens) {
  EXPECT_EQ(least_devices(kXxl, 95e9, 0), 38);
  EXPECT_LT(sharded_bytes(kXxl, 38, 0), 95e9);
  EXPECT_GT(sharded_bytes(kXxl, 37, 0), 95e9);
  const double activation_bytes = 4096 * kXxl.saved_bytes_per_token();
  const auto devices = static_cast<double>(least_devices(kXxl, 95e9, activation_bytes));
  EXPECT_GT(devices, 38);
  EXPECT_LT(sharded_bytes(kXxl, devices, activation_bytes), 95e9);
  EXPECT_GE(sharded_bytes(kXxl, devices - 1, activation_bytes), 95e9);
  EXPECT_EQ(least_devices(kXxl, 95e9, 200e9), 0) << "half of them stays on each device";
}

TEST(Xxl, IsBoundByComputeFrom245TokensADevice) {
  EXPECT_NEAR(kTpu.intensity(), 2556, 0.5);
  const double tokens = least_tokens_at_best_x(kTpu, kMesh, kXxl.inner);
  EXPECT_NEAR(tokens, 245, 0.5);
  EXPECT_NEAR(tokens * kMesh.devices(), 15.7e3, 50);
}

TEST(Xxl, IsBoundByComputeAtAnyBatchIfTheBestXIsBelowOneDevice) {
  const Mesh gpus{.fsdp = 16, .tensor = 4};
  // The best X is one device at this α, because the best X is 2 α N / d_ff.
  const double alpha_bound = kXxl.inner / (2 * gpus.devices());
  EXPECT_EQ(least_tokens_at_best_x({.flops_per_second = 0.99 * alpha_bound, .bytes_per_second = 1},
                                   gpus, kXxl.inner),
            0);
  EXPECT_GT(least_tokens_at_best_x({.flops_per_second = 1.01 * alpha_bound, .bytes_per_second = 1},
                                   gpus, kXxl.inner),
            0);
  Mesh tensor_only = gpus;
  tensor_only.fsdp = 1, tensor_only.tensor = gpus.devices();
  // This SwiGLU layer has as many FLOPs as the two linear layers.
  const SwiGluLayer equal_flops{.width = 1, .inner = kXxl.inner * 2 / 3, .tokens = 1};
  const PassTimes times =
      tensor_forward(equal_flops, tensor_only.tensor,
                     {.flops_per_second = 0.99 * alpha_bound, .bytes_per_second = 1});
  EXPECT_GT(times.compute_seconds, times.traffic_seconds);
}

TEST(RingAllReduce, IsNHalvesFasterThanGathering) {
  for (const double n : {2., 4., 6., 8.}) {
    EXPECT_NEAR(gathered_all_reduce_seconds(n, 1e9, 3e11) / ring_all_reduce_seconds(n, 1e9, 3e11),
                n / 2, 1e-12);
  }
  EXPECT_NEAR(gathered_all_reduce_seconds(4, 1e9, 3e11), 0.01, 1e-12);
}

TEST(Passes, ComputeAndSendWhatTheFormulasSay) {
  const double bdf = 2048. * 2560 * 10240, df = 2560. * 10240, bd = 2048. * 2560;
  const auto expect = [&](const PassTimes& pass, double flops, double bytes, const char* what) {
    EXPECT_NEAR(pass.compute_seconds, flops / 4 / kGpu.flops_per_second, 1e-12) << what;
    EXPECT_NEAR(pass.traffic_seconds, bytes / 4 / kGpu.bytes_per_second, 1e-12) << what;
  };
  expect(data_parallel_backward(kXl, 4, kGpu), 12 * bdf, 12 * 3 * df, "data parallel");
  expect(fsdp_forward(kXl, 4, kGpu), 6 * bdf, 6 * 3 * df, "FSDP, forward");
  expect(fsdp_backward(kXl, 4, kGpu), 12 * bdf, 12 * 3 * df, "FSDP, backward");
  expect(tensor_forward(kXl, 4, kGpu), 6 * bdf, 4 * 3 * bd, "tensor, forward");
  expect(tensor_backward(kXl, 4, kGpu), 12 * bdf, 4 * 3 * bd, "tensor, backward");
  expect(fsdp_tensor_forward(kXl, 2, 2, kGpu), 6 * bdf, std::max(6 * df, 4 * bd), "both");
}

TEST(Bounds, AreWhereComputeAndTrafficMeet) {
  const auto expect_even = [](const PassTimes& pass) {
    EXPECT_NEAR(pass.compute_seconds, pass.traffic_seconds, 1e-12);
  };
  const double batch = max_devices_without_tp(kXl, kGpu);
  EXPECT_DOUBLE_EQ(batch, 1 + 2048 / 2000.);
  expect_even(data_parallel_backward(kXl, batch, kGpu));
  expect_even(fsdp_forward(kXl, batch, kGpu));
  expect_even(fsdp_backward(kXl, batch, kGpu));
  const double tensor = max_devices_tensor_forward(kXl, kGpu);
  EXPECT_DOUBLE_EQ(tensor, 1 + 1.5 * 10240 / 2000);
  expect_even(tensor_forward(kXl, tensor, kGpu));
  expect_even(tensor_backward(kXl, max_devices_tensor_backward(kXl, kGpu), kGpu));
  expect_even(fsdp_tensor_forward(kXl, batch, tensor, kGpu));
  EXPECT_DOUBLE_EQ(max_devices_side_by_side(kXl, kGpu), batch * tensor);
}

TEST(Bounds, AreTheBestSplitsInTurn) {
  const double most = max_devices_in_turn(kXl, kGpu);
  const double b = 2048, f = 10240;
  EXPECT_NEAR(most, std::pow(3 * b * f / 2000 + 3 * f + 2 * b, 2) / (24 * b * f), 1e-9);
  EXPECT_LT(most, max_devices_side_by_side(kXl, kGpu));
}

TEST(ArithmeticPlan, MeasuresCAndW) {
  const auto specs = planned(input_for("communication_accounting"));
  ASSERT_EQ(specs.size(), 2u);
  EXPECT_EQ(specs[0].kind, CellKind::kLimits);
  EXPECT_EQ(cell_id(specs[1]), "all_reduce.cuda.nccl.r2.m1073741824.w5.n20");
}

Part answered_part(const char* problem, const char* edition, const Change& change = unchanged) {
  return part_of(fake_run(input_for(problem, Preset::kFull, edition), change), problem);
}

void without_second_gpu(const CellSpec& spec, Launch& launch) {
  if (spec.kind == CellKind::kAllReduce) end_with(launch, Skipped{"this host has 1 GPU"});
}

TEST(ArithmeticAnswers, CompareTheMachinesRatesWithTheHandouts) {
  const auto run = fake_run(input_for("communication_accounting"));
  const std::string answer = part_of(run, "communication_accounting.c").answer;
  EXPECT_THAT(answer, AllOf(HasSubstr("**245 tokens a device**"), HasSubstr("**15.7 k tokens**"),
                            HasSubstr("at $X = 16$ it is 319 tokens"),
                            HasSubstr("and 395 one after the other"), HasSubstr("= 2,556"),
                            HasSubstr("(BF16; NCCL, 2 ranks)"), HasSubstr("W = 300 GB/s (fitted)"),
                            Not(HasSubstr("is missing"))));
  EXPECT_THAT(answer, HasSubstr("α is 93 and the forward pass is compute-bound **at any batch**"));
}

/// Makes all-reduces of at least `bytes` take `factor` times as long.
Change slower_from(std::int64_t bytes, double factor) {
  return each_row(metric::kAllReduce, [=](const NamedRow& row) {
    if (row.number(column::kBytes) < bytes) return;
    for (const auto name : kTimeStatistics) {
      if (name != column::kCount) row.scale(name, factor);
    }
  });
}

TEST(ArithmeticAnswers, TakeTheLargestSizesRateIfTheFitMissesASize) {
  const auto fitted = HasSubstr("(fitted)");
  EXPECT_THAT(answered_part("data_parallel_calcs", "2026").answer, fitted);
  EXPECT_THAT(answered_part("data_parallel_calcs", "2026", slower_from(100'000'000, 20)).answer,
              AllOf(HasSubstr("busbw at 1.00 GiB"), Not(fitted)));
}

TEST(ArithmeticAnswers, BoundTheBatchIfTheMachineSendsSlowly) {
  const auto run = fake_run(input_for("communication_accounting"), slower_from(0, 100));
  EXPECT_THAT(part_of(run, "communication_accounting.c").answer,
              AllOf(HasSubstr("tokens a device on**."), Not(HasSubstr("at any batch"))));
}

TEST(ArithmeticAnswers, SayWhatTheMachineLacks) {
  const auto run = fake_run(input_for("communication_accounting"), without_second_gpu);
  EXPECT_THAT(part_of(run, "communication_accounting.c").answer,
              AllOf(HasSubstr("**245 tokens a device**"), Not(HasSubstr("TFLOP/s")),
                    HasSubstr("is missing: all-reduce over NCCL, 2 ranks: skipped: this host "
                              "has 1 GPU")));
}

TEST(ArithmeticAnswers, SayWhatTheMachineLacksIn2026) {
  for (const char* problem : {"data_parallel_calcs", "fsdp_calcs", "tp_calcs", "fsdp_tp_calcs"}) {
    EXPECT_THAT(answered_part(problem, "2026", without_second_gpu).answer,
                HasSubstr("this host has 1 GPU"))
        << problem;
  }
}

TEST(ArithmeticAnswers, SayIfTheyAreOnlyCalculated) {
  const auto run = fake_run(input_for("communication_accounting"));
  const auto without_egress = fake_run(input_for("communication_accounting"), without_second_gpu);
  for (const char* part : {"a", "b", "d"}) {
    EXPECT_TRUE(part_of(run, std::string("communication_accounting.") + part).calculated);
  }
  EXPECT_FALSE(part_of(run, "communication_accounting.c").calculated);
  EXPECT_TRUE(part_of(without_egress, "communication_accounting.c").calculated);
  EXPECT_FALSE(answered_part("fsdp_calcs", "2026").calculated);
  EXPECT_TRUE(answered_part("fsdp_calcs", "2026", without_second_gpu).calculated);
  EXPECT_TRUE(answered_part("alternate_ring_all_reduce", "2026").calculated)
      << "its table alone has the machine's times";
}

TEST(ArithmeticAnswers, BelongToTheirEdition) {
  EXPECT_THROW(part_of(fake_run(input_for("data_parallel_calcs", Preset::kFull, "2026")),
                       "communication_accounting"),
               std::runtime_error);
}

}  // namespace
}  // namespace labreport::parallel_arithmetic_test
