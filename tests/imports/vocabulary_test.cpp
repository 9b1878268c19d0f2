#include "imports/vocabulary.h"

#include <gtest/gtest.h>

namespace labreport {
namespace {

/// As `describe` has it; empty for what is in no vocabulary.
std::string meaning(std::string_view name) {
  const auto found = meaning_of(name);
  return found ? describe(*found) : "";
}

TEST(Vocabulary, KnowsEachNameThatItLists) {
  for (const std::string& name : vocabulary()) EXPECT_EQ(meaning(name), name);
}

TEST(Vocabulary, KnowsNamesAsPeopleWriteThem) {
  for (const auto& [name, expected] : std::initializer_list<std::pair<const char*, const char*>>{
           {"Model Size", "size"},
           {"seq_len", "context"},
           {"seqLen", "context"},
           {"Sequence Length", "context"},
           {"Warm-up steps", "warmup"},
           {"benchmark_steps", "steps"},
           {"Mixed precision BF16", "use_bf16"},
           {"BF16 mixed precision", "use_bf16"},
           {"pass_type", "mode"},
           {"repo", "source"},
           {"Forward Time Avg", "forward"},
           {"forward (ms)", "forward, ms"},
           {"avgForwardMs", "forward, ms"},
           {"fwd BF16 [µs]", "forward, bf16, us"},
           {"fw σ", "forward_std"},
           {"Backward Time Std", "backward_std"},
           {"forward+backward", "forward_backward"},
           {"bwd + fwd time (s)", "forward_backward, s"},
           {"mean ± std (ms)", "value, ms"},
           {"forward mean ± std", "forward"},
           {"Std Dev", "value_std"},
           {"standard deviation", "value_std"},
           {"avg_time_ms", "value, ms"},
           {"AdamW step", "optimizer"},
           {"full training step", "train_step"},
           {"iteration", "train_step"},
           {"peak memory forward (GiB)", "peak_memory_forward, GiB"},
           {"train step peak mem [MiB]", "peak_memory_train_step, MiB"},
       }) {
    EXPECT_EQ(meaning(name), expected) << name;
  }
}

TEST(Vocabulary, KnowsNoNameWithAnotherWord) {
  for (const char* name :
       {"", "median forward", "forward p95", "nsys_forward_time", "forward kernel time", "speedup",
        "forward (ms) (s)", "forward fp32 bf16", "memory", "peak memory (GiB)", "forward (GB)",
        "backward + optimizer", "inference train step", "peak memory forward std", "BF16"}) {
    EXPECT_EQ(meaning(name), "") << name;
  }
  EXPECT_EQ(meaning("forward " + std::string(2'000, ' ')), "") << "nor one without an end";
}

TEST(Vocabulary, KnowsPrecisionsAndUnits) {
  EXPECT_EQ(precision_named("torch.bfloat16"), Precision::kBf16);
  EXPECT_EQ(precision_named("mixed precision fp16"), Precision::kFp16);
  EXPECT_EQ(precision_named("full"), Precision::kFp32);
  for (const char* text : {"", "mixed", "fp8", "fp32 bf16"}) EXPECT_FALSE(precision_named(text));
  EXPECT_EQ(unit_named("µs"), unit_named("microseconds"));
  for (const char* text : {"", "GB", "kernel", "s s"}) EXPECT_EQ(unit_named(text), nullptr);
}

}  // namespace
}  // namespace labreport
