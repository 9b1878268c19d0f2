// What two runs on processors have in common; runs on GPUs are compared in comparison_test.cpp.
#include "analysis/relation.h"

#include <gmock/gmock.h>

#include "analysis/compared_runs.h"

namespace labreport {
namespace {

using namespace testing_samples;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

labreport::Run on_processor(const std::string& host, std::int64_t cores = 8) {
  labreport::Run run = three_launches();
  Device processor;
  processor.name = "a processor";
  run.devices = {processor};
  run.sessions.front().software.driver.clear();
  run.sessions.front().host = host;
  run.sessions.front().cores = cores;
  return run;
}

TEST(Relation, ProcessorsOfOneRecordedHostAreOneMachine) {
  const Related related = relate(on_processor("lab"), on_processor("lab"));
  EXPECT_EQ(related.relation, Relation::kSameMachine);
  EXPECT_EQ(related.agreement, "CPU, cores and host");
}

TEST(Relation, WithoutARecordedHostNothingIsSaidOfTheMachine) {
  for (const char* host : {"", "lab"}) {
    const Related related = relate(on_processor(host), on_processor(""));
    EXPECT_EQ(related.relation, Relation::kSameProcessor);
    EXPECT_EQ(describe(related.relation), "same CPU model");
    EXPECT_THAT(related.reasons, ElementsAre(HasSubstr("no host is recorded")));
  }
}

TEST(Relation, OtherHostsOrCoresAreOtherMachinesAndNoNameIsRepeated) {
  const Related hosts = relate(on_processor("lab"), on_processor("home"));
  EXPECT_EQ(hosts.relation, Relation::kSameModel);
  EXPECT_THAT(hosts.reasons, ElementsAre("another host"));
  const Related cores = relate(on_processor("", 8), on_processor("", 4));
  EXPECT_EQ(cores.relation, Relation::kSameModel);
  EXPECT_THAT(cores.reasons, ElementsAre("cores 8 against 4"));
}

TEST(Relation, AnotherProcessorIsOtherHardware) {
  labreport::Run other = on_processor("lab");
  other.devices.front().name = "another processor";
  const Related related = relate(on_processor("lab"), other);
  EXPECT_EQ(related.relation, Relation::kDifferentHardware);
  EXPECT_THAT(related.reasons, IsEmpty());
}

}  // namespace
}  // namespace labreport
