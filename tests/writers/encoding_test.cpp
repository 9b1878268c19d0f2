#include "writers/html/encoding.h"

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

TEST(Sha256, AgreesWithTheStandardsExamples) {
  EXPECT_EQ(sha256_base64(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  EXPECT_EQ(sha256_base64("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}

}  // namespace
}  // namespace labreport
