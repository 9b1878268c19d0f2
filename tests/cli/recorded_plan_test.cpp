// Tests the flags of a run that is resumed.
#include "cli/recorded_plan.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "results/sample.h"

namespace labreport::recorded_plan_test {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
using Words = std::vector<std::string>;

Run run_begun_with(Request request) {
  Run run = testing_samples::sample_run();
  run.preset = "quick";
  run.edition = "2026";
  run.sessions.front().request = std::move(request);
  return run;
}

Run interrupted_run() {
  return run_begun_with({.edition = "2026",
                         .preset = "quick",
                         .sizes = "mini,small",
                         .own_sizes = {"mini=64,128,2,2"},
                         .launches = "3",
                         .gpus = "0,1",
                         .keep_env = true,
                         .timeout = "9"});
}

/// Returns the flags with which a command of this request resumes the run.
RunFlags resumed_flags(const Run& run, Request request) {
  RunFlags given;
  static_cast<Request&>(given) = std::move(request);
  given.resume = true;
  return recorded_flags(run, given);
}

TEST(RecordedFlags, AreThoseOfTheFirstCommand) {
  const RunFlags flags = resumed_flags(interrupted_run(), {});
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
}

TEST(RecordedFlags, RequireThatTheCommandNamesTheModel) {
  const labreport::Run run = run_begun_with({.model = "~/net.py:Net", .loss = "net:loss"});
  EXPECT_THAT([&] { resumed_flags(run, {}); },
              ThrowsMessage<InputError>(HasSubstr("command names it; add --model ~/net.py:Net")));
  const RunFlags flags = resumed_flags(run, {.model = "here/net.py:Net"});
  EXPECT_EQ(flags.model, "here/net.py:Net") << "whether it is the same is seen once it is loaded";
  EXPECT_EQ(flags.loss, "net:loss");
}

TEST(RecordedFlags, RequireThatTheCommandNamesTheAttention) {
  const labreport::Run run = run_begun_with({.attention = "flash.py:Flash"});
  EXPECT_THAT(
      [&] { resumed_flags(run, {}); },
      ThrowsMessage<InputError>(HasSubstr("command names it; add --attention flash.py:Flash")));
  EXPECT_EQ(resumed_flags(run, {.attention = "here/flash.py:Flash"}).attention,
            "here/flash.py:Flash");
}

TEST(RecordedFlags, RequireThatTheCommandNamesTheStep) {
  const labreport::Run run = run_begun_with({.step = "train.py:make", .step_args = "{}"});
  EXPECT_THAT([&] { resumed_flags(run, {}); },
              ThrowsMessage<InputError>(HasSubstr("command names it; add --step train.py:make")));
  EXPECT_EQ(resumed_flags(run, {.step = "here/train.py:make"}).step, "here/train.py:make");
}

TEST(RecordedFlags, KeepTheSecondNetwork) {
  const labreport::Run both =
      run_begun_with({.model = "net.py:Net", .second_network = "labreport"});
  EXPECT_EQ(resumed_flags(both, {.model = "net.py:Net"}).second_network, "labreport");
  const labreport::Run alone = run_begun_with({.model = "net.py:Net"});
  EXPECT_THAT([&] { resumed_flags(alone, {.model = "net.py:Net", .second_network = "labreport"}); },
              ThrowsMessage<InputError>(HasSubstr("--and is not what this run was begun with")));
}

TEST(RecordedFlags, IncludeTheDefaultEditionAndPreset) {
  const RunFlags flags = resumed_flags(run_begun_with({}), {});
  EXPECT_EQ(flags.edition, "2026");
  EXPECT_EQ(flags.preset, "quick");
}

TEST(RecordedFlags, AllowRepeatedFlagsOtherGpusAndAnotherTimeout) {
  const RunFlags flags = resumed_flags(
      interrupted_run(), {.edition = "2026", .sizes = "mini,small", .gpus = "1", .timeout = "99"});
  EXPECT_EQ(flags.gpus, "1");
  EXPECT_EQ(flags.timeout, "99");
  EXPECT_EQ(flags.launches, "3");
}

TEST(RecordedFlags, KeepTheHostIfTheRunHasIt) {
  labreport::Run run = interrupted_run();
  EXPECT_FALSE(resumed_flags(run, {}).keep_host);
  run.sessions.front().host = "node7";
  EXPECT_TRUE(resumed_flags(run, {}).keep_host);
}

TEST(RecordedFlags, RefuseFlagsThatChangeThePlan) {
  for (const Request& other : std::vector<Request>{{.edition = "2025"},
                                                   {.preset = "full"},
                                                   {.only = "nsys_profile"},
                                                   {.sizes = "mini,medium"},
                                                   {.own_sizes = {"more=64,128,2,2"}},
                                                   {.contexts = "128"},
                                                   {.precisions = "bf16"},
                                                   {.modes = "forward"},
                                                   {.warmup = "1"},
                                                   {.steps = "1"},
                                                   {.batch = "2"},
                                                   {.vocab = "100"},
                                                   {.launches = "1"},
                                                   {.separate_warmups = true},
                                                   {.nvtx = true},
                                                   {.shard = "1/2"}}) {
    const std::string flag = given_flags(other).front().name;
    EXPECT_THAT([&] { resumed_flags(interrupted_run(), other); },
                ThrowsMessage<InputError>(
                    flag + " is not what this run was begun with; leave it out, or measure anew "
                           "without --resume"));
  }
}

TEST(RecordedFlags, RefuseAnUnreadableRequest) {
  // Redaction may have put "HOST" in the place of a size's name.
  EXPECT_THAT([&] { resumed_flags(run_begun_with({.sizes = "HOST"}), {}); },
              ThrowsMessage<InputError>(HasSubstr("what it was begun with cannot be read")));
}

}  // namespace
}  // namespace labreport::recorded_plan_test
