#include "orchestrate/capture.h"

#include <gtest/gtest.h>

namespace labreport::capture_test {
namespace {

TEST(Capture, KeepsShortTextsWhole) {
  Capture capture(4, 4);
  capture.append("abc");
  capture.append("def");
  EXPECT_EQ(capture.text(), "abcdef");
}

TEST(Capture, KeepsHeadAndTailOfLongOnesAndCountsTheRest) {
  Capture capture(4, 4);
  for (int i = 0; i < 1000; ++i) capture.append("0123456789");
  const std::string text = capture.text();
  EXPECT_TRUE(text.starts_with("0123\n[99")) << text;
  EXPECT_TRUE(text.ends_with("6789")) << text;
  EXPECT_LT(text.size(), 60u);
}

TEST(LastLines, SkipsBlankOnesAndTakesTheLast) {
  EXPECT_EQ(last_lines("one\n\ntwo\nthree\n \n", 2), "two\nthree");
  EXPECT_EQ(last_lines("", 3), "");
}

TEST(LastLines, AreAlwaysPrintableUtf8) {
  EXPECT_EQ(last_lines("\x1b[31mred\x07", 1), " [31mred ");
  EXPECT_EQ(last_lines("caf\xe9", 1), "caf?");
  EXPECT_EQ(last_lines("café", 1), "café");
}

TEST(LastLines, CutBetweenCharacters) { EXPECT_EQ(last_lines("ééééé", 1, 5), "…éé"); }

}  // namespace
}  // namespace labreport::capture_test
