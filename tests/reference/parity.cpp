// Compares the network, its loss and its optimizer with the Python reference: parity FILE, where
// parity_data.py wrote FILE.
#include <ATen/TensorOperators.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include "engine/precision.h"
#include "model/adamw.h"
#include "model/training_step.h"
#include "model/transformer.h"
#include "reference/reference_data.h"

namespace labreport {
namespace {

constexpr double kFp32Tolerance = 1e-5;
// BF16 has 8 significant bits, so rounding changes a value by at most 2⁻⁸ of it. Sums in another
// order change the norm by no more.
constexpr double kBf16Tolerance = 1.0 / 256;

class Parity : public testing::TestWithParam<const char*> {
 protected:
  at::Tensor expected(const std::string& key) const {
    return reference_data().at(std::string(GetParam()) + "/" + key).toTensor();
  }

  Transformer load_network() const {
    const at::Tensor shape = expected("shape");
    auto at = [&](int i) { return shape[i].item<std::int64_t>(); };
    Transformer network({at(0), at(1), at(2), at(3), at(4)}, at(5), at::kCPU);
    const c10::NoGradGuard no_grad;
    for (const Parameter& parameter : network.parameters()) {
      parameter.tensor.copy_(expected("weight/" + parameter.name));
    }
    return network;
  }

  void expect_close(const at::Tensor& actual, const std::string& key, double tolerance) const {
    const at::Tensor expected_tensor = expected(key);
    ASSERT_EQ(actual.sizes(), expected_tensor.sizes()) << key;
    EXPECT_EQ(actual.scalar_type(), expected_tensor.scalar_type()) << key;
    const double error = (actual - expected_tensor).to(at::kDouble).norm().item<double>();
    EXPECT_LE(error, tolerance * expected_tensor.to(at::kDouble).norm().item<double>()) << key;
  }

  void expect_same_step(Precision precision, const std::string& prefix, double tolerance) const {
    struct : PhaseObserver {
      void on_phase_end(Phase) override {}
    } observer;
    const Transformer network = load_network();
    TrainingStep step(network, {expected("ids"), expected("targets")},
                      {Mode::kForwardBackward, precision, DeviceKind::kCpu});
    step.run(observer);
    expect_close(step.logits(), prefix + "logits", tolerance);
    expect_close(step.loss(), prefix + "loss", tolerance);
    for (const Parameter& parameter : network.parameters()) {
      expect_close(parameter.tensor.grad(), prefix + "grad/" + parameter.name, tolerance);
    }
  }
};

TEST_P(Parity, HasAParameterForEachOfTheReference) {
  const std::string prefix = std::string(GetParam()) + "/weight/";
  std::size_t count = 0;
  for (const auto& entry : reference_data()) count += entry.key().toStringRef().starts_with(prefix);
  EXPECT_EQ(load_network().parameters().size(), count);
}

TEST_P(Parity, LogitsLossAndGradientsAgreeInFp32) {
  expect_same_step(Precision::kFp32, "", kFp32Tolerance);
}

TEST_P(Parity, LogitsLossAndGradientsAgreeUnderBf16Autocast) {
  expect_same_step(Precision::kBf16, "bf16/", kBf16Tolerance);
}

TEST_P(Parity, AdamWAgreesFromEqualGradients) {
  const Transformer network = load_network();
  for (const Parameter& parameter : network.parameters()) {
    parameter.tensor.mutable_grad() = expected("grad/" + parameter.name);
  }
  AdamW optimizer(network.parameters());
  for (const std::string step : {"after1/", "after2/"}) {
    optimizer.step();
    for (const Parameter& parameter : network.parameters()) {
      expect_close(parameter.tensor.detach(), step + parameter.name, kFp32Tolerance);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Parity,
                         testing::Values("one_block", "shorter_than_context", "wide"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace labreport

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 2) return 2;
  labreport::load_reference_data(argv[1]);
  return RUN_ALL_TESTS();
}
