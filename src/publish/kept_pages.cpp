#include "publish/kept_pages.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/build_info.h"
#include "base/error.h"
#include "base/files.h"
#include "base/stamp.h"
#include "results/json_writer.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

/// Returns the same name for a folder from every current folder.
std::string full_name(const fs::path& path) {
  std::error_code error;
  const fs::path full = fs::weakly_canonical(fs::absolute(path, error), error);
  return (full.has_filename() ? full : full.parent_path()).string();
}

/// The file's stamp, taken before it is read; empty unless the file holds these bytes.
std::string stamp_of(const fs::path& path, const std::string& bytes) {
  std::string stamp = file_stamp(path);
  try {
    return !stamp.empty() && read_file(path) == bytes ? stamp : "";
  } catch (const Error&) {
    return "";
  }
}

/// Identifies the program with all that is embedded: a build of other sources is another file.
nlohmann::json this_program() {
  static const std::string stamp = file_stamp("/proc/self/exe");
  return {build_info().version, build_info().revision, stamp};
}

nlohmann::json given(const RenderOptions& options) {
  // Names every member, so that a new one does not compile before someone decides here whether a
  // page depends on it. A folder's content is included by `folder_stamp`.
  const auto& [out, answers, formats, paper, notes, own, imports, single_file, force, named, asked,
               site_url] = options;
  static_cast<void>(own);      // Chooses runs, not their content.
  static_cast<void>(force);    // Permits overwriting.
  static_cast<void>(named);    // Decides what is refused.
  static_cast<void>(asked);    // Decides the exit status.
  static_cast<void>(imports);  // Comparisons have separate keys.
  nlohmann::json parts = {content_hash(full_name(out)),
                          static_cast<int>(answers),
                          static_cast<int>(paper),
                          formats,
                          single_file,
                          site_url};
  if (!notes.empty()) parts.push_back(content_hash(folder_stamp(notes)));
  return parts;
}

}  // namespace

std::string pages_key(const RunStore& run, const std::set<std::string>& noted,
                      const RenderOptions& options, const std::string& chart_tool) {
  // JSON distinguishes lists of parts that would be equal if they were joined. Names of files are
  // hashed because they need not be UTF-8.
  const nlohmann::json parts = {this_program(),
                                content_hash(chart_tool),
                                given(options),
                                noted,
                                content_hash(full_name(run.folder())),
                                content_hash(run.stamp())};
  return content_hash(parts.dump());
}

std::optional<KeptRun> find_pages(const ContentCache& cache, const std::string& key,
                                  const fs::path& out) {
  const auto bytes = cache.find(key);
  if (!bytes) return std::nullopt;
  const nlohmann::json found = nlohmann::json::parse(*bytes);
  KeptRun kept{.summary = found.at("summary").get<RunSummary>(),
               .files = {},
               .wanted = found.at("wanted").get<std::string>()};
  for (const auto& [path, stamp] : found.at("files").items()) {
    if (file_stamp(out / path) != stamp.get<std::string>()) return std::nullopt;
    kept.files.push_back(path);
  }
  return kept;
}

void keep_pages(const ContentCache& cache, const std::string& key, const fs::path& out,
                const RunSummary& summary, const std::vector<const SiteFile*>& files,
                const std::string& wanted) {
  nlohmann::json stamps = nlohmann::json::object();
  for (const SiteFile* file : files) {
    std::string stamp = stamp_of(out / file->path, file->bytes);
    if (stamp.empty()) return;
    stamps[file->path] = std::move(stamp);
  }
  cache.keep(key, compact_json(nlohmann::json{
                      {"summary", summary}, {"files", std::move(stamps)}, {"wanted", wanted}}));
}

}  // namespace labreport
