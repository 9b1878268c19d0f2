#include "results/cell.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace labreport::cell_test {
namespace {

CellSpec small_step() {
  return {.kind = CellKind::kTiming,
          .device = DeviceKind::kCuda,
          .size = "small",
          .model = ModelShape{768, 3072, 12, 12, 10000},
          .context = 512,
          .batch = 4,
          .precision = Precision::kFp32,
          .mode = Mode::kForwardBackward,
          .warmup = 5,
          .steps = 10};
}

TEST(CellId, IsReadableAndSafeAsAFileName) {
  EXPECT_EQ(cell_id(small_step()),
            "timing.cuda.d768-f3072-l12-h12-v10000.b4.c512.fp32.forward_backward.w5.n10");
}

TEST(CellId, IgnoresTheNameOfTheSize) {
  CellSpec renamed = small_step();
  renamed.size = "xl";
  EXPECT_EQ(cell_id(renamed), cell_id(small_step()));
}

TEST(CellId, DiffersForEveryParameter) {
  CellSpec changed = small_step();
  changed.context = 256;
  EXPECT_NE(cell_id(changed), cell_id(small_step()));
  changed = small_step();
  changed.model->heads = 6;
  EXPECT_NE(cell_id(changed), cell_id(small_step()));
  changed = small_step();
  changed.warmup = 2;
  EXPECT_NE(cell_id(changed), cell_id(small_step()));
}

TEST(CellId, NamesTheImplementationOfAUsersNetwork) {
  CellSpec changed = small_step();
  changed.implementation = "TransformerLM-0a1b2c3d";
  EXPECT_TRUE(cell_id(changed).starts_with("timing.cuda.TransformerLM-0a1b2c3d.d768-"));
  EXPECT_FALSE(same_network_and_batch(changed, small_step()));
}

TEST(CellId, NamesSchemeAndBucketBytes) {
  CellSpec spec;
  spec.kind = CellKind::kDataParallel;
  spec.ranks = Ranks{2, Collectives::kNccl};
  spec.scheme = Scheme::kBucketed;
  spec.bucket_bytes = 10'000'000;
  spec.batch = 2;
  EXPECT_EQ(cell_id(spec), "data_parallel.cuda.nccl.r2.bucketed.k10000000.b2");
  for (const Scheme scheme : kSchemes) EXPECT_EQ(parse_name<Scheme>(name(scheme)), scheme);
}

TEST(CellId, NamesCollectivesAndRankCount) {
  CellSpec spec;
  spec.kind = CellKind::kAllReduce;
  spec.device = DeviceKind::kCpu;
  spec.ranks = Ranks{4, Collectives::kGloo};
  spec.largest_bytes = 1'000'000'000;
  spec.warmup = 5;
  EXPECT_EQ(cell_id(spec), "all_reduce.cpu.gloo.r4.m1000000000.w5");
  EXPECT_TRUE(bytes_are_countable(spec));
  spec.largest_bytes = 10'000'000'000'000'000;
  EXPECT_FALSE(bytes_are_countable(spec));
}

TEST(CellId, NamesTheSharding) {
  CellSpec spec = small_step();
  spec.kind = CellKind::kSharding;
  spec.ranks = Ranks{2, Collectives::kNccl};
  for (const Sharding sharding : kShardings) {
    spec.sharding = sharding;
    EXPECT_NE(cell_id(spec).find(".nccl.r2." + std::string(name(sharding)) + ".b4."),
              std::string::npos);
    EXPECT_EQ(parse_name<Sharding>(name(sharding)), sharding);
  }
}

TEST(CellId, NamesTheAttentionSweep) {
  CellSpec spec;
  spec.kind = CellKind::kAttention;
  spec.batch = 8;
  spec.precision = Precision::kBf16;
  spec.attention =
      AttentionSweep{AttentionMethod::kDoBench, AttentionBackend::kFlash, 64, 1, {128, 256}};
  EXPECT_EQ(cell_id(spec), "attention.cuda.do_bench.flash.d64-h1.s128-256.b8.bf16");
  EXPECT_TRUE(bytes_are_countable(spec));
  spec.attention->lengths = {std::int64_t{1} << 30};
  EXPECT_FALSE(bytes_are_countable(spec));
}

TEST(SameSetting, ComparesNetworkBatchAndPrecision) {
  CellSpec spec;
  spec.model = ModelShape{768, 3072, 12, 12, 10'000};
  spec.context = 512;
  spec.batch = 4;
  spec.precision = Precision::kFp32;
  CellSpec changed = spec;
  changed.mode = Mode::kInference;
  EXPECT_TRUE(same_setting(spec, changed));
  changed.precision = Precision::kBf16;
  EXPECT_TRUE(same_network_and_batch(spec, changed));
  EXPECT_FALSE(same_setting(spec, changed));
  EXPECT_FALSE(under_autocast(spec));
  EXPECT_TRUE(under_autocast(changed));
  changed.context = 256;
  EXPECT_FALSE(same_network_and_batch(spec, changed));
}

TEST(CellNames, RoundTrip) {
  EXPECT_EQ(parse_name<Mode>(name(Mode::kTrainStep)), Mode::kTrainStep);
  EXPECT_EQ(parse_name<Precision>("bf16"), Precision::kBf16);
  EXPECT_EQ(parse_name<CellKind>("limits"), CellKind::kLimits);
  EXPECT_EQ(parse_name<DeviceKind>("cpu"), DeviceKind::kCpu);
}

TEST(CellNames, RefuseUnknownNamesAndListValidNames) {
  try {
    parse_name<Precision>("fp8");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "unknown precision 'fp8'; use one of: fp32, tf32, bf16, fp16");
  }
}

}  // namespace
}  // namespace labreport::cell_test
