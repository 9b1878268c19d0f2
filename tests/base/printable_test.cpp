#include "base/printable.h"

#include <gtest/gtest.h>

namespace labreport::printable_test {
namespace {

TEST(Printable, ControlCharactersAreReplaced) {
  EXPECT_EQ(printable("a\x1b[31m\x07\x7f\n"), "a\uFFFD[31m\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(printable("\xC2\x9B[0m \xC2\x85"), "\uFFFD[0m \uFFFD");
}

TEST(Printable, KeptBytesStay) { EXPECT_EQ(printable("a\n\tb\r", "\n\t"), "a\n\tb\uFFFD"); }

TEST(Printable, NonXmlCharactersAreReplaced) {
  EXPECT_EQ(printable("a\xEF\xBF\xBE\xEF\xBF\xBF\xEF\xBF\xBD"), "a\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(printable("cut \xEF\xBF"), "cut \xEF\xBF");
}

TEST(Printable, ReorderingCharactersAreReplaced) {
  EXPECT_EQ(printable("12\u202E34\u202C \u2066\u2069"), "12\uFFFD34\uFFFD \uFFFD\uFFFD");
  EXPECT_EQ(printable("\u2014 \u202F \u2065 \u05D0 \u200F"), "\u2014 \u202F \u2065 \u05D0 \u200F");
}

TEST(Printable, LettersBeyondAsciiStay) {
  EXPECT_EQ(printable("µ – 中 \xC2\xA0 \xC2"), "µ – 中 \xC2\xA0 \xC2");
}

}  // namespace
}  // namespace labreport::printable_test
