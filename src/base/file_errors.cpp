#include "base/file_errors.h"

#include <cerrno>
#include <filesystem>

#include "base/error.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

std::string action_words(const fs::filesystem_error& error) {
  if (error.path1().empty()) return "cannot use a file or a folder";
  if (error.path2().empty()) return "cannot read or write " + error.path1().string();
  return "cannot move or copy " + error.path1().string() + " to " + error.path2().string();
}

}  // namespace

std::string file_remedy(int code) {
  if (code == ENOSPC || code == EDQUOT) return "free some space";
  if (code == EFBIG) return "raise the limit on the size of files (ulimit -f)";
  if (code == EBUSY) return "wait until the other program that writes it is done";
  if (code == EIO) return "check the disk";
  if (code == EXDEV) return "move it with mv, because the two are on different file systems";
  return "check that the folder is there and writable";
}

std::string error_line(const std::exception& error) {
  const auto* file_error = dynamic_cast<const fs::filesystem_error*>(&error);
  if (file_error == nullptr) return error.what();
  const int code = file_error->code().value();
  // fs::copy() also reports EIO if the disk is full.
  const std::string remedy = code == EIO ? "check the disk and its free space" : file_remedy(code);
  return Error(action_words(*file_error) + ": " + file_error->code().message(), remedy).what();
}

}  // namespace labreport
