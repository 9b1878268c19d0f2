#include "model/operation.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/function.h>

#include <map>

namespace labreport {
namespace {

/// exp(x) · y in one node.
at::Tensor exp_times(const at::Tensor& x, const at::Tensor& y) {
  Operation operation("ExpTimes", x, y);
  const at::Tensor exponential = at::exp(x);
  operation.keep(exponential, y);
  return operation.finish(exponential * y, [](const at::Tensor& gradient, Kept& kept) {
    const at::Tensor exponential = kept.take(0);
    return std::vector{gradient * kept.take(1) * exponential, gradient * exponential};
  });
}

class OperationTest : public testing::Test {
 protected:
  const at::Tensor x_ = at::zeros({2, 3}).requires_grad_();
  const at::Tensor y_ = (at::ones({2, 3}) * 5).requires_grad_();
};

TEST_F(OperationTest, IsOneNodeWithTheGradientsOfItsParts) {
  const at::Tensor product = exp_times(x_, y_);
  EXPECT_EQ(product.grad_fn()->name(), "ExpTimesBackward");
  EXPECT_EQ(product.grad_fn()->num_outputs(), 2U);
  for (const auto& edge : product.grad_fn()->next_edges()) {
    EXPECT_EQ(edge.function->name(), "torch::autograd::AccumulateGrad");
  }
  product.backward(at::ones({2, 3}));
  EXPECT_TRUE(x_.grad().equal(at::ones({2, 3}) * 5));
  EXPECT_TRUE(y_.grad().equal(at::ones({2, 3})));
}

TEST_F(OperationTest, RecordsNothingWhereNothingIsWanted) {
  EXPECT_FALSE(exp_times(x_.detach(), y_.detach()).requires_grad());
  const c10::NoGradGuard no_grad;
  EXPECT_FALSE(exp_times(x_, y_).requires_grad());
}

TEST_F(OperationTest, LeavesAutogradToWhatFollows) {
  EXPECT_EQ((exp_times(x_, y_) + y_).grad_fn()->name(), "AddBackward0");
}

TEST_F(OperationTest, FreesWhatItKeptWhenItsBackwardIsDone) {
  const at::Tensor product = exp_times(x_, y_);
  const std::size_t before = y_.use_count();
  product.backward(at::ones({2, 3}));
  EXPECT_EQ(y_.use_count(), before - 1);
  EXPECT_THROW(product.backward(at::ones({2, 3})), c10::Error);
}

std::map<std::string, std::int64_t> numbers;

std::unique_ptr<at::ObserverContext> note_number(const at::RecordFunction& function) {
  numbers[function.name()] = function.seqNr();
  return nullptr;
}

TEST_F(OperationTest, ProfilersMatchItsForwardAndBackward) {
  const auto handle = at::addThreadLocalCallback(at::RecordFunctionCallback(note_number));
  const at::Tensor product = exp_times(x_, y_);
  product.backward(at::ones({2, 3}));
  at::removeCallback(handle);
  const auto number = static_cast<std::int64_t>(product.grad_fn()->sequence_nr());
  EXPECT_EQ(numbers.at("ExpTimes"), number);
  EXPECT_EQ(numbers.at("ExpTimesBackward"), number);
  EXPECT_TRUE(numbers.contains("aten::exp"));
}

}  // namespace
}  // namespace labreport
