#include "model/transformer.h"

#include <ATen/Context.h>
#include <ATen/ops/randint.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "plan/editions.h"

namespace labreport::transformer_test {
namespace {

constexpr ModelShape kTiny{.d_model = 16, .d_ff = 24, .layers = 2, .heads = 2, .vocab = 30};

TEST(Transformer, HasTheCalculatedParameterCount) {
  for (const char* edition : {"2025", "2026"}) {
    for (const Size& size : find_edition(edition).sizes) {
      const Transformer model(size.shape, 512, at::kMeta);  // allocates nothing
      EXPECT_EQ(count_bytes(model.parameters()), 4 * parameter_count(size.shape)) << size.name;
    }
  }
}

TEST(Transformer, MapsTokensToLogits) {
  const Transformer model(kTiny, 8, at::kCPU);
  const at::Tensor logits = model.forward(at::randint(30, {3, 5}, at::kLong));
  EXPECT_EQ(logits.sizes(), (at::IntArrayRef{3, 5, 30}));
}

TEST(Transformer, IsCausal) {
  const Transformer model(kTiny, 8, at::kCPU);
  const at::Tensor ids = at::randint(30, {1, 8}, at::kLong);
  const at::Tensor before = model.forward(ids);
  ids[0][7] = (ids[0][7].item<std::int64_t>() + 1) % 30;
  const at::Tensor after = model.forward(ids);
  EXPECT_TRUE(before.narrow(1, 0, 7).allclose(after.narrow(1, 0, 7)));
  EXPECT_FALSE(before[0][7].allclose(after[0][7]));
}

TEST(Transformer, AgreesInLogitsAndGradientsBetweenVariants) {
  const at::Tensor ids = at::randint(30, {3, 8}, at::kLong);
  at::manual_seed(1);
  const Transformer plain(kTiny, 8, at::kCPU);
  const at::Tensor expected = plain.forward(ids);
  plain.loss(expected, ids).backward();
  for (const Variant variant : {Variant::kEinsum, Variant::kSdpa}) {
    at::manual_seed(1);
    const Transformer other(kTiny, 8, at::kCPU, variant);
    const at::Tensor logits = other.forward(ids);
    EXPECT_TRUE(logits.allclose(expected, 1e-4, 1e-5)) << name(variant);
    other.loss(logits, ids).backward();
    for (std::size_t i = 0; i < plain.parameters().size(); ++i) {
      const Parameter& parameter = plain.parameters()[i];
      EXPECT_TRUE(other.parameters()[i].tensor.grad().allclose(parameter.tensor.grad(), 1e-3, 1e-5))
          << name(variant) << " " << parameter.name;
    }
  }
}

TEST(Transformer, NamesParametersByModulePath) {
  const Transformer model(kTiny, 8, at::kCPU);
  EXPECT_EQ(model.parameters().front().name, "token_embeddings.weight");
  EXPECT_EQ(model.parameters().at(2).name, "layers.0.attn.q_proj.weight");
  EXPECT_EQ(model.parameters().back().name, "lm_head.weight");
}

TEST(Transformer, RefusesHeadsThatDoNotDivide) {
  EXPECT_THROW(Transformer({16, 24, 1, 3, 30}, 8, at::kCPU), InputError);
}

TEST(Transformer, RefusesAnOddHeadWidth) {
  EXPECT_THROW(Transformer({18, 24, 1, 2, 30}, 8, at::kCPU), InputError);
}

}  // namespace
}  // namespace labreport::transformer_test
