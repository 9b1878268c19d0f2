#include "orchestrate/model_source.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "base/error.h"

namespace labreport::model_source_test {
namespace {

namespace fs = std::filesystem;

/// Runs the script in place of the model worker, and returns the message that the user gets.
std::string complaint(const std::string& script) {
  const fs::path program =
      fs::temp_directory_path() / ("labreport-model-worker-" + std::to_string(getpid()));
  std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
  fs::permissions(program, fs::perms::owner_all);
  std::string said;
  try {
    ModelSource source;
    source.model = "net.py:Net";
    WorkerInfo worker;
    worker.program = program;
    resolve_model(std::move(source), worker);
  } catch (const InputError& error) {
    said = error.what();
  }
  fs::remove(program);
  return said;
}

TEST(ModelSource, RefusesWithTheWorkersLastLine) {
  EXPECT_EQ(complaint("echo Traceback >&2; echo no class >&2; exit 2"), "no class");
}

TEST(ModelSource, AnEarlyExitIsNamed) {
  EXPECT_EQ(complaint("exit 0"),
            "net.py:Net's Python ended with exit status 0 before it was loaded");
  EXPECT_EQ(complaint("echo hello >&2; exit 7"),
            "net.py:Net's Python ended with exit status 7 before it was loaded");
  EXPECT_EQ(complaint("kill -9 $$"),
            "net.py:Net's Python died of signal 9 (Killed) before it was loaded");
}

}  // namespace
}  // namespace labreport::model_source_test
