#include "worker/arguments.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace labreport::arguments_test {
namespace {

TEST(WorkerArguments, TakesBothFilesInAnyOrder) {
  const auto parsed = parse_worker_arguments({"--result", "out", "--request", "in"});
  EXPECT_EQ(parsed.request, "in");
  EXPECT_EQ(parsed.result, "out");
  EXPECT_FALSE(parsed.print_version);
}

TEST(WorkerArguments, ReadsTheNvtxFlag) {
  EXPECT_TRUE(parse_worker_arguments({"--nvtx", "--request", "in", "--result", "out"}).nvtx);
  EXPECT_FALSE(parse_worker_arguments({"--request", "in", "--result", "out"}).nvtx);
}

TEST(WorkerArguments, TakesVersionAlone) {
  EXPECT_TRUE(parse_worker_arguments({"--version"}).print_version);
  EXPECT_THROW(parse_worker_arguments({"--version", "--request", "in"}), InputError);
}

TEST(WorkerArguments, RefusesAnythingElse) {
  const std::vector<std::vector<std::string>> bad = {
      {},
      {"--request"},
      {"--request", ""},
      {"--request", "in"},
      {"--request", "in", "--request", "in", "--result", "out"},
      {"--request", "in", "--result", "out", "more"},
  };
  for (const auto& arguments : bad) EXPECT_THROW(parse_worker_arguments(arguments), InputError);
}

}  // namespace
}  // namespace labreport::arguments_test
