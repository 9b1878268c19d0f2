#include "base/text.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace labreport::text_test {
namespace {

using Words = std::vector<std::string>;

TEST(Text, SplitsAndJoins) {
  EXPECT_EQ(split("a,b,,c", ','), (Words{"a", "b", "", "c"}));
  EXPECT_EQ(split("", ','), (Words{""}));
  EXPECT_EQ(join(Words{"a", "b"}, ", "), "a, b");
}

TEST(Text, ListsReadAsSentences) {
  EXPECT_EQ(join_words(Words{}), "");
  EXPECT_EQ(join_words(Words{"a"}), "a");
  EXPECT_EQ(join_words(Words{"a", "b", "c"}), "a, b and c");
}

TEST(Text, SlugsAreSafeInPaths) {
  EXPECT_EQ(slug("NVIDIA H200"), "nvidia-h200");
  EXPECT_EQ(slug("../<b>GPU</b>"), "b-gpu-b");
  EXPECT_EQ(slug("Intel(R) Xeon(R)"), "intel-r-xeon-r");
  EXPECT_EQ(slug("…"), "");
}

TEST(Text, RefusalNamesTheValidWords) {
  try {
    refuse_unknown("size", "smal", Words{"small", "medium"});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "unknown size 'smal'; use one of: small, medium");
  }
}

TEST(Text, RefusalOfALongListNamesTheNearest) {
  const Words many{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine"};
  EXPECT_EQ(nearest("Fiv", many).front(), "five");
  EXPECT_EQ(nearest("Fiv", many).size(), 3U);
}

TEST(Text, IsCutBetweenLetters) {
  EXPECT_EQ(cut_short("aé", 2), "a…");
  EXPECT_EQ(cut_short("aé", 3), "aé");
}

TEST(Text, ACommandQuotesWhatAShellWouldChange) {
  EXPECT_EQ(command_line(Words{"~/a", "b c", "it's", ""}), "~/a 'b c' 'it'\\''s' ''");
}

TEST(Text, KnowsWellFormedUtf8) {
  EXPECT_TRUE(is_utf8("plain, ± and 中 and 😀"));
  EXPECT_FALSE(is_utf8("\xC0\xAF"));          // overlong
  EXPECT_FALSE(is_utf8("\xED\xA0\x80"));      // surrogate
  EXPECT_FALSE(is_utf8("\xF4\x90\x80\x80"));  // beyond U+10FFFF
  EXPECT_FALSE(is_utf8("cut \xE2\x82"));
  EXPECT_FALSE(is_utf8("\xFF"));
}

TEST(Numbers, AreReadFromTheStartOrFromTheWholeText) {
  EXPECT_EQ(leading_number<int>("12.8 GB"), 12);
  EXPECT_EQ(leading_number<int>(" 12"), std::nullopt);
  EXPECT_EQ(parse_number<int>("12"), 12);
  EXPECT_EQ(parse_number<double>("1.5"), 1.5);
  EXPECT_EQ(parse_number<int>("12 "), std::nullopt);
  EXPECT_EQ(parse_number<int>("99999999999"), std::nullopt) << "no int holds it";
}

}  // namespace
}  // namespace labreport::text_test
