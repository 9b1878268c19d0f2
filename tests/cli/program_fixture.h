// Runs the real program in its own folder, with fakes in place of driver and worker.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "orchestrate/subprocess.h"

namespace labreport {

/// The description of a worker that runs on every GPU.
inline constexpr const char* kAnyChip =
    R"({"torch": "2.11.0", "cuda": "13.0", "architectures": []})";

class ProgramTest : public testing::Test {
 protected:
  ProgramTest();
  ~ProgramTest() override;

  /// Runs `labreport` with these words in the folder.
  CompletedProcess call(const std::vector<std::string>& words);
  /// Runs any command in the same surroundings; "$LABREPORT" is the program in a shell.
  CompletedProcess run(std::vector<std::string> argv);

  /// Adds the fake driver's two GPUs and a worker that was built like `description`
  /// (labreport-worker.json).
  void have_gpus(const std::string& description);

  /// The only run below `root`.
  std::filesystem::path only_run(const std::string& root = "site/runs") const;

  std::filesystem::path folder_;
  std::map<std::string, std::string> environment_;
};

}  // namespace labreport
