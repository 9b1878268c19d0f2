#include "orchestrate/progress.h"

#include <gtest/gtest.h>

#include "orchestrate/run_fixture.h"

namespace labreport::progress_test {
namespace {

CellSpec large_cell() {
  CellSpec spec = fake_cell("large", 512);
  spec.precision = Precision::kBf16;
  spec.mode = Mode::kForwardBackward;
  return spec;
}

Launch launch_with_steps(std::vector<std::int64_t> steps) {
  Launch launch;
  launch.metrics = {sample_metric("step", "total", "ns", std::move(steps))};
  return launch;
}

/// Returns what a display prints into a file, which is no terminal.
std::string printed(const Launch& launch) {
  std::FILE* file = std::tmpfile();
  {
    TerminalDisplay display(file);
    EXPECT_FALSE(display.tick_interval()) << "nothing to draw where nobody looks";
    display.launch_started(large_cell(), {36, 131, 500});
    display.tick({36, 131, 499});
    display.launch_finished(large_cell(), launch, {37, 131, 490});
  }
  std::rewind(file);
  std::string text(1000, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

TEST(Progress, PrintsOnePlainLineForAFinishedLaunch) {
  EXPECT_EQ(printed(launch_with_steps({900'000'000, 116'420'000, 116'710'000, 117'000'000})),
            "[ 37/131]  timing  large   ctx 512   bf16  forward+backward         "
            "116.7 ± 0.3 ms\n");
}

TEST(Progress, ShowsOutcomesInWordsAndWarningsBelow) {
  Launch launch;
  launch.outcome = OutOfMemory{"forward", 2LL << 30, 138LL << 30, {}};
  launch.warnings = {"the worker died of signal 6 (Aborted) after its result was complete",
                     "Traceback (most recent call last):\n  File \"ddp.py\", line 7, in step"};
  const std::string text = printed(launch);
  EXPECT_NE(
      text.find("out of memory in forward: tried to allocate 2.00 GiB with 138.0 GiB allocated\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("\n  warning: the worker died"), std::string::npos) << text;
  EXPECT_EQ(text.find("Traceback"), std::string::npos) << text;
  EXPECT_EQ(text.find('\033'), std::string::npos) << "no colors in a file";
}

TEST(Progress, ShowsThePeakOfAMemoryCell) {
  CellSpec spec = large_cell();
  spec.kind = CellKind::kMemory;
  Launch launch;
  EXPECT_EQ(result_words(spec, launch), "ok");
  launch.metrics = {integer_metric("memory", "peak_allocated", "B", 3LL << 30)};
  EXPECT_EQ(result_words(spec, launch), "peak 3.00 GiB");
}

TEST(Progress, ShowsHowLongAStepsKernelsRan) {
  CellSpec profiled;
  profiled.kind = CellKind::kKernels;
  Launch launch;
  EXPECT_EQ(result_words(profiled, launch), "ok");  // Another program profiled it.
  launch.metrics = {integer_metric("profile", "busy", "ns", 1'122'374'716),
                    integer_metric("profile", "kernels", "1", 9'539)};
  EXPECT_EQ(result_words(profiled, launch), "1,122 ms in 9,539 kernels");
}

TEST(Progress, NamesTheLaddersCompiledRungAsTheReportDoes) {
  CellSpec rung;
  rung.kind = CellKind::kLadder;
  rung.implementation = "pytorch-compiled-loss-graphs-sdpa-fused";
  EXPECT_EQ(cell_words(rung), "ladder  torch.compile");
}

TEST(Progress, ShowsTheLimitsRates) {
  CellSpec limits;
  limits.kind = CellKind::kLimits;
  Launch launch;
  launch.metrics = {real_metric("matrix_rate", "fp32", "flop/s", 52.1e12),
                    real_metric("matrix_rate", "bf16", "flop/s", 701e12),
                    absent_metric("matrix_rate", "fp16", "flop/s", "not on a CPU")};
  EXPECT_EQ(cell_words(limits), "limits");
  EXPECT_EQ(result_words(limits, launch), "fp32 52.1 · bf16 701 TFLOP/s");
}

}  // namespace
}  // namespace labreport::progress_test
