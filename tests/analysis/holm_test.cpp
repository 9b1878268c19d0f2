#include "analysis/significance.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

#include "analysis/launch_samples.h"

namespace labreport {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Holm, MultipliesByWhatIsLeftAndNeverFalls) {
  EXPECT_THAT(holm(std::vector<double>{0.01, 0.04, 0.03}),
              ElementsAre(DoubleEq(0.03), DoubleEq(0.06), DoubleEq(0.06)));
}

TEST(Holm, StopsAtOne) {
  EXPECT_THAT(holm(std::vector<double>{0.6, 0.9}), ElementsAre(1.0, 1.0));
  EXPECT_THAT(holm(std::vector<double>{0.6}), ElementsAre(0.6));
  EXPECT_THAT(holm({}), IsEmpty());
}

TEST(Holm, TiesGetTheSame) {
  EXPECT_THAT(holm(std::vector<double>{0.02, 0.01, 0.02}),
              ElementsAre(DoubleEq(0.04), DoubleEq(0.03), DoubleEq(0.04)));
}

TEST(Holm, OrderDoesNotMatter) {
  LaunchSamples samples(1);
  for (int round = 0; round < 100; ++round) {
    std::vector<double> p(6);
    for (double& value : p) value = samples.uniform(0, 0.2);
    std::vector<double> adjusted = holm(p);
    std::vector<double> shuffled = p;
    std::shuffle(shuffled.begin(), shuffled.end(), samples.random());
    const std::vector<double> other = holm(shuffled);
    for (std::size_t i = 0; i < p.size(); ++i) {
      const auto was = std::find(shuffled.begin(), shuffled.end(), p[i]) - shuffled.begin();
      EXPECT_EQ(other[static_cast<std::size_t>(was)], adjusted[i]);
    }
  }
}

}  // namespace
}  // namespace labreport
