#include "measure/kernels/trace_file.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace labreport::trace_file_test {
namespace {

/// Returns an operator, a runtime call, and the kernel that they launched.
const Trace& launch_trace() {
  static const Trace trace{
      {TraceKind::kOperator, "aten::mm \"x\"", 1'000, 500, 1, 12, 0, 5, 0},
      {TraceKind::kRuntime, "cudaLaunchKernel", 1'100, 10, 1, 12, 0, -1, 0},
      {TraceKind::kKernel, "gemm", 1'234, 567, 0, 0, 12, -1, 7},
  };
  return trace;
}

std::vector<nlohmann::json> events(const char* type) {
  const std::vector<Attribution> kernels{
      {&launch_trace()[2], "forward", "lm_head", "Linear", "aten::mm"}};
  std::vector<nlohmann::json> found;
  const nlohmann::json file = nlohmann::json::parse(chrome_trace(launch_trace(), kernels));
  for (const nlohmann::json& event : file.at("traceEvents")) {
    if (event.at("ph") == type) found.push_back(event);
  }
  return found;
}

TEST(TraceFile, SeparatesHostAndDeviceAndUsesMicroseconds) {
  const auto slices = events("X");
  ASSERT_EQ(slices.size(), 3u);
  EXPECT_EQ(slices[0].at("name"), "aten::mm \"x\"");
  EXPECT_EQ(slices[0].at("pid"), 0);
  EXPECT_EQ(slices[2].at("pid"), 1);
  EXPECT_EQ(slices[2].at("tid"), 7);
  EXPECT_EQ(slices[2].at("ts"), 1.234);
  EXPECT_EQ(slices[2].at("dur"), 0.567);
}

TEST(TraceFile, GivesAKernelsPhaseAndModule) {
  const nlohmann::json args = events("X")[2].at("args");
  EXPECT_EQ(args.at("phase"), "forward");
  EXPECT_EQ(args.at("module"), "lm_head");
  EXPECT_EQ(args.at("operator"), "aten::mm");
}

TEST(TraceFile, DrawsAnArrowFromTheOperatorToItsKernel) {
  const auto from = events("s");
  const auto to = events("f");
  ASSERT_EQ(from.size(), 1u);
  ASSERT_EQ(to.size(), 1u);
  EXPECT_EQ(from[0].at("ts"), 1.0);
  EXPECT_EQ(to[0].at("ts"), 1.234);
  EXPECT_EQ(from[0].at("id"), to[0].at("id"));
}

TEST(TraceFile, WritesValidJsonForAnEmptyTrace) {
  EXPECT_TRUE(nlohmann::json::accept(chrome_trace({}, {})));
}

}  // namespace
}  // namespace labreport::trace_file_test
