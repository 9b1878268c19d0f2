#include "analysis/comparison.h"

#include <gmock/gmock.h>

#include "analysis/compared_runs.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

labreport::Run with_sources(const std::vector<std::string>& sources) {
  labreport::Run run = testing_samples::imported();
  const Cell cell = run.cells.front();
  run.cells.clear();
  for (const std::string& source : sources) {
    run.cells.push_back(cell);
    run.cells.back().launches.front().conditions = {
        text_metric(metric::kProvenance, metric::kSource, source)};
  }
  return run;
}

TEST(Provenance, IsEachTextOnceInTheCellsOrder) {
  EXPECT_THAT(provenance(with_sources({"b", "a", "b"}), metric::kSource), ElementsAre("b", "a"));
}

TEST(Provenance, IsEmptyWhereNothingIsSaid) {
  EXPECT_THAT(provenance(with_sources({"a"}), metric::kTitle), IsEmpty());
  EXPECT_THAT(provenance(testing_samples::three_launches(), metric::kSource), IsEmpty());
}

TEST(Provenance, LeavesOutWhatIsNoText) {
  labreport::Run run = with_sources({"a"});
  run.cells.front().launches.front().conditions = {
      integer_metric(metric::kProvenance, metric::kSource, "1", 1)};
  EXPECT_THAT(provenance(run, metric::kSource), IsEmpty());
}

}  // namespace
}  // namespace labreport
