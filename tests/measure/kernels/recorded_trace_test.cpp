// Tests attribution and classes by one layer of a BF16 step that an H200 ran:
// tests/fixtures/traces.
#include "measure/kernels/recorded_trace.h"

#include <gtest/gtest.h>

#include <set>

#include "measure/kernels/attribution.h"
#include "measure/kernels/kernel_class.h"
#include "measure/kernels/trace_file.h"

namespace labreport::recorded_trace_test {
namespace {

class RecordedStep : public ::testing::Test {
 protected:
  Trace trace_ = read_recorded_trace("h200-one-layer-bf16");
  std::vector<Attribution> kernels_ = attribute(trace_);

  /// Returns the calls of an operator that launched kernels in a phase.
  std::set<std::uint64_t> launching_calls(const std::string& phase, const std::string& op) const {
    std::set<std::uint64_t> correlations;
    for (const Attribution& kernel : kernels_) {
      if (kernel.phase == phase && kernel.inner_op == op)
        correlations.insert(kernel.activity->launched_by);
    }
    return correlations;
  }
};

TEST_F(RecordedStep, EveryActivityOfTheDeviceHasAPhase) {
  EXPECT_GT(kernels_.size(), 200u);
  for (const Attribution& kernel : kernels_) EXPECT_NE(kernel.phase, "") << kernel.activity->name;
}

TEST_F(RecordedStep, ForwardLaunchesEachMatrixProductOnce) {
  EXPECT_EQ(launching_calls("forward", "aten::mm").size(), 7u + 1);
  EXPECT_EQ(launching_calls("forward", "aten::bmm").size(), 2u);
}

TEST_F(RecordedStep, BackwardLaunchesTwoProductsForEachOfForward) {
  EXPECT_EQ(launching_calls("backward", "aten::mm").size(), 2 * (7u + 1));
  EXPECT_EQ(launching_calls("backward", "aten::bmm").size(), 2 * 2u);
  std::set<std::string> modules;
  for (const Attribution& kernel : kernels_) {
    if (kernel.phase != "backward" || kernel.inner_op != "aten::mm") continue;
    EXPECT_EQ(kernel.outer_op, "Linear");
    modules.insert(kernel.module);
  }
  EXPECT_EQ(modules.size(), 7u + 1);
  EXPECT_TRUE(modules.contains("layers.0/attn/output_proj"));
  EXPECT_TRUE(modules.contains("lm_head"));
}

TEST_F(RecordedStep, SoftmaxIsFiveOperationsInItsOwnRange) {
  std::multiset<std::string> operators;
  for (const Attribution& kernel : kernels_) {
    const bool softmax =
        kernel.module.starts_with("layers.0/attn") && kernel.module.ends_with("computing softmax");
    if (softmax && kernel.phase == "forward") operators.insert(kernel.inner_op);
  }
  for (const char* op : {"aten::max", "aten::sub", "aten::exp", "aten::sum", "aten::div"}) {
    EXPECT_EQ(operators.count(op), 1u) << op;
  }
}

TEST_F(RecordedStep, EveryOperatorHasAClass) {
  for (const Attribution& kernel : kernels_) {
    EXPECT_NE(kernel_class(kernel, true), "other") << kernel.inner_op;
  }
}

TEST_F(RecordedStep, TraceFileKeepsWhatAttributionReads) {
  const Trace reread_trace = parse_trace(chrome_trace(trace_, kernels_));
  const std::vector<Attribution> reread_kernels = attribute(reread_trace);
  ASSERT_EQ(reread_kernels.size(), kernels_.size());
  for (std::size_t i = 0; i < reread_kernels.size(); ++i) {
    EXPECT_EQ(reread_kernels[i].module, kernels_[i].module);
    EXPECT_EQ(reread_kernels[i].outer_op, kernels_[i].outer_op);
    EXPECT_EQ(reread_kernels[i].activity->duration_ns, kernels_[i].activity->duration_ns);
  }
}

}  // namespace
}  // namespace labreport::recorded_trace_test
