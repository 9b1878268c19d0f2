// Tests the report's summary: it gives a reason only if the run supports it.
#include <gmock/gmock.h>

#include "experiments/sample_runs.h"
#include "plan/datasheet.h"

namespace labreport::summary_test {
namespace {

using testing::AnyOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using namespace testing_samples;

Section first_section(DeviceKind device, const Change& change) {
  PlanInput input = plan_input(Preset::kFull);
  input.device = device;
  input.selection.only = {"benchmarking_script.b", "nsys_profile",
                          "benchmarking_mixed_precision.c"};
  return build_document(fake_run(input, change), false).sections.front();
}

std::string answer(const Change& change = unchanged) {
  return first_section(DeviceKind::kCuda, change).parts.front().answer;
}

/// Replaces the kernels of a profiled training step by GEMMs, 100 ms of backward, and AdamW.
void write_profile(const CellSpec& spec, Launch& launch, double gemms_ms, double optimizer_ms) {
  if (spec.kind != CellKind::kKernels || spec.mode != Mode::kTrainStep) return;
  for (Table& table : launch.tables) {
    if (table.name != metric::kKernels) continue;
    table.rows = {kernel_row(table, metric::kForward, "gemm", gemms_ms),
                  kernel_row(table, metric::kBackward, "elementwise", 100),
                  kernel_row(table, metric::kOptimizer, "elementwise", optimizer_ms)};
  }
}

std::string answer_of_profiles(double fp32_gemms_ms, double bf16_gemms_ms) {
  return answer([=](const CellSpec& spec, Launch& launch) {
    const bool is_fp32 = spec.precision == Precision::kFp32;
    write_profile(spec, launch, is_fp32 ? fp32_gemms_ms : bf16_gemms_ms, 80);
  });
}

TEST(Summary, IgnoresKernelsThatTakeLongerThanTheStep) {
  EXPECT_THAT(answer_of_profiles(30'000, 2'000), Not(HasSubstr("because")));
}

TEST(Summary, NamesTheDataSheetPeaksThatItDividesBy) {
  const auto table = [](const std::string& device) {
    PlanInput input = input_for("benchmarking_mixed_precision.c");
    labreport::Run run = fake_run(input);
    run.devices.front().name = device;
    return build_document(run, false).sections.front().parts.front().tables.front();
  };
  const auto of_fastest_gemm =
      testing::Contains(testing::Field(&ColumnView::title, "Of the fastest GEMM"));
  EXPECT_THAT(table("NVIDIA H200").title,
              EndsWith("; data-sheet peaks: FP32 67, BF16 989.5 TFLOP/s"));
  EXPECT_THAT(table("NVIDIA H200").columns, of_fastest_gemm);
  EXPECT_THAT(table("Another GPU").title, Not(HasSubstr("peak")));
  EXPECT_THAT(table("Another GPU").columns, Not(of_fastest_gemm)) << "MFU is that";
}

TEST(Summary, ConsistsOfWhatPartsAddWithoutATrainingStep) {
  const auto without_train_step = [](const CellSpec& spec, Launch& launch) {
    if (spec.mode == Mode::kTrainStep) end_with(launch, OutOfMemory{"optimizer", 1, 2, 3});
  };
  const Section section = first_section(DeviceKind::kCuda, without_train_step);
  EXPECT_EQ(section.title, "Summary");
  EXPECT_THAT(section.parts.front().answer,
              AllOf(HasSubstr("- **"), Not(HasSubstr("training step"))));
}

TEST(Summary, TellsWhatAUsersNetworkComputes) {
  PlanInput input = plan_input(Preset::kQuick);
  input.selection.model = ModelSource{"Net-0a1b2c3d", "net.py:Net", "", "", ""};
  input.selection.only = {"benchmarking_mixed_precision.c"};
  const auto summary = [&](const Change& change) {
    return build_document(fake_run(input, change), false).sections.front().parts.front();
  };
  const Part counted = summary(unchanged);
  EXPECT_THAT(counted.answer, HasSubstr(" TFLOP/s in BF16, an HFU of "));
  EXPECT_THAT(counted.answer, HasSubstr("It has FP32 parameters and BF16 GEMMs."));
  EXPECT_THAT(counted.tables.front().columns,
              testing::Contains(testing::Field(&ColumnView::title, HasSubstr("HFU"))));
  EXPECT_THAT(lines_of(counted.tables.front()),
              testing::Contains(HasSubstr("FP32 parameters and BF16 GEMMs")));
  const Part hidden = summary([](const CellSpec& spec, Launch& launch) {
    if (spec.kind == CellKind::kDtypes && spec.precision)
      launch.metrics.push_back(text_metric(metric::kHidden, metric::kFlops, "mine::product"));
  });
  EXPECT_THAT(hidden.answer, HasSubstr("The FLOPs of mine::product are not counted."));
  const Part uncounted = summary([](const CellSpec& spec, Launch& launch) {
    if (spec.kind == CellKind::kDtypes) end_with(launch, Failed{"no step today"});
  });
  EXPECT_THAT(uncounted.answer, AllOf(HasSubstr("- **"), Not(HasSubstr("HFU"))));
}

TEST(Summary, NamesNoKernelsOnACpu) {
  const Section section = first_section(DeviceKind::kCpu, [](const CellSpec& spec, Launch& launch) {
    write_profile(spec, launch, 10, 1);
  });
  ASSERT_EQ(section.parts.front().figures.size(), 1u);
  for (const Figure& figure : section.parts.front().figures) {
    EXPECT_THAT(lines_of(figure.table),
                testing::Each(Not(AnyOf(HasSubstr("kernel"), HasSubstr("GPU")))));
  }
}

TEST(DatasheetPeak, IsThatOfDenseMatrices) {
  EXPECT_EQ(datasheet_peak("NVIDIA H200", Precision::kBf16), 989.5e12);
  EXPECT_EQ(datasheet_peak("NVIDIA H100 80GB HBM3", Precision::kTf32), 494.5e12);
  EXPECT_EQ(datasheet_peak("NVIDIA H100 PCIe", Precision::kBf16), 756.5e12);
  EXPECT_EQ(datasheet_peak("NVIDIA A100-SXM4-40GB", Precision::kFp32), 19.5e12);
}

TEST(DatasheetMemory, IsThatOfTheNamedVariant) {
  EXPECT_EQ(datasheet_memory("NVIDIA A100 40GB"), 40.0 * (1 << 30));
  EXPECT_EQ(datasheet_memory("NVIDIA A100-SXM4-80GB"), 80.0 * (1 << 30));
  EXPECT_EQ(datasheet_memory("NVIDIA GeForce RTX 3080"), std::nullopt);
  EXPECT_EQ(datasheet_memory("NVIDIA RTX A1000"), std::nullopt) << "no A100";
  EXPECT_EQ(datasheet_memory("NVIDIA L40"), std::nullopt) << "neither an L4 nor an L40S";
}

TEST(DatasheetBandwidth, IsThatOfTheNamedVariant) {
  EXPECT_EQ(datasheet_bandwidth("NVIDIA H200"), 4800e9);
  EXPECT_EQ(datasheet_bandwidth("NVIDIA H100 80GB HBM3"), 3350e9);
  EXPECT_EQ(datasheet_bandwidth("NVIDIA A100-SXM4-80GB"), 2039e9);
  EXPECT_EQ(datasheet_bandwidth("NVIDIA A100 80GB PCIe"), std::nullopt) << "not listed";
  EXPECT_EQ(datasheet_bandwidth("NVIDIA H200 MIG 1g.18gb"), std::nullopt) << "a slice of one";
}

TEST(DatasheetPeak, IsNotGuessed) {
  EXPECT_EQ(datasheet_peak("Tesla T4", Precision::kBf16), std::nullopt);
  EXPECT_EQ(datasheet_peak("NVIDIA H200 MIG 1g.18gb", Precision::kBf16), std::nullopt)
      << "a slice of one";
  EXPECT_EQ(datasheet_peak("AMD EPYC", Precision::kFp32), std::nullopt);
}

TEST(Datasheet, NamesEachGpuAsItFindsIt) {
  for (const DatasheetGpu& gpu : datasheet_gpus()) {
    EXPECT_EQ(datasheet_gpu(gpu.name)->name, gpu.name);
    EXPECT_TRUE(datasheet_peak(gpu.name, Precision::kFp32)) << gpu.name;
    EXPECT_EQ(gpu.compute_major >= 8, datasheet_peak(gpu.name, Precision::kBf16).has_value())
        << gpu.name;
  }
  EXPECT_EQ(datasheet_gpu("a100 40gb")->gigabytes, 40);
  EXPECT_EQ(datasheet_gpu("Tesla V100-SXM2-16GB")->gigabytes, 16);
  EXPECT_FALSE(datasheet_gpu("B300"));
}

}  // namespace
}  // namespace labreport::summary_test
