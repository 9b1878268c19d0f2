#include "base/file_errors.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"

namespace labreport::file_errors_test {
namespace {

namespace fs = std::filesystem;

std::error_code code_of(std::errc condition) { return std::make_error_code(condition); }

TEST(ErrorLine, SaysWhatWhereAndWhatToDo) {
  const fs::filesystem_error one_path("cannot remove all", "runs", code_of(std::errc::io_error));
  EXPECT_EQ(error_line(one_path),
            "cannot read or write runs: Input/output error; check the disk and its free space");
  const fs::filesystem_error two_paths("cannot rename", "a", "b",
                                       code_of(std::errc::no_space_on_device));
  EXPECT_EQ(error_line(two_paths),
            "cannot move or copy a to b: No space left on device; free some space");
}

TEST(ErrorLine, IsTheTextOfAnyOtherError) {
  EXPECT_EQ(error_line(InputError("no run", "make one")), "no run; make one");
  EXPECT_EQ(error_line(std::runtime_error("filesystem error: so")), "filesystem error: so");
}

TEST(ErrorLine, IsThatOfARefusedCall) {
  try {
    fs::create_directory("/proc/self/no such folder/below");
    FAIL() << "the folder above it does not exist";
  } catch (const std::exception& error) {
    EXPECT_EQ(error_line(error),
              "cannot read or write /proc/self/no such folder/below: No such file or directory; "
              "check that the folder is there and writable");
  }
}

}  // namespace
}  // namespace labreport::file_errors_test
