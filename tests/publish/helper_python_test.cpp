#include "publish/helper_python.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace labreport::helper_python_test {
namespace {

TEST(BundlesFolder, IsEmptyWithoutAWritableHome) {
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/dev/null", 1);
  EXPECT_EQ(chart_bundle_folder(""), "");
  setenv("HOME", testing::TempDir().c_str(), 1);
  EXPECT_NE(chart_bundle_folder(""), "");
}

}  // namespace
}  // namespace labreport::helper_python_test
