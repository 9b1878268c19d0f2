// Tests that a request is stored completely and written out like it was given.
#include "results/request.h"

#include <gtest/gtest.h>

#include "cli/flags.h"
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
         flag == "--keep-host";
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

TEST(Requests, AreWrittenInOneOrderWithEachOwnSize) {
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

}  // namespace
}  // namespace labreport::request_test
