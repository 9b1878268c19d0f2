#include "cli/rendering.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/chart_renderer.h"
#include "cli/worker_info.h"
#include "experiments/catalog.h"
#include "report/cells_csv.h"
#include "results/run_json.h"
#include "results/run_store.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestPublished = 10u << 20;

/// Takes in what the run's folder has of its artifacts. Only plain files of that very folder: a run
/// may come from anywhere.
void publish_artifacts(Part& part, const fs::path& artifacts) {
  for (Attachment& file : part.files) {
    if (file.artifact.empty()) continue;
    const fs::path path = artifacts / fs::path(file.artifact).filename();
    std::error_code error;
    const bool plain = fs::is_regular_file(fs::symlink_status(path, error));
    if (!plain || fs::file_size(path, error) > kLargestPublished) continue;
    file = {file.name, read_file(path), {}};
  }
}

SiteRun site_run(const RunStore& store) {
  const Run run = store.load();
  if (run.sessions.empty()) throw InputError(store.run_file().string() + " has no session");
  Document document = build_document(run, store.is_reference());
  for (Section& section : document.sections) {
    for (Part& part : section.parts) publish_artifacts(part, store.artifacts_folder());
  }
  return {new_run_folder("", run).string(), std::move(document), to_json(run), cells_csv(run)};
}

}  // namespace

Answers parse_answers(const std::string& text) {
  if (text == "none") return Answers::kNone;
  if (text == "facts") return Answers::kFacts;
  if (text == "full") return Answers::kFull;
  refuse_unknown("--answers", text, std::vector<std::string>{"none", "facts", "full"});
}

std::vector<fs::path> recorded_runs(const fs::path& root) {
  std::vector<fs::path> folders = list_runs(root);
  if (folders.empty()) {
    throw InputError("no recorded run under " + root.string(), "`make report` makes one");
  }
  return folders;
}

fs::path latest_run(const fs::path& root) {
  const std::vector<fs::path> folders = recorded_runs(root);
  const auto own = std::find_if(folders.rbegin(), folders.rend(), [](const fs::path& folder) {
    return !RunStore(folder).is_reference();
  });
  return own == folders.rend() ? folders.back() : *own;
}

const fs::path& Rendered::page_of(const fs::path& run_folder) const {
  const auto found = pages.find(run_folder);
  return found == pages.end() ? index : found->second;
}

Rendered render_runs(const std::vector<fs::path>& folders, const RenderOptions& options) {
  Rendered rendered{};
  if (options.formats.has(Format::kHtml)) rendered.index = options.out / "index.html";
  const std::string file = format_file(options.formats.first());
  std::vector<SiteRun> runs;
  for (const fs::path& folder : folders) {
    const RunStore store(folder);
    if (options.own && store.is_reference()) continue;
    try {
      runs.push_back(site_run(store));
      rendered.pages[folder] = options.out / runs.back().folder / file;
    } catch (const InputError& error) {
      fmt::print(stderr, "left out: {}\n", error.what());
      rendered.problems.emplace_back(error.what());
    }
  }
  if (runs.empty()) throw InputError("no run to render", "`make report` makes one");
  ChartProcess tool = project_chart_tool(project_folder());
  const Site site = render_site(runs, {options.answers, options.formats, options.paper}, &tool);
  if (!site.notice.empty()) fmt::print(stderr, "{}\n", site.notice);
  write_site(site, options.out);
  return rendered;
}

}  // namespace labreport
