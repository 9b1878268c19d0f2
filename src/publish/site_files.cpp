#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "publish/site.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

/// A site's file with the paths of all files that renders wrote, one on each line.
constexpr std::string_view kManifest = ".labreport-site";

/// A render first writes all files into this folder inside the site.
constexpr std::string_view kStage = ".labreport-new";

constexpr std::string_view kIndex = "index.html";

bool is_there_at(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) || status.type() == fs::file_type::not_found) return fs::exists(status);
  throw InputError("cannot look at " + path.string() + ": " + error.message(),
                   "choose another --out");
}

std::set<std::string> manifest_paths(const fs::path& out) {
  std::set<std::string> paths;
  if (!is_there_at(out / kManifest)) return paths;
  for (const std::string& line : split(read_plain_file(out / kManifest), '\n')) {
    const fs::path path = line;
    const bool inside = path.is_relative() && std::ranges::find(path, fs::path("..")) == path.end();
    if (!line.empty() && inside) paths.insert(line);
  }
  return paths;
}

/// Throws if a folder without a manifest holds anything but the stage. A render that is killed
/// before it moves files leaves a stage without a manifest.
void refuse_foreign_folder(const fs::path& out) {
  if (!is_there_at(out) || is_there_at(out / kManifest)) return;
  if (!fs::is_directory(out))
    throw InputError(out.string() + " is no folder", "choose another --out");
  std::error_code error;
  fs::directory_iterator entries(out, error);
  if (error) {
    throw InputError("cannot read " + out.string() + ": " + error.message(),
                     "choose another --out");
  }
  for (const fs::directory_entry& entry : entries) {
    if (entry.path().filename() == kStage) continue;
    throw InputError(out.string() + " holds files that are no site of this program",
                     "choose an empty or new folder with --out");
  }
}

/// Throws if two files of the site have one path, because the second would overwrite the first.
void refuse_twofold_paths(const Site& site) {
  std::set<std::string> paths(site.unchanged_files.begin(), site.unchanged_files.end());
  for (const SiteFile& file : site.files) {
    if (paths.insert(file.path).second) continue;
    throw Error("two files of the site have the path " + file.path + ", so nothing was written",
                "render these runs one by one, each with an --out of its own");
  }
}

bool is_up_to_date(const fs::path& path, const std::string& bytes) {
  std::error_code error;
  return fs::is_regular_file(fs::symlink_status(path, error)) &&
         fs::file_size(path, error) == bytes.size() && read_file(path) == bytes;
}

/// Throws if a folder between `out` and a file is a link, because the file would be outside the
/// site. A link at a file's own path is allowed: it is replaced or removed.
void refuse_links_out(const fs::path& out, const std::set<std::string>& files) {
  std::set<std::string> folders;
  for (const std::string& file : files) {
    for (std::size_t end = file.find('/'); end != std::string::npos; end = file.find('/', end + 1))
      folders.insert(file.substr(0, end));
  }
  for (const std::string& folder : folders) {
    if (!fs::is_symlink(fs::symlink_status(out / folder))) continue;
    throw InputError(
        (out / folder).string() + " is a link, and pages go nowhere outside " + out.string(),
        "remove it, or choose another --out");
  }
}

/// Throws if a file would be overwritten that earlier renders did not write.
void refuse_foreign_files(const fs::path& out, const std::vector<SiteFile>& files,
                          const std::set<std::string>& earlier_paths) {
  for (const SiteFile& file : files) {
    const fs::path path = out / file.path;
    std::error_code error;
    const bool is_foreign =
        !earlier_paths.contains(file.path) && fs::exists(fs::symlink_status(path, error));
    if (!is_foreign || is_up_to_date(path, file.bytes)) continue;
    throw InputError(path.string() + " is in the way: this program did not write it",
                     "move it away, choose another --out, or overwrite it with --force");
  }
}

/// Opens a folder of the site. A link below `out` is not followed, so that whoever puts one there
/// while the site is written cannot lead a page out of it. Not open, with errno set, if that fails.
Descriptor open_folder(const fs::path& out, const fs::path& folder) {
  Descriptor current(out, O_RDONLY | O_DIRECTORY);
  for (const fs::path& name : folder) {
    if (!current.is_open()) break;
    current = Descriptor(
        ::openat(current.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  return current;
}

/// Moves a staged file to its place. Its folder must be there.
void move_into_place(const fs::path& staged, const fs::path& out, const fs::path& path) {
  const Descriptor folder = open_folder(out, path.parent_path());
  if (folder.is_open() &&
      ::renameat(AT_FDCWD, staged.c_str(), folder.get(), path.filename().c_str()) == 0)
    return;
  throw InputError("cannot write " + (out / path).string() + ": " + std::strerror(errno),
                   "render again, to a folder that is writable and whose folders are no links");
}

void remove_stale(const fs::path& out, const fs::path& path) {
  const auto remove = [&](const fs::path& stale, int flags) {
    const Descriptor folder = open_folder(out, stale.parent_path());
    return folder.is_open() && ::unlinkat(folder.get(), stale.filename().c_str(), flags) == 0;
  };
  remove(path, 0);
  remove(temporary_path(path), 0);  // A killed render may have left it.
  // Folders that became empty are removed too; removing others fails.
  for (fs::path folder = path.parent_path(); !folder.empty(); folder = folder.parent_path()) {
    if (!remove(folder, AT_REMOVEDIR)) break;
  }
}

void remove_stage(const fs::path& out) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(out / kStage, error))) fs::remove_all(out / kStage, error);
}

}  // namespace

StagedSite::StagedSite(const Site& site, fs::path out, OnForeignFile on_foreign)
    : out_(std::move(out)) {
  refuse_twofold_paths(site);
  refuse_foreign_folder(out_);
  make_writable_folder(out_);
  earlier_paths_ = manifest_paths(out_);
  current_paths_.insert(site.unchanged_files.begin(), site.unchanged_files.end());
  if (site.is_partial) current_paths_.insert(earlier_paths_.begin(), earlier_paths_.end());
  for (const SiteFile& file : site.files) current_paths_.insert(file.path);
  std::set<std::string> all_paths = earlier_paths_;
  all_paths.insert(current_paths_.begin(), current_paths_.end());
  // These checks come before the first write, so that a refused render changes nothing.
  refuse_links_out(out_, all_paths);
  if (on_foreign == OnForeignFile::kRefuse) refuse_foreign_files(out_, site.files, earlier_paths_);
  remove_tree(out_ / kStage);  // A killed render may have left it.
  try {
    for (const SiteFile& file : site.files) stage(file);
  } catch (...) {
    remove_stage(out_);
    throw;
  }
}

StagedSite::~StagedSite() { remove_stage(out_); }

fs::path StagedSite::staged_path(const std::string& path) const { return out_ / kStage / path; }

void StagedSite::stage(const SiteFile& file) {
  if (is_up_to_date(out_ / file.path, file.bytes)) return;
  make_writable_folder(staged_path(file.path).parent_path());
  write_atomically(staged_path(file.path), file.bytes, Sync::kFile);
  staged_paths_.push_back(file.path);
}

void StagedSite::write_manifest(const std::set<std::string>& paths) const {
  std::string text;
  for (const std::string& path : paths) text += path + "\n";
  if (!is_up_to_date(out_ / kManifest, text)) write_atomically(out_ / kManifest, text);
}

void StagedSite::commit() {
  std::set<std::string> all_paths = earlier_paths_;
  all_paths.insert(current_paths_.begin(), current_paths_.end());
  write_manifest(all_paths);  // A killed render must not leave unlisted files.
  // Folders are made before the renames, which need no space on a full disk.
  for (const std::string& path : staged_paths_) make_writable_folder((out_ / path).parent_path());
  std::ranges::stable_partition(staged_paths_,
                                [](const std::string& path) { return path != kIndex; });
  for (const std::string& path : staged_paths_) move_into_place(staged_path(path), out_, path);
  for (const std::string& path : earlier_paths_) {
    if (!current_paths_.contains(path)) remove_stale(out_, path);
  }
  write_manifest(current_paths_);
  remove_tree(out_ / kStage);
}

}  // namespace labreport
