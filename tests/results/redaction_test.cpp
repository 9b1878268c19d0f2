#include "results/redaction.h"

#include <gtest/gtest.h>

namespace labreport::redaction_test {
namespace {

using Words = std::vector<std::string>;

Words redacted_argv(Words argv, const std::string& host) {
  Session session;
  session.argv = std::move(argv);
  redact(session, {.home = "/people/ada", .user = "ada", .host = host});
  return session.argv;
}

TEST(Privacy, KeepsWordsThatEqualTheHostName) {
  for (const char* host : {"run", "labreport", "sizes", "small", "full"}) {
    const Words argv{"labreport", "run", "--preset", "full", "--sizes", "small", "--resume"};
    EXPECT_EQ(redacted_argv(argv, host), argv) << host;
  }
}

TEST(Privacy, RedactsHostAndHomeInPathsAndAddresses) {
  EXPECT_EQ(redacted_argv({"labreport", "run", "--out", "node1", "--notes=/people/ada/node1/x",
                           "--timeout=9", "--out=node1"},
                          "node1.cluster.edu"),
            (Words{"labreport", "run", "--out", "HOST", "--notes=~/HOST/x", "--timeout=9",
                   "--out=HOST"}));
  EXPECT_EQ(redacted_argv({"labreport", "import", "node1.csv", "--source-url",
                           "https://node1.cluster.edu/ada"},
                          "node1.cluster.edu"),
            (Words{"labreport", "import", "HOST.csv", "--source-url", "https://HOST/USER"}));
}

TEST(Privacy, RedactsTheHomeInAModel) {
  Session session;
  session.model = {"Net-0a1b2c3d", "/people/ada/net.py:Net", R"({"weights": "/people/ada/w"})",
                   "/people/ada/net.py:loss", "torch.optim:AdamW"};
  session.request = {.model = "/people/ada/net.py:Net", .own_sizes = {"node1=1,2,3,4"}};
  redact(session, {.home = "/people/ada", .user = "ada", .host = "node1"});
  EXPECT_EQ(session.request.model, "~/net.py:Net");
  EXPECT_EQ(session.request.own_sizes, Words{"node1=1,2,3,4"});
  EXPECT_EQ(session.model->model, "~/net.py:Net");
  EXPECT_EQ(session.model->arguments, R"({"weights": "~/w"})");
  EXPECT_EQ(session.model->loss, "~/net.py:loss");
}

}  // namespace
}  // namespace labreport::redaction_test
