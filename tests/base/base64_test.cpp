#include "base/base64.h"

#include <gtest/gtest.h>

namespace labreport {
namespace {

TEST(Base64, AgreesWithTheStandardsExamples) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(Base64, TakesEveryByte) { EXPECT_EQ(base64({"\xff\x00\xfb", 3}), "/wD7"); }

}  // namespace
}  // namespace labreport
