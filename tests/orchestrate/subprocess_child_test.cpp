// Tests that work in a child returns its text, or ends with one line.
#include "orchestrate/subprocess_child.h"

#include <gmock/gmock.h>

#include <unistd.h>

#include <csignal>
#include <functional>

#include "base/error.h"

namespace labreport::subprocess_child_test {
namespace {

using testing::StartsWith;

constexpr ChildLimits kLimits{.seconds = 20, .bytes = std::int64_t{1} << 30};

std::string refusal(const std::function<std::string()>& work, const ChildLimits& limits = kLimits) {
  try {
    text_from_child(work, limits);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Child, ReturnsTextLongerThanAPipeHolds) {
  const std::string text(1 << 20, 'x');
  EXPECT_EQ(text_from_child([&] { return text; }, kLimits), text);
}

TEST(Child, ChangesNothingHere) {
  int value = 1;
  text_from_child([&] { return std::to_string(value = 2); }, kLimits);
  EXPECT_EQ(value, 1);
}

TEST(Child, RefusesInputAsItsWorkDoes) {
  EXPECT_EQ(refusal([]() -> std::string { throw InputError("no such column", "name another"); }),
            "no such column; name another");
}

TEST(Child, IsEndedAtItsLimits) {
  EXPECT_THAT(refusal(
                  []() -> std::string {
                    while (true) pause();
                  },
                  {.seconds = 1, .bytes = 1 << 30}),
              StartsWith("ended after 1 s"));
  EXPECT_THAT(refusal([] { return std::string(std::size_t{2} << 30, 'x'); }),
              StartsWith("out of memory"));
}

TEST(Child, ReportsItsDeath) {
  EXPECT_EQ(refusal([]() -> std::string { return std::to_string(raise(SIGKILL)); }),
            "ended by signal 9");
}

}  // namespace
}  // namespace labreport::subprocess_child_test
