// `labreport noise` on runs that the fake worker measures: it answers the same every time.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "cli/program_fixture.h"
#include "results/run_json.h"
#include "results/run_store.h"

namespace labreport {
namespace {

using testing::HasSubstr;
using testing::Not;

class NoiseVerb : public ProgramTest {
 protected:
  std::string measure(const std::string& launches) {
    const Ended ended = call({"run", "--preset", "demo", "--sizes", "demo-1", "--only",
                              "benchmarking_script.b", "--launches", launches});
    EXPECT_EQ(ended.exit_status, 0) << ended.messages;
    return ended.output.substr(0, ended.output.size() - 1);
  }
};

TEST_F(NoiseVerb, ARunOfManyLaunchesKeepsItsNoiseFloorAndIsNotSaidToDifferFromItself) {
  const std::string folder = measure("6");
  const auto run = RunStore(folder_ / folder).load();
  ASSERT_TRUE(run.noise_floor);
  EXPECT_EQ(run.noise_floor->degrees, 5 * run.noise_floor->cells);
  const Ended ended = call({"noise", folder, "--per-side", "3"});
  EXPECT_EQ(ended.exit_status, 0) << ended.messages;
  EXPECT_THAT(ended.output,
              HasSubstr("6 launches each, 1,000 random disjoint splits of 3 against 3"));
  EXPECT_THAT(ended.output, HasSubstr("splits with any false row"));
  EXPECT_THAT(ended.output, HasSubstr("1.0100    0.9901")) << "without noise, the smallest effect";
  const Ended again = call({"noise", folder + "/run.json", "--per-side", "3"});
  EXPECT_EQ(again.output, ended.output) << "the seed decides, and a file is a run too";
}

TEST_F(NoiseVerb, JsonHasTheNumbersUnrounded) {
  const Ended ended =
      call({"noise", measure("6"), "--per-side", "3", "--splits", "10", "--format", "json"});
  const auto json = nlohmann::json::parse(ended.output);
  EXPECT_EQ(json["splits"], 10);
  EXPECT_EQ(json["any"]["value"], 0.0);
  EXPECT_GT(json["any"]["upper"].get<double>(), 0.2) << "of ten splits";
  EXPECT_FALSE(json["cells"].empty());
}

TEST_F(NoiseVerb, TooFewLaunchesAreOneLineThatSaysHowMany) {
  const Ended ended = call({"noise", measure("4")});
  EXPECT_EQ(ended.exit_status, 2);
  EXPECT_EQ(ended.messages,
            "labreport: 4 launches of a cell cannot be split into 5 against 5; measure with "
            "--launches 10 or more\n");
}

TEST_F(NoiseVerb, AFewLaunchesCanBeSplitIntoLess) {
  EXPECT_THAT(call({"noise", measure("6")}).messages,
              HasSubstr("--launches 10 or more, or give --per-side 3\n"));
}

TEST_F(NoiseVerb, OneLaunchIsNoNoiseFloor) {
  const std::string folder = measure("1");
  EXPECT_THAT(read_file(folder_ / folder / "run.json"), Not(HasSubstr("noise_floor")));
}

TEST_F(NoiseVerb, ASizesNameIsOnlyText) {
  const auto file = folder_ / measure("6") / "run.json";
  auto run = run_from_json(read_file(file), "run.json");
  for (Cell& cell : run.cells) cell.spec.size = "a<b> [c](d) {{e}}";
  write_atomically(file, to_json(run));
  const Ended ended = call({"noise", file.string(), "--per-side", "3"});
  EXPECT_EQ(ended.exit_status, 0) << ended.messages;
  EXPECT_THAT(ended.output, Not(HasSubstr("\033")));
}

}  // namespace
}  // namespace labreport
