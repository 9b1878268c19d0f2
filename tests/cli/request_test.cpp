// Tests that a request is stored completely and written out like it was given.
#include "results/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "cli/flags.h"
#include "cli/hints.h"
#include "cli/measure.h"

namespace labreport::request_test {
namespace {

using Words = std::vector<std::string>;

Request parsed(Words words) {
  CLI::App verb;
  RunFlags flags;
  add_run_flags(verb, flags, "");
  verb.parse(Words(words.rbegin(), words.rend()));
  return flags;
}

/// True for flags of this invocation only, which do not change what is measured.
bool is_of_invocation(const std::string& flag) {
  return flag == "--help" || flag == "--out" || flag == "--resume" || flag == "--dry-run" ||
         flag == "--keep-host" || flag == "--gpu";
}

TEST(Requests, HaveEveryFlagThatSaysWhatIsMeasured) {
  CLI::App verb;
  RunFlags flags;
  add_run_flags(verb, flags, "");
  for (const CLI::Option* option : verb.get_options()) {
    const std::string flag = flag_name(*option);
    if (is_of_invocation(flag)) continue;
    const bool takes_value = option->get_expected_min() > 0;
    const Words given = takes_value ? Words{flag, "7"} : Words{flag};
    EXPECT_EQ(words_of(parsed(given)), given);
  }
}

TEST(Requests, AreWrittenInAFixedOrder) {
  const Words given{"--steps",   "3",         "--size",    "a=1,2,3,4", "--size",
                    "b=1,2,3,4", "--compile", "--edition", "2026"};
  EXPECT_EQ(words_of(parsed(given)), (Words{"--edition", "2026", "--compile", "--size", "a=1,2,3,4",
                                            "--size", "b=1,2,3,4", "--steps", "3"}));
}

TEST(Requests, TakeOneFlagFromAnother) {
  const Request begun{.sizes = "small", .gpus = "0"};
  const Request other{.sizes = "large", .gpus = "1", .nvtx = true};
  EXPECT_EQ(with_flag(begun, "--gpus", other), (Request{.sizes = "small", .gpus = "1"}));
  EXPECT_EQ(with_flag(begun, "--nvtx", other),
            (Request{.sizes = "small", .gpus = "0", .nvtx = true}));
}

TEST(Hints, NameTargetsAndVariablesIfMakeCalledTheProgram) {
  const std::string command = "resume it with `build/bin/labreport report --out 'a b' --resume`";
  EXPECT_EQ(in_callers_form(command), command);
  setenv("LABREPORT_CALLER", "make", 1);
  EXPECT_EQ(in_callers_form(command), "resume it with `make report OUT='a b' RESUME=1`");
  EXPECT_EQ(in_callers_form("`labreport notes --init` writes one"), "`make notes` writes one");
  EXPECT_EQ(in_callers_form("leave --gpus out; add --edition 2026"),
            "leave GPUS out; add EDITION=2026");
  EXPECT_THAT(in_callers_form("`labreport run --shard 1/2` begins"),
              testing::EndsWith("cli_tests run --shard 1/2` begins"))
      << "no target calls this verb";
  unsetenv("LABREPORT_CALLER");
}

}  // namespace
}  // namespace labreport::request_test
