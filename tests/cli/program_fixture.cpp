#include "cli/program_fixture.h"

#include <unistd.h>

#include <utility>

#include "base/files.h"
#include "results/run_store.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = LABREPORT_BIN_DIR "/labreport";

}  // namespace

ProgramTest::ProgramTest() {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  folder_ = fs::temp_directory_path() /
            ("labreport-cli-" + std::string(test->name()) + std::to_string(getpid()));
  fs::remove_all(folder_);
  fs::create_directories(folder_);
  environment_ = {{"PATH", "/usr/bin:/bin"},
                  {"HOME", folder_.string()},
                  {"LABREPORT", kProgram},
                  {"LABREPORT_NVML", ""},
                  {"LABREPORT_WORKER", LABREPORT_FAKES_DIR "/worker"},
                  {"LABREPORT_MODEL_WORKER", LABREPORT_FAKES_DIR "/worker"}};
}

ProgramTest::~ProgramTest() { fs::remove_all(folder_); }

CompletedProcess ProgramTest::run(std::vector<std::string> argv) {
  Command command;
  command.argv = std::move(argv);
  command.environment = environment_;
  command.folder = folder_;
  command.keep_output = true;
  command.limit_seconds = 900;  // ends what hangs, however slow the machine is
  return run_to_end(command);
}

CompletedProcess ProgramTest::call(const std::vector<std::string>& words) {
  std::vector<std::string> argv{kProgram};
  argv.insert(argv.end(), words.begin(), words.end());
  return run(std::move(argv));
}

void ProgramTest::add_fake_gpus(const std::string& description) {
  const fs::path worker = folder_ / "labreport-worker";
  fs::remove(worker);
  fs::create_symlink(LABREPORT_FAKES_DIR "/worker", worker);
  write_atomically(worker.string() + ".json", description);
  environment_["LABREPORT_WORKER"] = worker.string();
  environment_["LABREPORT_NVML"] = LABREPORT_FAKES_DIR "/nvml.so";
}

fs::path ProgramTest::only_run(const std::string& root) const {
  const auto runs = list_runs(folder_ / root);
  EXPECT_EQ(runs.size(), 1u);
  return runs.empty() ? fs::path() : runs.front();
}

}  // namespace labreport
