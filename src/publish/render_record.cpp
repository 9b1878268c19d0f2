#include "publish/render_record.h"

#include <utility>

#include "base/build_info.h"
#include "base/error.h"
#include "base/files.h"
#include "base/stamp.h"
#include "results/json_writer.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;
/// One name for a folder, wherever it is called from.
std::string full_name(const fs::path& path) {
  std::error_code error;
  const fs::path full = fs::weakly_canonical(fs::absolute(path, error), error);
  return (full.has_filename() ? full : full.parent_path()).string();
}

std::string key_of(const fs::path& out) { return "site\n" + full_name(out); }

/// Empty unless the file holds these bytes: the stamp is older than the look at them.
std::string stamp_of(const fs::path& path, const std::string& bytes) {
  std::string stamp = file_stamp(path);
  try {
    return !stamp.empty() && read_file(path) == bytes ? stamp : "";
  } catch (const Error&) {
    return "";
  }
}

/// The program with all that it carries inside: a build of other sources is another file.
nlohmann::json this_program() {
  static const std::string stamp = file_stamp("/proc/self/exe");
  return {build_info().version, build_info().revision, stamp};
}

nlohmann::json given(const RenderOptions& options) {
  // Every member by its name, so that a new one does not compile before someone decided here
  // whether a page depends on it. What a folder holds goes in by `folder_stamp`.
  const auto& [out, answers, formats, paper, notes, own, imports, single_file, force, named,
               asked] = options;
  static_cast<void>(out);      // Which site a page stands in: it has a record of its own.
  static_cast<void>(own);      // Which runs are rendered, not how.
  static_cast<void>(force);    // What is overwritten, not with what.
  static_cast<void>(named);    // What is refused, not what is rendered.
  static_cast<void>(asked);    // What the status is.
  static_cast<void>(imports);  // They have comparisons, with keys of their own.
  nlohmann::json parts = {static_cast<int>(answers), static_cast<int>(paper), formats, single_file};
  if (!notes.empty()) parts.push_back(content_hash(folder_stamp(notes)));
  return parts;
}

}  // namespace

RenderRecord::RenderRecord(ContentCache cache, fs::path out)
    : cache_(std::move(cache)), out_(std::move(out)) {
  before_ = nlohmann::json::parse(cache_.find(key_of(out_)).value_or("{}"), nullptr, false);
}

std::optional<KeptRun> RenderRecord::find(const fs::path& run, const std::string& key) const {
  try {
    const auto entry = before_.find(full_name(run));
    if (entry == before_.end() || entry->at("key") != key) return std::nullopt;
    KeptRun kept{.entry = entry->at("entry").get<RunEntry>(),
                 .files = {},
                 .wanted = entry->at("wanted").get<std::string>()};
    for (const auto& [path, stamp] : entry->at("files").items()) {
      if (file_stamp(out_ / path) != stamp.get<std::string>()) return std::nullopt;
      kept.files.push_back(path);
    }
    return kept;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;  // of another version of this program
  }
}

void RenderRecord::keep(const fs::path& run) {
  const std::string name = full_name(run);
  now_[name] = before_.at(name);
}

void RenderRecord::keep(const fs::path& run, const std::string& key, const RunEntry& entry,
                        const std::vector<const SiteFile*>& files, const std::string& wanted) {
  nlohmann::json stamps = nlohmann::json::object();
  for (const SiteFile* file : files) {
    const std::string stamp = stamp_of(out_ / file->path, file->bytes);
    if (stamp.empty()) return;
    stamps[file->path] = stamp;
  }
  now_[full_name(run)] = {
      {"key", key}, {"entry", entry}, {"files", std::move(stamps)}, {"wanted", wanted}};
}

void RenderRecord::save() const {
  if (now_ != before_) cache_.keep(key_of(out_), compact_json(now_));
}

std::string render_key(const RunStore& run, bool noted, const RenderOptions& options,
                       const std::string& chart_tool) {
  // As JSON, so that no two lists of parts read alike; what names files is hashed before, as names
  // need not be UTF-8.
  const nlohmann::json parts = {this_program(), content_hash(chart_tool), given(options), noted,
                                content_hash(run.stamp())};
  return content_hash(parts.dump());
}

}  // namespace labreport
