#include "publish/page_cache.h"

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

/// Returns the absolute path, which is the same from every current folder.
std::string absolute_text(const fs::path& path) {
  std::error_code error;
  const fs::path full = fs::weakly_canonical(fs::absolute(path, error), error);
  return (full.has_filename() ? full : full.parent_path()).string();
}

nlohmann::json options_key(const RenderOptions& options) {
  // This binding names every member, so that a new one does not compile until someone decides here
  // whether a page depends on it. The content of `notes` enters through `folder_stamp`.
  const auto& [out, answers, formats, paper, notes, own_runs_only, imports, single_file, force,
               user_named_runs, user_named_formats, site_url] = options;
  static_cast<void>(own_runs_only);       // Chooses the runs.
  static_cast<void>(force);               // Permits overwriting.
  static_cast<void>(user_named_runs);     // Decides what is refused.
  static_cast<void>(user_named_formats);  // Decides the exit status.
  static_cast<void>(imports);             // Comparisons have separate keys.
  nlohmann::json inputs = {content_hash(absolute_text(out)),
                           static_cast<int>(answers),
                           static_cast<int>(paper),
                           formats,
                           single_file,
                           site_url};
  if (!notes.empty()) inputs.push_back(content_hash(folder_stamp(notes)));
  return inputs;
}

}  // namespace

std::string pages_key(const RunStore& run, const std::set<std::string>& note_names,
                      const RenderOptions& options, const std::string& tool_identity) {
  // Templates and scripts are embedded in the program, so a change of them changes its file.
  static const std::string program = file_stamp("/proc/self/exe");
  // Paths are hashed because they need not be UTF-8, which JSON demands.
  const nlohmann::json inputs = {{build_info().version, build_info().revision, program},
                                 content_hash(tool_identity),
                                 options_key(options),
                                 note_names,
                                 content_hash(absolute_text(run.folder())),
                                 content_hash(run.stamp())};
  return content_hash(inputs.dump());
}

std::optional<UnchangedRun> find_pages(const ContentCache& cache, const std::string& key,
                                       const fs::path& out) {
  const auto bytes = cache.find(key);
  if (!bytes) return std::nullopt;
  const nlohmann::json stored = nlohmann::json::parse(*bytes);
  UnchangedRun run{.summary = stored.at("summary").get<RunSummary>(),
                   .files = {},
                   .preferred_folder = stored.at("wanted").get<std::string>()};
  for (const nlohmann::json& link : stored.at("links"))
    run.links.push_back({link.at(0).get<std::string>(), link.at(1).get<std::string>()});
  for (const auto& [path, stamp] : stored.at("files").items()) {
    if (file_stamp(out / path) != stamp.get<std::string>()) return std::nullopt;
    run.files.push_back(path);
  }
  return run;
}

void store_pages(const ContentCache& cache, const std::string& key, const fs::path& out,
                 const RunSummary& summary, const std::vector<const SiteFile*>& files,
                 const std::string& preferred_folder, const std::vector<SiteLink>& links) {
  nlohmann::json names_and_files = nlohmann::json::array();
  for (const SiteLink& link : links) names_and_files.push_back({link.name, link.file});
  nlohmann::json stamps = nlohmann::json::object();
  for (const SiteFile* file : files) {
    // The stamp comes before the reading, so that a change in between makes it out of date.
    std::string stamp = file_stamp(out / file->path);
    try {
      if (stamp.empty() || read_file(out / file->path) != file->bytes) return;
    } catch (const Error&) {
      return;
    }
    stamps[file->path] = std::move(stamp);
  }
  cache.store(key, compact_json(nlohmann::json{{"summary", summary},
                                               {"files", std::move(stamps)},
                                               {"wanted", preferred_folder},
                                               {"links", std::move(names_and_files)}}));
}

}  // namespace labreport
