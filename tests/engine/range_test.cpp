#include "engine/range.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "engine/phase.h"

namespace labreport::range_test {
namespace {

struct Recorder : RangeObserver {
  void on_open(std::string_view name) override { events.push_back("+" + std::string(name)); }
  void on_close() override { events.push_back("-"); }
  std::vector<std::string> events;
};

TEST(Range, ReportsNestedRangesInOrder) {
  Recorder recorder;
  {
    const RangeObserverScope scope(recorder);
    const Range outer("forward");
    const Range inner("layers.0");
  }
  EXPECT_EQ(recorder.events, (std::vector<std::string>{"+forward", "+layers.0", "-", "-"}));
}

TEST(Range, ReportsNothingAfterTheScopeEnds) {
  Recorder recorder;
  {
    const RangeObserverScope scope(recorder);
  }
  {
    const Range range("forward");
  }
  EXPECT_TRUE(recorder.events.empty());
}

TEST(RangeObserverScope, RefusesASecondObserver) {
  Recorder first, second;
  const RangeObserverScope scope(first);
  EXPECT_THROW(const RangeObserverScope second_scope(second), Error);
}

TEST(Phases, AreThoseOfTheMode) {
  using Phases = std::vector<Phase>;
  EXPECT_EQ(phases(Mode::kInference), Phases{Phase::kForward});
  EXPECT_EQ(phases(Mode::kForward), Phases{Phase::kForward});
  EXPECT_EQ(phases(Mode::kForwardBackward),
            (Phases{Phase::kForward, Phase::kLoss, Phase::kBackward}));
  EXPECT_EQ(phases(Mode::kTrainStep),
            (Phases{Phase::kForward, Phase::kLoss, Phase::kBackward, Phase::kOptimizer}));
}

}  // namespace
}  // namespace labreport::range_test
