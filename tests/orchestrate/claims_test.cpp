// Who measures what: agreed by files, judged by each task's own clock.
#include "orchestrate/claims.h"

#include <unistd.h>

#include <fstream>

#include "base/files.h"
#include "results/session_store.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using testing::ElementsAre;

constexpr seconds kStale{60};

class Claiming : public testing::Test {
 protected:
  Claiming() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("labreport-" + std::string(test->name()) + std::to_string(getpid()));
    fs::remove_all(folder_);
    make_writable_folder(folder_);
  }
  ~Claiming() override { fs::remove_all(folder_); }

  /// A task whose clock began `ahead` of the others'.
  Claims task(const std::string& owner, seconds ahead = seconds(0)) {
    return {folder_, owner, kStale,
            [this, ahead] { return std::chrono::steady_clock::time_point(now_ + ahead); }};
  }

  fs::path folder_;
  seconds now_{1000};
};

TEST_F(Claiming, OneOfTwoGetsANameAndAnotherNameIsFree) {
  Claims first = task("first");
  Claims second = task("second");
  EXPECT_TRUE(first.take("a"));
  EXPECT_FALSE(second.take("a"));
  EXPECT_TRUE(second.take("b"));
  EXPECT_THAT(first.held_by_others(), ElementsAre("b"));
}

TEST_F(Claiming, AReleasedNameIsFreeAtOnce) {
  Claims first = task("first");
  Claims second = task("second");
  ASSERT_TRUE(first.take("a"));
  EXPECT_THAT(second.unreleased(), ElementsAre("first"));
  first.release();
  EXPECT_TRUE(second.unreleased().empty());
  EXPECT_TRUE(second.take("a"));
  EXPECT_FALSE(first.take("a"));
}

TEST_F(Claiming, SignsOfLifeKeepANameHoweverLongItIsHeld) {
  Claims owner = task("owner");
  Claims other = task("other", std::chrono::hours(1));
  ASSERT_TRUE(owner.take("a"));
  for (int minute = 0; minute < 10; ++minute, now_ += kStale / 2) {
    owner.beat();
    EXPECT_FALSE(other.take("a"));
  }
}

TEST_F(Claiming, SilenceIsJudgedByTheObserversOwnClockFromItsFirstLook) {
  Claims owner = task("owner");
  ASSERT_TRUE(owner.take("a"));
  now_ += kStale * 100;  // nobody looked
  Claims other = task("other", -std::chrono::hours(1));
  EXPECT_FALSE(other.take("a"));
  now_ += kStale - seconds(1);
  EXPECT_FALSE(other.take("a"));
  now_ += seconds(1);
  EXPECT_TRUE(other.take("a"));
}

TEST_F(Claiming, TheTimesOfFilesSayNothing) {
  Claims owner = task("owner");
  Claims other = task("other");
  ASSERT_TRUE(owner.take("a"));
  EXPECT_FALSE(other.take("a"));
  for (const auto& entry : fs::directory_iterator(folder_)) {
    fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
  EXPECT_FALSE(other.take("a"));
}

TEST_F(Claiming, OfTwoThatThinkTheOwnerDeadOneTakesOver) {
  Claims owner = task("owner");
  Claims second = task("second");
  Claims third = task("third");
  ASSERT_TRUE(owner.take("a"));
  EXPECT_FALSE(second.take("a"));
  EXPECT_FALSE(third.take("a"));
  now_ += kStale;
  EXPECT_TRUE(second.take("a"));
  EXPECT_FALSE(third.take("a")) << "it judged the first owner, not the second";
}

TEST_F(Claiming, WhoWasTakenForDeadLearnsOfItAndTakesNothingBack) {
  Claims owner = task("owner");
  Claims other = task("other");
  ASSERT_TRUE(owner.take("a"));
  EXPECT_FALSE(other.take("a"));
  now_ += kStale;
  ASSERT_TRUE(other.take("a"));
  EXPECT_THROW(owner.beat(), TakenOver);
  owner.release();
  EXPECT_FALSE(owner.take("a"));
  EXPECT_THAT(owner.held_by_others(), ElementsAre("a"));
}

TEST_F(Claiming, WhatIsBeingWrittenAndWhatIsNoClaimIsLeftOut) {
  std::ofstream(folder_ / "a.1.XaXaXa.part") << "half";
  std::ofstream(folder_ / "notes") << "words";
  Claims task_ = task("task");
  EXPECT_TRUE(task_.held_by_others().empty());
  EXPECT_TRUE(task_.take("a"));
}

TEST_F(Claiming, AFolderThatIsGoneMeansThatTheRunIsMerged) {
  Claims first = task("first");
  Claims second = task("second");
  ASSERT_TRUE(first.take("a"));
  fs::remove_all(folder_);
  EXPECT_FALSE(second.take("b"));
  now_ += kStale;
  EXPECT_THROW(first.beat(), TakenOver);
}

}  // namespace
}  // namespace labreport
