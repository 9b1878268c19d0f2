#include "publish/submission_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "writers/html/assets.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

/// A line of the manifest is a SHA-256, a space and a path. The zip file's path begins with "../".
constexpr const char* kSubmissionManifest = ".labreport-submission";

/// Marks a folder as one in which a submission is made.
constexpr const char* kMark = ".labreport-part";

/// Holds the earlier folder during an exchange on a file system that cannot exchange two folders.
constexpr const char* kFormer = "former";

using Hashes = std::map<std::string, std::string>;

bool has_entry(const fs::path& path) { return fs::exists(fs::symlink_status(path)); }

std::string hash_of(const fs::path& file) {
  constexpr std::uintmax_t kMaxBytes = std::uintmax_t{8} << 30;  // Zip files may be large.
  return sha256_base64(read_plain_file(file, kMaxBytes));
}

/// Returns the SHA-256 of each file that this program wrote. Empty without a manifest.
Hashes written_files(const fs::path& folder) {
  Hashes hashes;
  if (!has_entry(folder / kSubmissionManifest)) return hashes;
  for (const std::string& line : split(read_plain_file(folder / kSubmissionManifest), '\n')) {
    const std::size_t space = line.find(' ');
    if (space != line.npos) hashes[line.substr(space + 1)] = line.substr(0, space);
  }
  return hashes;
}

std::string zip_entry(const fs::path& zip) { return "../" + zip.filename().string(); }

/// Returns the folder's path without a slash at its end, so that the zip file lies beside it.
fs::path checked_path(const fs::path& out) {
  const fs::path path = (out / "").lexically_normal().parent_path();
  if (!path.has_filename() || path.filename() == "." || path.filename() == "..")
    throw InputError("'" + out.string() + "' is no folder's name", "choose another --out");
  if (fs::is_symlink(fs::symlink_status(path)))
    throw InputError(path.string() + " is a link", "choose another --out");
  if (has_entry(path) && !fs::is_directory(path))
    throw InputError(path.string() + " is no folder", "choose another --out");
  return path;
}

void refuse_changed(const fs::path& path) {
  throw InputError(path.string() + " is not as labreport wrote it",
                   "move it away, or choose another --out");
}

/// Throws if something is at `out` or `zip` that this program did not write, or that was changed.
void refuse_foreign(const fs::path& out, const fs::path& zip) {
  const Hashes hashes = written_files(out);
  if (hashes.empty() && has_entry(out) && !fs::is_empty(out))
    throw InputError(out.string() + " holds no earlier submission", "choose another --out");
  for (const auto& [path, hash] : hashes) {
    if (path != zip_entry(zip) && has_entry(out / path) && hash_of(out / path) != hash)
      refuse_changed(out / path);
  }
  const auto entry = hashes.find(zip_entry(zip));
  if (has_entry(zip) && (entry == hashes.end() || hash_of(zip) != entry->second))
    refuse_changed(zip);
}

/// Gives the file a second name, so that it is lost with neither of its folders.
void link_or_copy(const fs::path& file, const fs::path& to) {
  make_writable_folder(to.parent_path());
  if (fs::is_symlink(fs::symlink_status(file)))
    fs::copy_symlink(file, to);
  else if (::link(file.c_str(), to.c_str()) != 0)
    fs::copy_file(file, to);
}

enum class OnTakenPath { kRefuse, kSkip };

/// Adds the files of `from` that its manifest does not list, and its empty folders, to `to`.
void add_authors_files(const fs::path& from, const fs::path& to, OnTakenPath on_taken) {
  const Hashes written = written_files(from);
  for (const fs::directory_entry& entry : entries_below(from)) {
    const fs::path path = entry.path().lexically_relative(from);
    if (path == kSubmissionManifest || written.contains(path.string())) continue;
    if (entry.is_directory() && !entry.is_symlink()) {
      if (fs::is_empty(entry.path())) make_writable_folder(to / path);
    } else if (!has_entry(to / path)) {
      link_or_copy(entry.path(), to / path);
    } else if (on_taken == OnTakenPath::kRefuse) {
      throw InputError(entry.path().string() + " is in the way: labreport did not write it",
                       "move it away, or choose another --out");
    }
  }
}

void rename_to(const fs::path& from, const fs::path& to) {
  if (std::rename(from.c_str(), to.c_str()) == 0) return;
  throw InputError("cannot write " + to.string() + ": " + std::strerror(errno),
                   "check that its folder is writable");
}

}  // namespace

SubmissionFolder::SubmissionFolder(fs::path out)
    : out_(checked_path(out)),
      zip_(out_.string() + ".zip"),
      part_(temporary_path(out_)),
      lock_(part_) {
  if (!has_entry(part_ / kMark) && !fs::is_empty(part_)) {
    throw InputError(part_.string() + " is in the way: labreport did not write it",
                     "move it away, or choose another --out");
  }
  end_earlier_exchange();
  refuse_foreign(out_, zip_);
  write_atomically(part_ / kMark, "", Sync::kNothing);
}

/// The mark goes last, so that the next submission knows what a failed removal leaves.
SubmissionFolder::~SubmissionFolder() {
  if (is_unfinished_) return;
  std::error_code error;
  constexpr auto kFailed = static_cast<std::uintmax_t>(-1);
  for (const fs::path& path : {made(), made_zip(), fs::path(made().string() + ".site"), part_}) {
    if (fs::remove_all(path, error) == kFailed) return;
  }
}

/// A process may have died before the exchange, between those of the folder and the zip file, or
/// after both.
void SubmissionFolder::end_earlier_exchange() {
  const fs::path former = part_ / kFormer;
  if (!has_entry(out_) && has_entry(former)) rename_to(former, out_);
  const Hashes hashes = written_files(out_);
  const auto entry = hashes.find(zip_entry(zip_));
  const bool has_zip = entry != hashes.end() && has_entry(made_zip());
  if (has_zip && hash_of(made_zip()) == entry->second) rename_to(made_zip(), zip_);
  for (const fs::path& folder : {former, made()}) {
    if (has_entry(folder / kSubmissionManifest) && has_entry(out_))
      add_authors_files(folder, out_, OnTakenPath::kSkip);
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(part_)) remove_tree(entry.path());
}

void SubmissionFolder::take_authors_files() {
  for (const fs::directory_entry& entry : entries_below(made())) {
    if (!entry.is_directory()) written_.insert(entry.path().lexically_relative(made()));
  }
  add_authors_files(out_, made(), OnTakenPath::kRefuse);
}

/// Exchanges the made folder with the earlier one; if there is none, moves the made folder.
void SubmissionFolder::exchange() {
  if (!has_entry(out_)) return rename_to(made(), out_);
  if (::renameat2(AT_FDCWD, made().c_str(), AT_FDCWD, out_.c_str(), RENAME_EXCHANGE) == 0) return;
  if (errno != EINVAL && errno != ENOSYS) {
    throw InputError("cannot write " + out_.string() + ": " + std::strerror(errno),
                     "check that its folder is writable");
  }
  // This file system cannot exchange two folders. The next submission ends what stops in between.
  const fs::path former = part_ / kFormer;
  rename_to(out_, former);
  rename_to(made(), out_);
  rename_to(former, made());
}

void SubmissionFolder::commit() {
  std::string manifest = hash_of(made_zip()) + " " + zip_entry(zip_) + "\n";
  for (const fs::path& path : written_)
    manifest += hash_of(made() / path) + " " + path.string() + "\n";
  write_atomically(made() / kSubmissionManifest, manifest);
  const bool has_earlier = has_entry(out_);
  is_unfinished_ = true;
  exchange();
  try {
    rename_to(made_zip(), zip_);
  } catch (const Error&) {
    has_earlier ? exchange() : rename_to(out_, made());
    is_unfinished_ = false;
    throw;
  }
  // An author may have added files while this program took the earlier ones.
  if (has_earlier) add_authors_files(made(), out_, OnTakenPath::kSkip);
  is_unfinished_ = false;
}

}  // namespace labreport
