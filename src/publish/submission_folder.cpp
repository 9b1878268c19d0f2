#include "publish/submission_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
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

/// A line of the manifest is a SHA-256, a space and a path. Paths beside the folder begin with
/// "../".
constexpr const char* kSubmissionManifest = ".labreport-submission";

/// Marks a folder as one in which a submission is made.
constexpr const char* kMark = ".labreport-part";

/// Holds what is replaced during an exchange on a file system that cannot exchange two paths.
constexpr const char* kFormer = ".former";

using Hashes = std::map<std::string, std::string>;

bool has_entry(const fs::path& path) {
  std::error_code ignored;  // A neighbor may be somebody else's folder.
  return fs::exists(fs::symlink_status(path, ignored));
}

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

std::string entry_of(const fs::path& beside) { return "../" + beside.filename().string(); }

/// Returns true if the folder's manifest has this file beside the folder, as it is.
bool lists(const fs::path& folder, const fs::path& beside) {
  const Hashes hashes = written_files(folder);
  const auto entry = hashes.find(entry_of(beside));
  return entry != hashes.end() && has_entry(beside) && hash_of(beside) == entry->second;
}

/// Returns the folder's path without a slash at its end, so that the zip file lies beside it.
fs::path checked_path(const fs::path& out) {
  const fs::path path = (out / "").lexically_normal().parent_path();
  if (!path.has_filename() || path.filename() == "." || path.filename() == "..")
    throw InputError("'" + out.string() + "' is no folder's name", "choose another --out");
  if (fs::is_symlink(fs::symlink_status(path)))
    throw InputError(path.string() + " is a link", "choose another --out");
  if (has_entry(path) && !fs::is_directory(path))
    throw InputError(path.string() + " is no folder", "choose another --out");
  for (const std::string name : {SubmissionFolder::kWriteUp, SubmissionFolder::kCode}) {
    if (path.filename() == name || path.filename().string() + ".zip" == name)
      throw InputError(path.string() + " would be in the way of " + name, "choose another --out");
  }
  return path;
}

void refuse_changed(const fs::path& path) {
  throw InputError(path.string() + " is not as labreport wrote it",
                   "move it away, or choose another --out");
}

/// Throws if something is at `out` or beside it that this program did not write, or that was
/// changed. Another submission in the same folder may have written the files beside it.
void refuse_foreign(const fs::path& out, const std::vector<fs::path>& beside) {
  const Hashes hashes = written_files(out);
  if (hashes.empty() && has_entry(out) && !fs::is_empty(out))
    throw InputError(out.string() + " holds no earlier submission", "choose another --out");
  for (const auto& [path, hash] : hashes) {
    if (!path.starts_with("../") && has_entry(out / path) && hash_of(out / path) != hash)
      refuse_changed(out / path);
  }
  for (const fs::path& file : beside) {
    if (!has_entry(file)) continue;
    const fs::directory_iterator neighbors(fs::path(".") / file.parent_path());
    if (std::none_of(begin(neighbors), end(neighbors), [&](const fs::directory_entry& neighbor) {
          return neighbor.is_directory() && lists(neighbor, file);
        }))
      refuse_changed(file);
  }
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

/// Exchanges two paths, or renames one if there is no other. Doing it twice changes nothing.
void exchange(const fs::path& made, const fs::path& place) {
  if (!has_entry(made)) return rename_to(place, made);
  if (!has_entry(place)) return rename_to(made, place);
  if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE) == 0) return;
  if (errno != EINVAL && errno != ENOSYS) {
    throw InputError("cannot write " + place.string() + ": " + std::strerror(errno),
                     "check that its folder is writable");
  }
  // This file system cannot exchange two paths. The next submission ends what stops in between.
  const fs::path former = made.parent_path() / kFormer;
  rename_to(place, former);
  rename_to(made, place);
  rename_to(former, made);
}

}  // namespace

SubmissionFolder::SubmissionFolder(fs::path out)
    : out_(checked_path(out)), part_(temporary_path(out_)), lock_(part_) {
  for (const std::string& name :
       {made_zip().filename().string(), std::string(kWriteUp), std::string(kCode)})
    beside_.push_back(out_.parent_path() / name);
  if (!has_entry(part_ / kMark) && !fs::is_empty(part_)) {
    throw InputError(part_.string() + " is in the way: labreport did not write it",
                     "move it away, or choose another --out");
  }
  end_earlier_exchange();
  refuse_foreign(out_, beside_);
  write_atomically(part_ / kMark, "", Sync::kNothing);
}

/// The mark goes last, so that the next submission knows what a failed removal leaves.
SubmissionFolder::~SubmissionFolder() {
  if (is_unfinished_) return;
  std::vector<fs::path> paths{made(), made().string() + ".site"};
  for (const fs::path& file : beside_) paths.push_back(made_beside(file.filename()));
  paths.push_back(part_);
  std::error_code error;
  constexpr auto kFailed = static_cast<std::uintmax_t>(-1);
  for (const fs::path& path : paths) {
    if (fs::remove_all(path, error) == kFailed) return;
  }
}

/// Returns true if the new folder is in its place and this file beside it is not: its new version
/// is still where it was made, or the new submission lacks it and the earlier one is there.
bool SubmissionFolder::is_due(const fs::path& beside) const {
  const fs::path file = made_beside(beside.filename());
  if (has_entry(file)) return lists(out_, file);
  return !written_files(out_).contains(entry_of(beside)) && lists(made(), beside);
}

/// A process may have died before the exchange, between those of two paths, or after all.
void SubmissionFolder::end_earlier_exchange() {
  const fs::path former = part_ / kFormer;
  if (!has_entry(out_) && has_entry(former)) rename_to(former, out_);
  for (const fs::path& file : beside_) {
    if (is_due(file)) exchange(made_beside(file.filename()), file);
  }
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

void SubmissionFolder::commit() {
  std::string manifest;
  for (const fs::path& file : beside_) {
    if (const fs::path made_file = made_beside(file.filename()); has_entry(made_file))
      manifest += hash_of(made_file) + " " + entry_of(file) + "\n";
  }
  for (const fs::path& path : written_)
    manifest += hash_of(made() / path) + " " + path.string() + "\n";
  write_atomically(made() / kSubmissionManifest, manifest);
  const bool has_earlier = has_entry(out_);
  std::vector<std::pair<fs::path, fs::path>> exchanged;
  const auto exchange_and_note = [&](const fs::path& made_path, const fs::path& place) {
    exchange(made_path, place);
    exchanged.emplace_back(made_path, place);
  };
  is_unfinished_ = true;
  try {
    exchange_and_note(made(), out_);
    for (const fs::path& file : beside_) {
      if (is_due(file)) exchange_and_note(made_beside(file.filename()), file);
    }
  } catch (...) {
    for (; !exchanged.empty(); exchanged.pop_back())
      exchange(exchanged.back().first, exchanged.back().second);
    is_unfinished_ = has_entry(part_ / kFormer);
    throw;
  }
  // An author may have added files while this program took the earlier ones.
  if (has_earlier) add_authors_files(made(), out_, OnTakenPath::kSkip);
  is_unfinished_ = false;
}

}  // namespace labreport
