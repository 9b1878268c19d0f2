// Tests that scratch folders are removed when their process ends, even if it is killed.
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
    parent_ = mkdtemp(name.data());
    setenv("TMPDIR", parent_.c_str(), 1);
  }
  ~ScratchFolders() override {
    unsetenv("TMPDIR");
    fs::remove_all(parent_);
  }

  /// Returns the scratch folder of a process that was killed while it used the folder.
  fs::path folder_of_killed_process() {
    if (const pid_t child = fork(); child > 0) {
      waitpid(child, nullptr, 0);
      return only_entry();
    }
    const ScratchFolder scratch;
    std::ofstream(scratch.path() / "file") << "words";
    std::raise(SIGKILL);
    std::abort();
  }

  fs::path only_entry() const { return fs::directory_iterator(parent_)->path(); }

  void let_an_hour_pass() {
    for (const auto& entry : fs::directory_iterator(parent_)) {
      fs::last_write_time(entry, fs::last_write_time(entry) - std::chrono::hours(1));
    }
  }

  fs::path parent_;
};

TEST_F(ScratchFolders, AreRemovedByTheirOwner) {
  auto scratch = std::make_unique<ScratchFolder>();
  std::ofstream(scratch->path() / "file") << "words";
  EXPECT_EQ(scratch->path().parent_path(), parent_);
  scratch.reset();
  EXPECT_TRUE(fs::is_empty(parent_));
}

TEST_F(ScratchFolders, AreRemovedLaterIfTheirOwnerWasKilled) {
  const fs::path abandoned = folder_of_killed_process();
  EXPECT_TRUE(fs::exists(abandoned / "file"));
  let_an_hour_pass();
  remove_abandoned_scratch(parent_);
  EXPECT_FALSE(fs::exists(abandoned));
}

TEST_F(ScratchFolders, StayWhileTheirOwnerMayStillLockThem) {
  const fs::path abandoned = folder_of_killed_process();
  remove_abandoned_scratch(parent_);
  EXPECT_TRUE(fs::exists(abandoned));
}

TEST_F(ScratchFolders, StayIfLockedOrNamedOtherwise) {
  const ScratchFolder locked;
  fs::create_directories(parent_ / "labreport-cache");
  fs::create_directories(parent_ / "elsewhere/kept");
  fs::create_directory_symlink(parent_ / "elsewhere", parent_ / "labreport-abcdef");
  std::ofstream(parent_ / "labreport-ghijkl") << "a file";
  let_an_hour_pass();
  remove_abandoned_scratch(parent_);
  for (const char* name :
       {"labreport-cache", "elsewhere/kept", "labreport-abcdef", "labreport-ghijkl"}) {
    EXPECT_TRUE(fs::exists(parent_ / name)) << name;
  }
  EXPECT_TRUE(fs::exists(locked.path()));
}

}  // namespace
}  // namespace labreport::scratch_folder_test
