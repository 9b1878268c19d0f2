#include "model/network.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace labreport::network_test {
namespace {

constexpr ModelShape kTiny{.d_model = 16, .d_ff = 24, .layers = 1, .heads = 2, .vocab = 30};

TEST(NetworkFactory, MakesLabreportsNetworkByDefault) {
  const auto network = make_network({"", kTiny, 8}, at::kCPU);
  EXPECT_EQ(network->parameters().front().name, "token_embeddings.weight");
}

TEST(NetworkFactory, RefusesOtherImplementationsByDefault) {
  EXPECT_THROW(make_network({"TransformerLM-0a1b2c3d", kTiny, 8}, at::kCPU), InputError);
}

TEST(NetworkFactory, ReceivesTheSpec) {
  NetworkSpec received_spec;
  set_network_factory([&](const NetworkSpec& spec, c10::Device) {
    received_spec = spec;
    return nullptr;
  });
  make_network({"TransformerLM-0a1b2c3d", kTiny, 8}, at::kCPU);
  set_network_factory({});
  EXPECT_EQ(received_spec.implementation, "TransformerLM-0a1b2c3d");
  EXPECT_EQ(received_spec.shape, kTiny);
  EXPECT_EQ(received_spec.context, 8);
  EXPECT_TRUE(make_network({"", kTiny, 8}, at::kCPU)) << "labreport's own again";
}

}  // namespace
}  // namespace labreport::network_test
