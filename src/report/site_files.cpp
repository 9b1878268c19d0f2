#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "report/site.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

/// Lists what the last render wrote, one path a line, so that the next can tell its own files.
constexpr std::string_view kManifest = ".labreport-site";

bool stays_inside(const fs::path& path) {
  return path.is_relative() &&
         std::ranges::none_of(path, [](const fs::path& part) { return part == ".."; });
}

std::set<std::string> written_before(const fs::path& out) {
  std::set<std::string> paths;
  if (!fs::exists(out / kManifest)) return paths;
  for (const std::string& line : split(read_plain_file(out / kManifest), '\n')) {
    if (!line.empty() && stays_inside(line)) paths.insert(line);
  }
  return paths;
}

void refuse_foreign_folder(const fs::path& out) {
  if (!fs::exists(out) || fs::exists(out / kManifest)) return;
  if (!fs::is_directory(out))
    throw InputError(out.string() + " is no folder", "choose another --out");
  if (fs::is_empty(out)) return;
  throw InputError(out.string() + " holds files that are no site of this program",
                   "choose an empty or new folder with --out");
}

bool already_there(const fs::path& path, const std::string& bytes) {
  std::error_code error;
  return fs::is_regular_file(fs::symlink_status(path, error)) &&
         fs::file_size(path, error) == bytes.size() && read_file(path) == bytes;
}

/// Throws for a link between the site's folder and one of the files: writing and removing would
/// follow it out of the site. A link in a file's own place is replaced or removed, not followed.
void refuse_ways_out(const fs::path& out, const std::set<std::string>& files) {
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

/// A folder may have become a site long ago: what somebody else put there since is theirs.
void refuse_foreign_files(const fs::path& out, const std::vector<SiteFile>& files,
                          const std::set<std::string>& own) {
  for (const SiteFile& file : files) {
    const fs::path path = out / file.path;
    const bool foreign = !own.contains(file.path) && fs::exists(fs::symlink_status(path));
    if (!foreign || already_there(path, file.bytes)) continue;
    throw InputError(path.string() + " is in the way: this program did not write it",
                     "move it away, choose another --out, or overwrite it with --force");
  }
}

void remove_stale(const fs::path& out, const std::string& path) {
  std::error_code error;
  fs::remove(out / path, error);
  fs::remove(unfinished(out / path), error);  // of a render that was cut short
  // Folders that became empty go too; remove() leaves others alone.
  for (fs::path folder = fs::path(path).parent_path(); !folder.empty();
       folder = folder.parent_path()) {
    if (!fs::remove(out / folder, error)) break;
  }
}

}  // namespace

void write_site(const Site& site, const fs::path& out, Foreign foreign) {
  refuse_foreign_folder(out);
  make_writable_folder(out);
  const std::set<std::string> before = written_before(out);
  std::set<std::string> now(site.kept.begin(), site.kept.end());
  if (site.partial) now.insert(before.begin(), before.end());
  for (const SiteFile& file : site.files) now.insert(file.path);
  std::set<std::string> listed = before;
  listed.insert(now.begin(), now.end());
  // Before the first byte is written: a render that is refused leaves everything as it was.
  refuse_ways_out(out, listed);
  if (foreign == Foreign::kStays) refuse_foreign_files(out, site.files, before);
  const auto write_manifest = [&out](const std::set<std::string>& paths) {
    std::string text;
    for (const std::string& path : paths) text += path + "\n";
    if (!already_there(out / kManifest, text)) write_atomically(out / kManifest, text);
  };
  write_manifest(listed);  // First what may come to be: a render cut short leaves nothing unlisted.
  for (const SiteFile& file : site.files) {
    const fs::path path = out / file.path;
    if (already_there(path, file.bytes)) continue;
    make_writable_folder(path.parent_path());
    write_atomically(path, file.bytes);
  }
  for (const std::string& path : before) {
    if (!now.contains(path)) remove_stale(out, path);
  }
  write_manifest(now);
}

}  // namespace labreport
