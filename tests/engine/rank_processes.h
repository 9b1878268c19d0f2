// Real ranks for tests: the program that runs the test starts itself once a rank.
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

/// The rank that this process is; nothing in the one that starts them.
inline const char* this_rank() { return std::getenv(kRankVariable); }

inline std::filesystem::path meeting() {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  return std::filesystem::path(testing::TempDir()) /
         (std::string(test->test_suite_name()) + "." + test->name() + ".meeting");
}

/// Gloo on the CPU.
inline RankGroup& joined(std::int64_t count) {
  LaunchRequest request;
  request.spec.kind = CellKind::kAllReduce;
  request.spec.device = DeviceKind::kCpu;
  request.spec.ranks = Ranks{count, Collectives::kGloo};
  request.rendezvous = Rendezvous{std::atoi(this_rank()), meeting().string(), 60};
  return RankGroup::join(request);
}

/// Runs the current test once a rank and fails where one of them fails; the test is skipped where
/// this worker was built without Gloo.
inline void start(std::int64_t count) {
  std::filesystem::remove(meeting());
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  std::vector<FILE*> ranks;
  for (std::int64_t rank = 0; rank < count; ++rank) {
    const std::string command =
        std::string(kRankVariable) + "=" + std::to_string(rank) + " OMP_NUM_THREADS=1 " + self +
        " --gtest_filter=" + test->test_suite_name() + "." + test->name() + " 2>&1";
    ranks.push_back(popen(command.c_str(), "r"));
  }
  std::string said;
  bool failed = false;
  for (FILE* rank : ranks) {
    for (int letter = fgetc(rank); letter != EOF; letter = fgetc(rank)) {
      said += static_cast<char>(letter);
    }
    failed = pclose(rank) != 0 || failed;
  }
  EXPECT_FALSE(failed) << said;
  if (said.find("[  SKIPPED ]") != std::string::npos) GTEST_SKIP() << said;
}

/// `body(group)` in each of `count` processes.
template <typename Body>
void among(std::int64_t count, const Body& body) {
  if (this_rank() == nullptr) return start(count);
  try {
    RankGroup& group = joined(count);
    body(group);
    group.leave();
  } catch (const NotOffered& reason) {
    GTEST_SKIP() << reason.what();
  }
}

}  // namespace labreport::testing_ranks
