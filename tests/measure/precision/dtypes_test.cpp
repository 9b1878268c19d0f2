#include "measure/catalog.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "results/metric_names.h"

namespace labreport::dtypes_test {
namespace {

Table measure_on_cpu() {
  LaunchRequest request;
  request.spec.kind = CellKind::kDtypes;
  request.spec.device = DeviceKind::kCpu;
  return measure_dtypes(request).tables.front();
}

std::string dtype(const Table& table, const std::string& precision, std::string_view group,
                  const std::string& name) {
  const std::vector<Scalar> key{precision, std::string(group), name};
  const auto row = std::ranges::find_if(table.rows, [&](const std::vector<Scalar>& candidate) {
    return std::equal(key.begin(), key.end(), candidate.begin());
  });
  return row == table.rows.end() ? "none" : std::get<std::string>(row->at(3));
}

TEST(Dtypes, MatrixProductsTakeAutocastsDtypeAndParametersKeepTheirs) {
  const Table table = measure_on_cpu();
  EXPECT_EQ(dtype(table, "fp16", metric::kOutput, "fc1"), "float16");
  EXPECT_EQ(dtype(table, "bf16", metric::kOutput, "fc2"), "bfloat16");
  EXPECT_EQ(dtype(table, "fp16", metric::kParameter, "fc1.weight"), "float32");
  EXPECT_EQ(dtype(table, "fp16", metric::kGradient, "fc1.weight"), "float32");
  EXPECT_EQ(dtype(table, "bf16", metric::kOptimizerState, "fc2.weight.m"), "float32");
}

TEST(Dtypes, RmsNormKeepsTheDtypeOfItsInput) {
  const Table table = measure_on_cpu();
  EXPECT_EQ(dtype(table, "fp16", metric::kNorm, "rms_norm"), "float16");
  EXPECT_EQ(dtype(table, "bf16", metric::kNetwork, "residual"), "float32");
  EXPECT_EQ(dtype(table, "bf16", metric::kNetwork, "ln2"), "float32");
}

TEST(Dtypes, TracesEveryModuleOfTheToyModel) {
  const Table table = measure_on_cpu();
  for (const char* module : {"fc1", "relu", "ln", "fc2"}) {
    EXPECT_NE(dtype(table, "fp16", metric::kOutput, module), "none") << module;
  }
  for (const char* loss : {"cross-entropy", "mse", "sum", "mean"}) {
    EXPECT_NE(dtype(table, "bf16", metric::kLossValue, loss), "none") << loss;
  }
}

}  // namespace
}  // namespace labreport::dtypes_test
