// Tests that scratch folders are removed with their owner, however it ended.
#include "publish/scratch_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>

namespace labreport::scratch_folder_test {
namespace {

namespace fs = std::filesystem;

class ScratchFolders : public testing::Test {
 protected:
  ScratchFolders() {
    std::string name = "/tmp/scratch-test-" + std::string(6, 'X');
    above_ = mkdtemp(name.data());
    setenv("TMPDIR", above_.c_str(), 1);
  }
  ~ScratchFolders() override {
    unsetenv("TMPDIR");
    fs::remove_all(above_);
  }

  /// The entry left by a process that is killed while it has a scratch folder.
  fs::path left_by_a_killed_process() {
    if (const pid_t child = fork(); child > 0) {
      waitpid(child, nullptr, 0);
      return only_entry();
    }
    const ScratchFolder scratch;
    std::ofstream(scratch.path() / "file") << "words";
    std::raise(SIGKILL);
    std::abort();
  }

  fs::path only_entry() const { return fs::directory_iterator(above_)->path(); }

  void let_an_hour_pass() {
    for (const auto& entry : fs::directory_iterator(above_)) {
      fs::last_write_time(entry, fs::last_write_time(entry) - std::chrono::hours(1));
    }
  }

  fs::path above_;
};

TEST_F(ScratchFolders, GoWithTheirOwner) {
  auto scratch = std::make_unique<ScratchFolder>();
  std::ofstream(scratch->path() / "file") << "words";
  EXPECT_EQ(scratch->path().parent_path(), above_);
  scratch.reset();
  EXPECT_TRUE(fs::is_empty(above_));
}

TEST_F(ScratchFolders, OfAKilledOwnerGoWithTheNextProgram) {
  const fs::path left = left_by_a_killed_process();
  EXPECT_TRUE(fs::exists(left / "file"));
  let_an_hour_pass();
  remove_abandoned_scratch(above_);
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(ScratchFolders, StayWhereTheOwnerMayStillLockThem) {
  const fs::path left = left_by_a_killed_process();
  remove_abandoned_scratch(above_);
  EXPECT_TRUE(fs::exists(left));
}

TEST_F(ScratchFolders, OfLivingOwnersAndOtherNamesStay) {
  const ScratchFolder alive;
  fs::create_directories(above_ / "labreport-cache");
  fs::create_directories(above_ / "elsewhere/kept");
  fs::create_directory_symlink(above_ / "elsewhere", above_ / "labreport-abcdef");
  std::ofstream(above_ / "labreport-ghijkl") << "a file";
  let_an_hour_pass();
  remove_abandoned_scratch(above_);
  for (const char* name :
       {"labreport-cache", "elsewhere/kept", "labreport-abcdef", "labreport-ghijkl"}) {
    EXPECT_TRUE(fs::exists(above_ / name)) << name;
  }
  EXPECT_TRUE(fs::exists(alive.path()));
}

}  // namespace
}  // namespace labreport::scratch_folder_test
