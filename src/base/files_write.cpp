#include "base/files.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/file_errors.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr int kCreateFlags = O_WRONLY | O_CREAT | O_EXCL;

/// Throws the error in errno, or EBUSY if another program removed or created the temporary file.
[[noreturn]] void throw_cannot_write(const fs::path& path) {
  int code = errno;
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const bool was_removed = code == ENOENT && fs::is_directory(folder, error);
  if (code == EEXIST || was_removed) code = EBUSY;
  throw InputError("cannot write " + path.string() + ": " + std::strerror(code), file_remedy(code));
}

/// Throws for devices and pipes, which must not be replaced, and for folders, which cannot be.
void refuse_to_replace(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (!fs::exists(status) || fs::is_regular_file(status) || fs::is_symlink(status)) return;
  throw InputError("cannot write " + path.string() + ": it is " +
                       (fs::is_directory(status) ? "a folder" : "a device or a pipe"),
                   "move it away");
}

/// Returns false, with errno set, if another program has removed or replaced the file.
bool is_still_at(const Descriptor& file, const fs::path& path) {
  struct stat open_file{}, current{};
  if (::fstat(file.get(), &open_file) != 0 || open_file.st_nlink > 0) return true;
  const bool is_same = ::lstat(path.c_str(), &current) == 0 && open_file.st_ino == current.st_ino;
  if (!is_same) errno = EBUSY;
  return is_same;
}

/// Returns false, with errno set, if the disk failed; true if folders cannot be synced at all.
bool sync_folder(const fs::path& folder) {
  const Descriptor descriptor(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
  return !descriptor.is_open() || ::fsync(descriptor.get()) == 0 || errno == EINVAL ||
         errno == EOPNOTSUPP;
}

[[noreturn]] void throw_cannot_make(const fs::path& path, int code,
                                    const std::string& flag = "--out") {
  const bool is_full = code == ENOSPC || code == EDQUOT;
  throw InputError("cannot make the folder " + path.string() + ": " + std::strerror(code),
                   is_full ? file_remedy(code) : "choose another with " + flag);
}

}  // namespace

fs::path temporary_path(const fs::path& path) { return path.string() + ".part"; }

void write_atomically(const fs::path& path, std::string_view bytes, Sync sync) {
  refuse_to_replace(path);
  const fs::path temporary = temporary_path(path);
  Descriptor descriptor(temporary, kCreateFlags);
  if (!descriptor.is_open() && errno == EEXIST) {
    // An existing temporary file is removed before it is written, because it may be a link.
    ::unlink(temporary.c_str());
    descriptor.open(temporary, kCreateFlags);
  }
  if (!descriptor.is_open()) throw_cannot_write(path);
  const bool is_written = write_all(descriptor.get(), bytes) &&
                          (sync == Sync::kNothing || ::fsync(descriptor.get()) == 0);
  const int write_error = errno;
  // If another program has replaced the temporary file, it must be neither renamed nor removed.
  const bool is_ours = is_still_at(descriptor, temporary);
  if (!is_written) errno = write_error;
  const bool is_renamed = is_written && is_ours && descriptor.close_checked() &&
                          ::rename(temporary.c_str(), path.c_str()) == 0;
  if (!is_renamed) {
    const int code = errno;
    if (is_ours) ::unlink(temporary.c_str());
    errno = code;
    throw_cannot_write(path);
  }
  if (sync == Sync::kFolder && !sync_folder(path.parent_path())) throw_cannot_write(path);
}

void make_writable_folder(const fs::path& path, const std::string& flag) {
  std::vector<fs::path> absent;
  std::error_code error;
  for (fs::path ancestor = path; !ancestor.empty() && !fs::exists(ancestor, error);
       ancestor = ancestor.parent_path()) {
    absent.push_back(ancestor);
  }
  fs::create_directories(path, error);
  if (error) throw_cannot_make(path, error.value(), flag);
  for (const fs::path& new_folder : absent) {
    if (!sync_folder(new_folder.parent_path())) throw_cannot_make(new_folder, errno, flag);
  }
  if (::access(path.c_str(), W_OK) != 0) {
    throw InputError("cannot write to the folder " + path.string() + ": " + std::strerror(errno),
                     "choose another with " + flag);
  }
}

fs::path make_new_folder(const fs::path& folder) {
  make_writable_folder(folder.parent_path());
  fs::path candidate = folder;
  std::error_code error;
  for (int number = 2; !fs::create_directory(candidate, error); ++number) {
    if (error && error != std::errc::file_exists) throw_cannot_make(candidate, error.value());
    candidate.replace_filename(folder.filename().string() + "-" + std::to_string(number));
  }
  if (!sync_folder(candidate.parent_path())) throw_cannot_make(candidate, errno);
  return candidate;
}

void remove_tree(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) {
    throw InputError("cannot remove " + path.string() + ": " + error.message(),
                     file_remedy(error.value()));
  }
}

}  // namespace labreport
