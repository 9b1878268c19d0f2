#include "results/module_path.h"

#include <gtest/gtest.h>

namespace labreport::module_path_test {
namespace {

TEST(ModulePath, HasNoLayerNumberAfterRemoval) {
  EXPECT_EQ(without_layer("layers.31/attn"), "layers/attn");
  EXPECT_EQ(without_layer("layers.0"), "layers");
  EXPECT_EQ(without_layer("lm_head"), "lm_head");
  EXPECT_EQ(without_layer("transformer.h.3/experts.12/up"), "transformer.h/experts/up");
  EXPECT_EQ(without_layer("v1.5x"), "v1.5x");
  EXPECT_EQ(without_layer(""), "");
}

TEST(ModulePath, HasALayerNumber) {
  EXPECT_EQ(layer_number("layers.31/attn/q_proj"), 31);
  EXPECT_EQ(layer_number("layers.0"), 0);
  for (const char* outside : {"", "lm_head", "layers", "layers.", "layers.x/attn", "other.3"}) {
    EXPECT_EQ(layer_number(outside), std::nullopt) << outside;
  }
}

}  // namespace
}  // namespace labreport::module_path_test
