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
  for (const std::string& line : split(read_file(out / kManifest), '\n')) {
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

void write_site(const Site& site, const fs::path& out) {
  refuse_foreign_folder(out);
  make_writable_folder(out);
  const std::set<std::string> before = written_before(out);
  std::set<std::string> now(site.kept.begin(), site.kept.end());
  if (site.partial) now.insert(before.begin(), before.end());
  for (const SiteFile& file : site.files) now.insert(file.path);
  std::set<std::string> listed = before;
  listed.insert(now.begin(), now.end());
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
