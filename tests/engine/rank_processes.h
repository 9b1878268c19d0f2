// Runs a test in several ranks: the test program starts itself once for each rank.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/not_offered.h"
#include "engine/rank_group.h"

namespace labreport::testing_ranks {

inline constexpr const char* kRankVariable = "LABREPORT_TEST_RANK";

/// Returns the rank as text; null in the process that starts the ranks.
inline const char* own_rank() { return std::getenv(kRankVariable); }

/// Returns the file by which the ranks of the current test find each other.
inline std::filesystem::path store_path() {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  return std::filesystem::path(testing::TempDir()) /
         (std::string(test->test_suite_name()) + "." + test->name() + ".meeting");
}

/// Joins the ranks over Gloo on the CPU.
inline RankGroup& join_gloo_ranks(std::int64_t count) {
  LaunchRequest request;
  request.spec.kind = CellKind::kAllReduce;
  request.spec.device = DeviceKind::kCpu;
  request.spec.ranks = Ranks{count, Collectives::kGloo};
  request.rendezvous = Rendezvous{std::atoi(own_rank()), store_path().string(), 60};
  return RankGroup::join(request);
}

/// Runs the current test in a process for each rank, and fails if one of them fails. Skips the test
/// if the build has no Gloo.
inline void start_ranks(std::int64_t count) {
  std::filesystem::remove(store_path());
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  std::vector<FILE*> pipes;
  for (std::int64_t rank = 0; rank < count; ++rank) {
    const std::string command =
        std::string(kRankVariable) + "=" + std::to_string(rank) + " OMP_NUM_THREADS=1 " + self +
        " --gtest_filter=" + test->test_suite_name() + "." + test->name() + " 2>&1";
    pipes.push_back(popen(command.c_str(), "r"));
  }
  std::string output;
  bool any_failed = false;
  for (FILE* pipe : pipes) {
    for (int letter = fgetc(pipe); letter != EOF; letter = fgetc(pipe)) {
      output += static_cast<char>(letter);
    }
    any_failed = pclose(pipe) != 0 || any_failed;
  }
  EXPECT_FALSE(any_failed) << output;
  if (output.find("[  SKIPPED ]") != std::string::npos) GTEST_SKIP() << output;
}

template <typename Body>
void run_in_ranks(std::int64_t count, const Body& body) {
  if (own_rank() == nullptr) return start_ranks(count);
  try {
    RankGroup& group = join_gloo_ranks(count);
    body(group);
    group.wait_until_all_leave();
  } catch (const NotOffered& reason) {
    GTEST_SKIP() << reason.what();
  }
}

}  // namespace labreport::testing_ranks
