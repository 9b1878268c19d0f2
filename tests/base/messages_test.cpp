#include "base/messages.h"

#include <gtest/gtest.h>

namespace labreport::messages_test {
namespace {

TEST(Messages, AnUnwritableStreamIsIgnored) {
  std::FILE* read_only = std::fopen("/proc/self/stat", "r");
  ASSERT_NE(read_only, nullptr);
  EXPECT_NO_THROW(say_to(read_only, "to nobody\n"));
  EXPECT_NE(std::ferror(read_only), 0) << "it was written to";
  std::fclose(read_only);
}

TEST(Messages, AWarningIsSaidOnce) {
  testing::internal::CaptureStderr();
  for (const char* line : {"the disk is old", "so is the other", "the disk is old"}) {
    warn_once(line);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "the disk is old\nso is the other\n");
}

}  // namespace
}  // namespace labreport::messages_test
