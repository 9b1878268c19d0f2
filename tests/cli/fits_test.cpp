// Tests what the verb says of a step's memory: peak, GPUs and evidence.
#include <gmock/gmock.h>

#include "cli/program_fixture.h"
#include "results/shipped_runs.h"

namespace labreport::fits_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Fits : public ProgramTest {
 protected:
  CompletedProcess fits(std::vector<std::string> words) {
    words.insert(words.begin(), "fits");
    return call(words);
  }
  std::string refusal(std::vector<std::string> words) {
    const CompletedProcess process = fits(std::move(words));
    EXPECT_EQ(process.exit_status, 2) << process.output;
    return process.messages;
  }
};

TEST_F(Fits, ByFormulaAloneIfNoRunIsThere) {
  const CompletedProcess process =
      fits({"--sizes", "small", "--precisions", "bf16", "--contexts", "512"});
  EXPECT_EQ(process.exit_status, 0) << process.messages;
  EXPECT_THAT(
      process.output,
      AllOf(StartsWith("small, training step in BF16, context 512, batch 4: "),
            HasSubstr("\n  fits NVIDIA L4 (24 GB), NVIDIA A100 40GB (40 GB), "),
            HasSubstr("\n  by formula, which no measured peak confirms\n"), Not(HasSubstr("T4"))))
      << "a T4 has no BF16";
}

TEST_F(Fits, SaysMoreThanTheLargestGpu) {
  EXPECT_THAT(fits({"--sizes", "2.7B", "--precisions", "fp32", "--contexts", "2048"}).output,
              HasSubstr("\n  fits none of these GPUs: it needs more than 180 GB\n"));
}

TEST_F(Fits, WithCheckpointsOrSharedStatesNeedsLess) {
  const auto peak = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--sizes", "2.7B", "--precisions", "fp32", "--format", "csv"});
    const std::string csv = fits(more).output;
    EXPECT_THAT(csv, StartsWith("size,d_model,"));
    const std::string row = csv.substr(csv.find('\n') + 1);
    std::size_t start = 0;
    for (int column = 0; column < 14; ++column) start = row.find(',', start) + 1;
    return std::stoll(row.substr(start));  // peak_bytes
  };
  const auto plain = peak({}), with_checkpoints = peak({"--checkpoint", "1"});
  EXPECT_LT(with_checkpoints, plain);
  EXPECT_LT(peak({"--ranks", "2"}), plain);
  EXPECT_GT(peak({"--batch", "8"}), plain);
  EXPECT_GT(with_checkpoints, 40LL << 30) << "parameters, gradients and AdamW's states";
}

TEST_F(Fits, AnswersForOneGpuInItsPrecisions) {
  const std::string text = fits({"--sizes", "small", "--gpu", "tesla t4"}).output;
  EXPECT_THAT(text, AllOf(HasSubstr("in FP16"), HasSubstr("fits NVIDIA T4 (16 GB)\n"),
                          Not(HasSubstr("BF16")), Not(HasSubstr("H100"))));
}

TEST_F(Fits, RefusesInOneLine) {
  EXPECT_THAT(refusal({"--gpu", "NVIDIA H201"}),
              StartsWith("labreport: unknown GPU 'NVIDIA H201'; nearest: NVIDIA H200"));
  EXPECT_THAT(refusal({"--gpu", "T4", "--precisions", "bf16"}),
              StartsWith("labreport: NVIDIA T4 does not compute in BF16"));
  EXPECT_THAT(refusal({"--sizes", "2.8B"}), HasSubstr("unknown size '2.8B'"));
  EXPECT_THAT(refusal({"--checkpoint", "0"}), HasSubstr("--checkpoint is '0'"));
  EXPECT_THAT(refusal({"--sizes", "small", "--checkpoint", "13"}),
              HasSubstr("--checkpoint 13: small has 12 blocks"));
  EXPECT_THAT(refusal({"--checkpoint", "1", "--modes", "inference"}),
              HasSubstr("--checkpoint: inference has no backward pass"));
  EXPECT_THAT(refusal({"--ranks", "2", "--modes", "forward"}),
              HasSubstr("--ranks share AdamW's state, which only a training step has"));
  EXPECT_THAT(refusal({"--format", "xml"}), HasSubstr("unknown format 'xml'"));
  EXPECT_THAT(refusal({"B300"}), HasSubstr("no run is called 'B300'"));
}

TEST_F(Fits, NamesTheRunThatMeasured) {
  std::vector<std::string> words{"--sizes",  "2.7B",         "--contexts",
                                 "512,2048", "--precisions", "fp32"};
  for (const char* place : {"nvidia-h200/2025", "nvidia-h100-80gb-hbm3/2026"}) {
    const auto folders = testing_shipped::shipped_runs(place);
    if (folders.empty()) GTEST_SKIP() << testing_shipped::kNotHere;
    for (const auto& folder : folders) words.push_back(folder.string());
  }
  const std::string text = fits(words).output;
  EXPECT_THAT(text, HasSubstr("context 512, batch 4: 65."));
  EXPECT_THAT(text, HasSubstr("  measured 65."));
  EXPECT_THAT(text, HasSubstr("  ran out of memory on NVIDIA H100 80GB HBM3, "));
  EXPECT_THAT(text, testing::ContainsRegex("by formula, at most [0-9.]+ % off [0-9]+ measured "
                                           "peaks on NVIDIA H200, "));
}

}  // namespace
}  // namespace labreport::fits_test
