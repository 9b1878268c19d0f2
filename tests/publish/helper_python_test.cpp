#include "publish/helper_python.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace labreport::helper_python_test {
namespace {

TEST(BundlesFolder, IsEmptyWithoutAWritableHome) {
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/dev/null", 1);
  EXPECT_EQ(chart_bundle_folder(""), "");
  setenv("HOME", testing::TempDir().c_str(), 1);
  EXPECT_NE(chart_bundle_folder(""), "");
}

TEST(HelperPythonOfAProject, IsPassedOverIfItCannotBeStarted) {
  namespace fs = std::filesystem;
  const fs::path project =
      fs::path(testing::TempDir()) / ("helper-python-" + std::to_string(getpid()));
  const fs::path python = project / ".venv/bin/python";
  fs::create_directories(python.parent_path());
  std::ofstream(python) << "no program\n";
  const HelperPython helper(project);
  EXPECT_EQ(helper.problem(), "cannot start " + python.string() +
                                  ": Permission denied; make it executable, or remove .venv and "
                                  "run setup/install render");
  EXPECT_EQ(helper.program().filename(), "python3") << "for code that needs no packages";
  fs::remove_all(project);
}

}  // namespace
}  // namespace labreport::helper_python_test
