#include "base/stamp.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <thread>

namespace labreport::stamp_test {
namespace {

namespace fs = std::filesystem;

class Stamp : public testing::Test {
 protected:
  Stamp() {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "inner");
    write("a", "one");
    write("inner/b", "two");
    settle();
  }
  ~Stamp() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  /// Waits longer than `kTickSeconds` of stamp.cpp.
  static void settle() { std::this_thread::sleep_for(std::chrono::milliseconds(150)); }

  const fs::path folder_ = fs::path(testing::TempDir()) / "labreport-stamp";
};

TEST(ContentHash, TellsTextsApart) {
  EXPECT_EQ(content_hash("a").size(), 32u);
  EXPECT_EQ(content_hash("a"), content_hash("a"));
  EXPECT_NE(content_hash("a"), content_hash(std::string("a\0", 2)));
}

TEST_F(Stamp, StaysWhileNothingChanges) {
  EXPECT_EQ(file_stamp(folder_ / "a"), file_stamp(folder_ / "a"));
  EXPECT_EQ(folder_stamp(folder_), folder_stamp(folder_));
}

TEST_F(Stamp, ChangesWithAFileOfTheSameSizeWhoseTimeWasSetBack) {
  const std::string before = file_stamp(folder_ / "a");
  const auto time = fs::last_write_time(folder_ / "a");
  write("a", "eno");
  fs::last_write_time(folder_ / "a", time);
  EXPECT_NE(file_stamp(folder_ / "a"), before);
}

TEST_F(Stamp, FolderStampChangesWithEveryFile) {
  const std::string before = folder_stamp(folder_);
  write("inner/b", "2");
  settle();
  const std::string changed = folder_stamp(folder_);
  EXPECT_NE(changed, before);
  write("inner/c", "");
  settle();
  const std::string added = folder_stamp(folder_);
  EXPECT_NE(added, changed);
  fs::rename(folder_ / "inner/c", folder_ / "inner/d");
  settle();
  EXPECT_NE(folder_stamp(folder_), added);
}

TEST_F(Stamp, FolderStampOfAFreshChangeNeverRepeats) {
  write("a", "new");
  EXPECT_NE(folder_stamp(folder_), folder_stamp(folder_));
}

TEST_F(Stamp, IsEmptyWithoutAFile) {
  EXPECT_EQ(file_stamp(folder_ / "absent"), "");
  EXPECT_EQ(file_stamp(folder_), "");
  EXPECT_EQ(folder_stamp(folder_ / "absent"), "");
}

}  // namespace
}  // namespace labreport::stamp_test
