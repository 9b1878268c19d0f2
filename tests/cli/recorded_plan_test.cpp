// Which flags a run that is gone on with has.
#include "cli/recorded_plan.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "results/sample.h"

namespace labreport {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
using Words = std::vector<std::string>;

Run begun_by(Words argv) {
  Run run = testing_samples::sample_run();
  run.preset = "quick";
  run.edition = "2026";
  run.sessions.front().argv = std::move(argv);
  return run;
}

Run begun() {
  return begun_by({"labreport", "report",          "--edition", "2026",       "--preset=quick",
                   "--size",    "mini=64,128,2,2", "--sizes",   "mini,small", "--launches",
                   "3",         "--keep-env",      "--gpus",    "0,1",        "--timeout",
                   "9",         "--answers",       "none",      "--out",      "~/x"});
}

TEST(RecordedFlags, AreThoseOfTheFirstCommand) {
  const RunFlags flags = recorded_flags(begun(), {"labreport", "run", "--resume"});
  EXPECT_EQ(flags.edition, "2026");
  EXPECT_EQ(flags.preset, "quick");
  EXPECT_EQ(flags.own_sizes, Words{"mini=64,128,2,2"});
  EXPECT_EQ(flags.sizes, "mini,small");
  EXPECT_EQ(flags.launches, "3");
  EXPECT_EQ(flags.gpus, "0,1");
  EXPECT_EQ(flags.timeout, "9");
  EXPECT_TRUE(flags.keep_env);
  EXPECT_FALSE(flags.nvtx);
  EXPECT_TRUE(flags.resume);
  EXPECT_EQ(flags.out, "") << "where it lies now is the caller's to say";
}

TEST(RecordedFlags, AModelIsCodeAndIsNamedAgain) {
  const auto run = begun_by({"labreport", "run", "--model", "~/net.py:Net", "--loss", "net:loss"});
  const auto resumed = [&](Words argv) { return recorded_flags(run, argv); };
  EXPECT_THAT([&] { resumed({"labreport", "run", "--resume"}); },
              ThrowsMessage<InputError>(HasSubstr("name it again: --model ~/net.py:Net")));
  const RunFlags flags = resumed({"labreport", "run", "--resume", "--model", "here/net.py:Net"});
  EXPECT_EQ(flags.model, "here/net.py:Net") << "whether it is the same is seen once it is loaded";
  EXPECT_EQ(flags.loss, "net:loss");
}

TEST(RecordedFlags, AnAttentionIsCodeToo) {
  const auto run = begun_by({"labreport", "run", "--attention", "flash.py:Flash"});
  EXPECT_THAT([&] { recorded_flags(run, {"labreport", "run", "--resume"}); },
              ThrowsMessage<InputError>(HasSubstr("name it again: --attention flash.py:Flash")));
  const Words again{"labreport", "run", "--resume", "--attention", "here/flash.py:Flash"};
  EXPECT_EQ(recorded_flags(run, again).attention, "here/flash.py:Flash");
}

TEST(RecordedFlags, WhatIsMeasuredBesideAModelStays) {
  const Words model{"--model", "net.py:Net"};
  const auto resumed = [&](const labreport::Run& run, Words more) {
    Words argv{"labreport", "run", "--resume"};
    argv.insert(argv.end(), model.begin(), model.end());
    argv.insert(argv.end(), more.begin(), more.end());
    return recorded_flags(run, argv);
  };
  const auto both = begun_by({"labreport", "run", "--model", "net.py:Net", "--and", "labreport"});
  EXPECT_EQ(resumed(both, {}).beside, "labreport");
  EXPECT_THAT(
      [&] {
        resumed(begun_by({"labreport", "run", "--model", "net.py:Net"}), {"--and", "labreport"});
      },
      ThrowsMessage<InputError>(HasSubstr("--and is not what this run was begun with")));
}

TEST(RecordedFlags, StandWithTheEditionAndPresetThatWereChosenForTheUser) {
  const RunFlags flags = recorded_flags(begun_by({"labreport", "run"}), {"labreport", "run"});
  EXPECT_EQ(flags.edition, "2026");
  EXPECT_EQ(flags.preset, "quick");
}

TEST(RecordedFlags, MayBeRepeatedAndThoseThatChangeNoResultReplaced) {
  const RunFlags flags =
      recorded_flags(begun(), {"labreport", "run", "--resume", "--edition", "2026", "--sizes",
                               "mini,small", "--gpus", "1", "--timeout", "99", "--keep-host"});
  EXPECT_EQ(flags.gpus, "1");
  EXPECT_EQ(flags.timeout, "99");
  EXPECT_TRUE(flags.keep_host);
  EXPECT_EQ(flags.launches, "3");
}

TEST(RecordedFlags, RefuseEachThatChangesTheResultsAndNameTheCommandThatFits) {
  for (const Words& other : std::vector<Words>{{"--edition", "2025"},
                                               {"--preset", "full"},
                                               {"--only", "nsys_profile"},
                                               {"--sizes", "mini,medium"},
                                               {"--size", "more=64,128,2,2"},
                                               {"--contexts", "128"},
                                               {"--precisions", "bf16"},
                                               {"--modes", "forward"},
                                               {"--batch", "2"},
                                               {"--vocab", "100"},
                                               {"--warmup", "1"},
                                               {"--steps", "1"},
                                               {"--launches", "1"},
                                               {"--separate-warmups"},
                                               {"--nvtx"}}) {
    Words argv{"labreport", "run", "--out", "my runs", "--resume"};
    argv.insert(argv.end(), other.begin(), other.end());
    EXPECT_THAT([&] { recorded_flags(begun(), argv); },
                ThrowsMessage<InputError>(
                    HasSubstr(other[0] + " is not what this run was begun with; go on with its own "
                                         "plan by `labreport run --out 'my runs' --resume`")))
        << other[0];
  }
}

TEST(RecordedFlags, OfACommandThatCannotBeReadAreNotGuessed) {
  for (const Words& argv : std::vector<Words>{{},
                                              {"labreport"},
                                              {"labreport", "run", "--no-such-flag"},
                                              {"labreport", "run", "--sizes", "HOST"},
                                              {"labreport", "import", "table.md"}}) {
    EXPECT_THAT([&] { recorded_flags(begun_by(argv), {"labreport", "run", "--resume"}); },
                ThrowsMessage<InputError>(HasSubstr("the command that began it cannot be read")));
  }
}

}  // namespace
}  // namespace labreport
