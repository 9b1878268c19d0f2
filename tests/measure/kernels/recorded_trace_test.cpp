// Attribution and classes over one layer of a BF16 step that an H200 ran; see
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
  Trace trace_ = recorded_trace("h200-one-layer-bf16");
  std::vector<Attributed> kernels_ = attribute(trace_);

  /// Kernels of a phase that an operator launched; a call may launch several.
  std::set<std::uint64_t> calls(const std::string& phase, const std::string& op) const {
    std::set<std::uint64_t> found;
    for (const Attributed& kernel : kernels_) {
      if (kernel.phase == phase && kernel.op == op) found.insert(kernel.activity->linked);
    }
    return found;
  }
};

TEST_F(RecordedStep, EveryActivityOfTheDeviceHasAPhase) {
  EXPECT_GT(kernels_.size(), 200u);
  for (const Attributed& kernel : kernels_) EXPECT_NE(kernel.phase, "") << kernel.activity->name;
}

TEST_F(RecordedStep, AForwardHasTheLayersSevenLinearsAndTwoProductsAndTheHead) {
  EXPECT_EQ(calls("forward", "aten::mm").size(), 7u + 1);
  EXPECT_EQ(calls("forward", "aten::bmm").size(), 2u);
}

TEST_F(RecordedStep, ABackwardHasTwiceTheProductsEachUnderItsForwardsModule) {
  EXPECT_EQ(calls("backward", "aten::mm").size(), 2 * (7u + 1));
  EXPECT_EQ(calls("backward", "aten::bmm").size(), 2 * 2u);
  std::set<std::string> modules;
  for (const Attributed& kernel : kernels_) {
    if (kernel.phase != "backward" || kernel.op != "aten::mm") continue;
    EXPECT_EQ(kernel.operation, "Linear");
    modules.insert(kernel.module);
  }
  EXPECT_EQ(modules.size(), 7u + 1);
  EXPECT_TRUE(modules.contains("layers.0/attn/output_proj"));
  EXPECT_TRUE(modules.contains("lm_head"));
}

TEST_F(RecordedStep, SoftmaxIsFiveOperationsInItsOwnRange) {
  std::multiset<std::string> operators;
  for (const Attributed& kernel : kernels_) {
    const bool softmax =
        kernel.module.starts_with("layers.0/attn") && kernel.module.ends_with("computing softmax");
    if (softmax && kernel.phase == "forward") operators.insert(kernel.op);
  }
  for (const char* op : {"aten::max", "aten::sub", "aten::exp", "aten::sum", "aten::div"}) {
    EXPECT_EQ(operators.count(op), 1u) << op;
  }
}

TEST_F(RecordedStep, NoOperatorIsUnknownToTheClasses) {
  for (const Attributed& kernel : kernels_) {
    EXPECT_NE(kernel_class(kernel, true), "other") << kernel.op;
  }
}

TEST_F(RecordedStep, ATraceFileLosesNothingThatAttributionReads) {
  const Trace again = parsed_trace(chrome_trace(trace_, kernels_));
  const std::vector<Attributed> found = attribute(again);
  ASSERT_EQ(found.size(), kernels_.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].module, kernels_[i].module);
    EXPECT_EQ(found[i].operation, kernels_[i].operation);
    EXPECT_EQ(found[i].activity->duration_ns, kernels_[i].activity->duration_ns);
  }
}

}  // namespace
}  // namespace labreport::recorded_trace_test
