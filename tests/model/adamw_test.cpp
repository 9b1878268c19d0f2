#include "model/adamw.h"

#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>

namespace labreport::adamw_test {
namespace {

at::Tensor trainable(double value) { return at::tensor({value}, at::kDouble).requires_grad_(); }

void set_gradient(const at::Tensor& parameter, double value) {
  parameter.mutable_grad() = at::tensor({value}, at::kDouble);
}

/// Computes AdamW for one weight, in doubles.
class ScalarAdamW {
 public:
  ScalarAdamW(double weight, AdamWOptions options) : weight_(weight), options_(options) {}

  double step(double gradient) {
    ++t_;
    weight_ -= options_.learning_rate * options_.weight_decay * weight_;
    m_ = options_.beta1 * m_ + (1 - options_.beta1) * gradient;
    v_ = options_.beta2 * v_ + (1 - options_.beta2) * gradient * gradient;
    const double rate = options_.learning_rate * std::sqrt(1 - std::pow(options_.beta2, t_)) /
                        (1 - std::pow(options_.beta1, t_));
    return weight_ -= rate * m_ / (std::sqrt(v_) + options_.epsilon);
  }

 private:
  double weight_;
  AdamWOptions options_;
  double m_ = 0, v_ = 0;
  int t_ = 0;
};

TEST(AdamW, EqualsScalarAdamWOverSeveralSteps) {
  const AdamWOptions options{.learning_rate = 0.1, .weight_decay = 0.3};
  const at::Tensor parameter = trainable(1.5);
  AdamW optimizer({{"p", parameter}}, options);
  ScalarAdamW expected(1.5, options);
  for (const double gradient : {0.4, -2.0, 0.01, 1e-9}) {
    set_gradient(parameter, gradient);
    optimizer.step();
    EXPECT_NEAR(parameter.item<double>(), expected.step(gradient), 1e-12);
  }
}

TEST(AdamW, LeavesAParameterWithoutGradientAlone) {
  const at::Tensor parameter = trainable(1.0);
  AdamW({{"p", parameter}}).step();
  EXPECT_EQ(parameter.item<double>(), 1.0);
}

TEST(AdamW, UpdatesInPlaceWithoutRecording) {
  const at::Tensor parameter = trainable(1.0);
  const void* before = parameter.data_ptr();
  set_gradient(parameter, 1.0);
  AdamW({{"p", parameter}}).step();
  EXPECT_EQ(parameter.data_ptr(), before);
  EXPECT_TRUE(parameter.is_leaf());
}

}  // namespace
}  // namespace labreport::adamw_test
