// Compares one block with the reference's: what it saves for backward, and which operators it runs.
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include "engine/precision.h"
#include "model/transformer.h"
#include "reference/operations.h"
#include "reference/reference_data.h"
#include "reference/saved_tensors.h"

namespace labreport {
namespace {

/// The shape is that of parity_data.py: d_model 32, d_ff 48, 4 heads of width 8, 10 positions.
TransformerBlock make_block() {
  const auto rotary = std::make_shared<const Rotary>(10, 8, at::kCPU);
  return TransformerBlock("layers.0", {32, 48, 1, 4, 1}, rotary, at::kCPU);
}

class SavedTensors : public testing::TestWithParam<std::pair<const char*, Precision>> {};

TEST_P(SavedTensors, OneBlockSavesWhatTheReferenceSaves) {
  const auto [key, precision] = GetParam();
  const TransformerBlock block = make_block();
  const at::Tensor x = at::randn({2, 10, 32}).requires_grad_();
  at::Tensor y;
  const std::vector<std::string> saved = saved_for_backward([&] {
    const AutocastScope autocast(precision, DeviceKind::kCpu);
    y = block.forward(x);
  });
  std::vector<std::string> expected;
  for (const c10::IValue& line : reference_data().at(key).toListRef())
    expected.push_back(line.toStringRef());
  EXPECT_EQ(saved, expected);
}

INSTANTIATE_TEST_SUITE_P(Precisions, SavedTensors,
                         testing::Values(std::pair{"saved/fp32", Precision::kFp32},
                                         std::pair{"saved/bf16", Precision::kBf16}));

std::vector<std::string> reference_operators(const char* key) {
  std::vector<OperatorCall> calls;
  for (const c10::IValue& line : reference_data().at(key).toListRef()) {
    const auto& call = line.toTupleRef().elements();
    calls.push_back({call[0].toInt(), call[1].toStringRef(), call[2].toStringRef()});
  }
  return describe_computing_calls(calls);
}

class Operators : public testing::TestWithParam<std::pair<const char*, Precision>> {};

TEST_P(Operators, OneBlockRunsWhatTheReferenceRunsInItsOrder) {
  const auto [key, precision] = GetParam();
  const TransformerBlock block = make_block();
  const at::Tensor x = at::randn({2, 10, 32}).requires_grad_();
  const at::Tensor gradient = at::ones({2, 10, 32});
  const auto calls = operators_of([&] {
    at::Tensor y;
    {
      const AutocastScope autocast(precision, DeviceKind::kCpu);
      y = block.forward(x);
    }
    y.backward(gradient);
  });
  EXPECT_EQ(describe_computing_calls(calls), reference_operators(key));
}

INSTANTIATE_TEST_SUITE_P(Precisions, Operators,
                         testing::Values(std::pair{"operators/fp32", Precision::kFp32},
                                         std::pair{"operators/bf16", Precision::kBf16}));

}  // namespace
}  // namespace labreport
