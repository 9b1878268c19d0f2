#include "publish/render_key.h"

#include <nlohmann/json.hpp>

#include "base/build_info.h"
#include "base/stamp.h"

namespace labreport {
namespace {

/// The program with all that it carries inside: a build of other sources is another file.
nlohmann::json this_program() {
  static const std::string stamp = file_stamp("/proc/self/exe");
  return {build_info().version, build_info().revision, stamp};
}

nlohmann::json given(const RenderOptions& options) {
  // Every member by its name, so that a new one does not compile before someone decided here
  // whether a page depends on it. What a folder holds goes in by `folder_stamp`.
  const auto& [out, answers, formats, paper, notes, own, imports, single_file, force, asked] =
      options;
  static_cast<void>(out);      // Which site a page stands in: it has a record of its own.
  static_cast<void>(own);      // Which runs are rendered, not how.
  static_cast<void>(force);    // What is overwritten, not with what.
  static_cast<void>(asked);    // What the status is.
  static_cast<void>(imports);  // They have comparisons, with keys of their own.
  nlohmann::json parts = {static_cast<int>(answers), static_cast<int>(paper), formats.bits(),
                          single_file};
  if (!notes.empty()) parts.push_back(content_hash(folder_stamp(notes)));
  return parts;
}

}  // namespace

std::string render_key(const RunStore& run, bool noted, const RenderOptions& options,
                       const std::string& chart_tool) {
  // As JSON, so that no two lists of parts read alike; what names files is hashed before, as names
  // need not be UTF-8.
  const nlohmann::json parts = {this_program(), content_hash(chart_tool), given(options), noted,
                                content_hash(run.stamp())};
  return content_hash(parts.dump());
}

}  // namespace labreport
