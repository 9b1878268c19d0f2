// Runs the real program in a folder of its own, with fakes in place of the driver and the worker.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "orchestrate/subprocess.h"

namespace labreport {

/// The description of a worker that runs on every GPU.
inline constexpr const char* kWorkerForAnyGpu =
    R"({"torch": "2.11.0", "cuda": "13.0", "architectures": []})";

class ProgramTest : public testing::Test {
 protected:
  ProgramTest();
  ~ProgramTest() override;

  /// Runs `labreport` with these words in the folder.
  CompletedProcess call(const std::vector<std::string>& words);
  /// Runs any command in the same folder and environment. In a shell, "$LABREPORT" is the program.
  CompletedProcess run(std::vector<std::string> argv);

  /// Adds the fake driver's two GPUs, and a worker whose build `description` describes
  /// (labreport-worker.json).
  void add_fake_gpus(const std::string& description);

  /// Returns the folder of the only run below `root`.
  std::filesystem::path only_run(const std::string& root = "site/runs") const;

  std::filesystem::path folder_;
  std::map<std::string, std::string> environment_;
};

}  // namespace labreport
