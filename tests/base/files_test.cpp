#include "base/files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>

#include "base/error.h"

namespace labreport::files_test {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  const fs::path folder_ =
      fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(Files, WritesTheFileAndLeavesNothingElse) {
  for (const Sync sync : {Sync::kNothing, Sync::kFile, Sync::kFolder}) {
    write_atomically(folder_ / "a.json", "first", sync);
    write_atomically(folder_ / "a.json", "second", sync);
    EXPECT_EQ(read_file(folder_ / "a.json"), "second");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
  }
}

/// A limit on file sizes imitates a full disk: the write fails half-way.
class SizeLimit {
 public:
  explicit SizeLimit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(Files, AWriteThatFailsHalfWayLeavesTheOldFile) {
  write_atomically(folder_ / "a.json", "old");
  {
    const SizeLimit limit(10);
    try {
      write_atomically(folder_ / "a.json", std::string(100, 'x'));
      ADD_FAILURE() << "it was written";
    } catch (const InputError& error) {
      const std::string said = error.what();
      EXPECT_NE(said.find("cannot write " + folder_.string()), std::string::npos);
      EXPECT_NE(said.find("ulimit -f"), std::string::npos) << said;
    }
  }
  EXPECT_EQ(read_file(folder_ / "a.json"), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(Files, AMissingFolderIsRefused) {
  EXPECT_THROW(write_atomically(folder_ / "absent" / "a.json", "x"), InputError);
}

TEST_F(Files, ReadingNamesThePathAndTheReason) {
  for (const fs::path& path : {folder_ / "absent", folder_}) {
    try {
      read_file(path);
      FAIL() << path;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos);
    }
  }
}

TEST_F(Files, LargeFilesAreRefused) {
  std::ofstream(folder_ / "large") << std::string(100, 'x');
  EXPECT_THROW(read_file(folder_ / "large", 99), InputError);
  EXPECT_EQ(read_file(folder_ / "large", 100).size(), 100U);
}

TEST_F(Files, RemoveTreeAcceptsFoldersAndAbsentPaths) {
  make_writable_folder(folder_ / "a" / "b");
  write_atomically(folder_ / "a" / "b" / "c", "x");
  remove_tree(folder_ / "a");
  EXPECT_FALSE(fs::exists(folder_ / "a"));
  EXPECT_NO_THROW(remove_tree(folder_ / "a"));
  EXPECT_THROW(remove_tree("/proc/self/stat"), InputError);
}

TEST_F(Files, AnEndlessDeviceIsRefused) { EXPECT_THROW(read_file("/dev/zero", 1000), InputError); }

TEST_F(Files, APlainFileIsNeitherALinkNorAPipeNorADevice) {
  std::ofstream(folder_ / "file") << "x";
  fs::create_symlink("file", folder_ / "link");
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_plain_file(folder_ / "file"), "x");
  for (const fs::path& path :
       {folder_ / "link", folder_ / "pipe", folder_ / "absent", folder_, fs::path("/dev/zero")}) {
    EXPECT_THROW(read_plain_file(path), InputError) << path;
  }
}

TEST_F(Files, LinksAndLeftoverTemporaryFilesAreReplaced) {
  std::ofstream(folder_ / "precious") << "precious";
  fs::create_symlink("precious", folder_ / "a.json");
  fs::create_symlink("precious", folder_ / "a.json.part");
  write_atomically(folder_ / "a.json", "new");
  EXPECT_EQ(read_file(folder_ / "precious"), "precious");
  EXPECT_EQ(read_plain_file(folder_ / "a.json"), "new");
  ASSERT_EQ(mkfifo((folder_ / "b.json.part").c_str(), 0600), 0);
  write_atomically(folder_ / "b.json", "new");
  EXPECT_EQ(read_plain_file(folder_ / "b.json"), "new");
}

TEST_F(Files, PipesAndFoldersAreNotReplaced) {
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  fs::create_directory(folder_ / "folder");
  for (const char* name : {"pipe", "folder"}) {
    EXPECT_THROW(write_atomically(folder_ / name, "x"), InputError) << name;
    EXPECT_FALSE(fs::exists(temporary_path(folder_ / name))) << name;
  }
  EXPECT_TRUE(fs::is_fifo(folder_ / "pipe"));
}

TEST_F(Files, AnotherWriterOfTheFileIsReported) {
  // This folder stands for a temporary file that another program makes again after its removal.
  make_writable_folder(temporary_path(folder_ / "a.json") / "busy");
  try {
    write_atomically(folder_ / "a.json", "x");
    ADD_FAILURE() << "it was written";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("the other program that writes it"), std::string::npos)
        << error.what();
  }
}

TEST_F(Files, AFolderUnderAFileCannotBeMade) {
  std::ofstream(folder_ / "file") << "x";
  EXPECT_THROW(make_writable_folder(folder_ / "file" / "below"), InputError);
}

}  // namespace
}  // namespace labreport::files_test
