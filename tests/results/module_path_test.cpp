#include "results/module_path.h"

#include <gtest/gtest.h>

namespace labreport {
namespace {

TEST(ModulePath, LosesItsLayersNumber) {
  EXPECT_EQ(without_layer("layers.31/attn"), "layers/attn");
  EXPECT_EQ(without_layer("layers.0"), "layers");
  EXPECT_EQ(without_layer("lm_head"), "lm_head");
  EXPECT_EQ(without_layer(""), "");
}

}  // namespace
}  // namespace labreport
