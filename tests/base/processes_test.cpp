#include "base/processes.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>

namespace labreport::processes_test {
namespace {

namespace fs = std::filesystem;

TEST(OtherLabreports, AreThoseWithProcessesAtWork) {
  const fs::path folder =
      fs::temp_directory_path() / ("labreport-processes-" + std::to_string(getpid()));
  fs::create_directories(folder);
  fs::copy_file("/bin/sh", folder / "labreport", fs::copy_options::overwrite_existing);
  // A shell of that name starts a process, says so and waits for it.
  const std::string command =
      "exec '" + (folder / "labreport").string() + "' -c 'sleep 3 & echo started; wait'";
  FILE* pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  char line[16] = {};
  ASSERT_NE(std::fgets(line, sizeof line, pipe), nullptr);
  EXPECT_GE(other_labreport_processes(), 1);
  pclose(pipe);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace labreport::processes_test
