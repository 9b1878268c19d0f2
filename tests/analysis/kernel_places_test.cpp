#include "analysis/kernel_places.h"

#include <gtest/gtest.h>

namespace labreport {
namespace {

std::string place(std::string_view module, std::string_view op = "aten::mul",
                  std::string_view operation = "aten::mul") {
  return place_of(module, operation, op).words();
}

TEST(KernelPlaces, AreRolesWhateverModulesAreCalled) {
  for (const char* module : {"layers/ln1", "blocks/norm2", "h/ln_1", "ln_f", "RMSNorm"}) {
    EXPECT_EQ(place(module), "norms") << module;
  }
  for (const char* module : {"layers/ffn/w1", "h/mlp/c_fc", "blocks/feed_forward", "layers/up"}) {
    EXPECT_EQ(place(module), "feed-forward") << module;
  }
  for (const char* module : {"token_embeddings", "wte", "tokens", "embed"}) {
    EXPECT_EQ(place(module), "embeddings") << module;
  }
  EXPECT_EQ(place("lm_head"), "LM head");
  EXPECT_EQ(place("unembed"), "LM head");
  EXPECT_EQ(place("layers/multi_head_attention"), "attention");
}

TEST(KernelPlaces, ANormInsideAttentionBelongsToAttention) {
  EXPECT_EQ(place("layers/attn/q_norm"), "attention");
}

TEST(KernelPlaces, InAttentionAreWhatTheyAreFor) {
  EXPECT_EQ(place("layers/self_attn", "aten::bmm", "aten::matmul"), "attention: QKᵀ and A·V");
  EXPECT_EQ(place("layers/attn/q_proj", "aten::mm", "aten::linear"), "attention: projections");
  EXPECT_EQ(place("layers/attn/qkv", "aten::addmm", "aten::linear"), "attention: projections");
  EXPECT_EQ(place("layers/attn/wq", "aten::bmm", "aten::einsum"), "attention: projections");
  EXPECT_EQ(place("layers/attn/rotary"), "attention: RoPE");
  EXPECT_EQ(place("layers/attn/scaled dot product attention/computing softmax", "aten::exp"),
            "attention: softmax");
  EXPECT_EQ(place("layers/attn", "aten::_softmax_backward_data", "aten::softmax"),
            "attention: softmax");
  EXPECT_EQ(place("layers/attn", "aten::_flash_attention_forward"), "attention: fused kernel");
}

TEST(KernelPlaces, AreStagesWhereRangesInAttentionTellThem) {
  const std::string scores = "layers/attn/scaled dot product attention/computing attention scores";
  EXPECT_EQ(place(scores, "aten::bmm", "aten::matmul"), "attention: QKᵀ");
  EXPECT_EQ(place(scores, "aten::div"), "attention: scale and mask");
  EXPECT_EQ(place("h/attention/final matmul", "aten::bmm", "aten::matmul"), "attention: A·V");
  EXPECT_EQ(place("h/attention/final matmul", "aten::copy_", "aten::matmul"), "attention");
}

TEST(KernelPlaces, WithoutARoleAreTheModuleItself) {
  EXPECT_EQ(place("layers/mystery"), "layers/mystery");
  EXPECT_EQ(place("layers"), "blocks themselves");
  EXPECT_EQ(place("transformer/h"), "blocks themselves");
  EXPECT_EQ(place(""), "outside of modules");
}

}  // namespace
}  // namespace labreport
