// Which runs a render shows, and where in the site.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "publish/render_record.h"
#include "publish/rendering.h"
#include "publish/run_notes.h"
#include "publish/site.h"
#include "results/run_store.h"

namespace labreport {

/// A run on its way into the site.
struct Candidate {
  RunStore store;
  std::string key;
  std::optional<KeptRun> kept;  ///< From an earlier render; otherwise it is loaded.
  SiteRun loaded = {};
  std::string wanted = {};  ///< Its folder inside the site, had no other run that name.
  std::string place = {};   ///< Its folder inside the site.
  std::vector<std::filesystem::path> folders = {};  ///< That hold it.
  bool complained = false;  ///< Of its notes: to be told again the next time.
};

/// Loads the run with its notes, for its place.
void load(Candidate& run, RunNotes& notes);

/// The runs in `folders`, each once and with a place of its own. What cannot be read is told and
/// becomes one of the `problems`. Throws `InputError` where nothing is left.
std::vector<Candidate> choose_runs(const std::vector<std::filesystem::path>& folders,
                                   const RenderOptions& options, const std::string& chart_tool,
                                   const RenderRecord& record, RunNotes& notes,
                                   std::vector<std::string>& problems);

}  // namespace labreport
