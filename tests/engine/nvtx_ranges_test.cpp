#include "engine/nvtx_ranges.h"

#include <gtest/gtest.h>

namespace labreport::nvtx_ranges_test {
namespace {

TEST(NvtxName, KeepsTheNameOfAPhase) {
  EXPECT_EQ(nvtx_name("", "measured"), "measured");
  EXPECT_EQ(nvtx_name("measured", "forward"), "forward");
  EXPECT_EQ(nvtx_name("forward", "lm_head"), "lm_head");
}

TEST(NvtxName, JoinsModulesOfALayerToAPath) {
  EXPECT_EQ(nvtx_name("forward", "layers.3"), "layers.3");
  EXPECT_EQ(nvtx_name("layers.3", "attn"), "layers.3.attn");
  EXPECT_EQ(nvtx_name("layers.3.attn", "q_proj"), "layers.3.attn.q_proj");
}

TEST(NvtxName, KeepsTheNameOfAnOperationInAttention) {
  EXPECT_EQ(nvtx_name("layers.3.attn", "scaled dot product attention"),
            "scaled dot product attention");
  EXPECT_EQ(nvtx_name("scaled dot product attention", "final matmul"), "final matmul");
}

}  // namespace
}  // namespace labreport::nvtx_ranges_test
