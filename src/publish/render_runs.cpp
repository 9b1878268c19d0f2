// A render from beginning to end: what is kept, what is loaded and drawn, what is written.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/messages.h"
#include "orchestrate/subprocess_interrupts.h"
#include "orchestrate/worker_info.h"
#include "publish/cached_charts.h"
#include "publish/chart_renderer.h"
#include "publish/diff_pages.h"
#include "publish/note_formulas.h"
#include "publish/render_candidates.h"
#include "publish/render_key.h"
#include "publish/render_record.h"
#include "publish/rendering.h"
#include "publish/run_notes.h"
#include "publish/site_lock.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

/// "<gpu>/<edition>/<time>-imported"
std::string import_place(const fs::path& folder) {
  const fs::path edition = folder.parent_path();
  return (edition.parent_path().filename() / edition.filename() / folder.filename()).string();
}

std::vector<PairedRun> imported_runs(const RenderOptions& options, const std::string& chart_tool) {
  std::vector<PairedRun> imports;
  for (const fs::path& folder : options.imports) {
    const RunStore store(folder);
    if (options.own && store.is_reference()) continue;
    imports.push_back({store, import_place(folder), render_key(store, false, options, chart_tool)});
  }
  return imports;
}

std::vector<DiffPage> compare(const std::vector<Candidate>& runs, std::vector<PairedRun> paired,
                              const RenderOptions& options, ChartTool& tool,
                              const RenderRecord* record) {
  if (!options.formats.has(Format::kHtml)) return {};
  for (const Candidate& run : runs) {
    const auto [preset, headline] =
        run.kept ? std::tie(run.kept->entry.preset, run.kept->entry.headline)
                 : std::tie(run.loaded.document.preset, run.loaded.document.headline);
    // What times no training step is no pair's first choice.
    paired.push_back({run.store, run.place, run.key, headline.network.empty() ? "" : preset});
  }
  return make_diff_pages(paired, options.out, tool, record);
}

Site render(std::vector<Candidate>& runs, const std::vector<DiffPage>& diffs,
            const RenderOptions& options, ChartTool& tool) {
  std::vector<SiteRun> loaded;
  std::vector<KeptRun> kept;
  for (Candidate& run : runs) {
    if (run.kept)
      kept.push_back(*run.kept);
    else
      loaded.push_back(std::move(run.loaded));
  }
  const std::string no_formulas = convert_note_formulas(loaded, tool);
  Site site = render_site(
      loaded,
      {options.answers, options.formats, options.paper, options.single_file, listed_pairs(diffs)},
      &tool, kept);
  if (!no_formulas.empty()) {
    site.notice += (site.notice.empty() ? "" : "\n") + no_formulas;
    for (const SiteRun& run : loaded) site.lacking.insert(run.folder);
  }
  add_diff_pages(site, diffs);
  return site;
}

/// Pages that an earlier render left would look for charts that are not here now.
Site render_anew(std::vector<Candidate>& runs, const std::vector<PairedRun>& imports,
                 const RenderOptions& options, ChartTool& tool, RunNotes& notes) {
  for (Candidate& run : runs) {
    HeldInterrupts::check();
    run.kept.reset();
    load(run, notes);
    run.loaded.folder = run.place;
  }
  return render(runs, compare(runs, imports, options, tool, nullptr), options, tool);
}

/// The last line, where words stand: the next measurement takes them to its own page.
void tell_where(const RunNotes& notes, const Rendered& rendered) {
  std::vector<fs::path> runs;
  for (const auto& [run, page] : rendered.pages) runs.push_back(run);
  const std::string line = notes.where(runs);
  if (!line.empty()) say("{}\n", line);
}

void remember(const std::vector<Candidate>& runs, const std::vector<DiffPage>& diffs,
              const Site& site, RenderRecord& record) {
  remember_diff_pages(record, diffs);
  for (const Candidate& run : runs) {
    if (run.kept) {
      record.keep(run.store.folder());
      continue;
    }
    // What complains, or lacks its charts, is tried again the next time.
    if (run.complained || site.lacking.contains(run.place)) continue;
    const auto entry = std::ranges::find(site.entries, run.place, &RunEntry::folder);
    record.keep(run.store.folder(), run.key, *entry, files_of(site, run.place), run.wanted);
  }
  record.save();
}

std::set<std::string> paths_of(const Site& site) {
  std::set<std::string> paths(site.kept.begin(), site.kept.end());
  for (const SiteFile& file : site.files) paths.insert(file.path);
  return paths;
}

/// Pages that were made, and, where formats were asked for, what of them could not be.
void tell_pages(const std::vector<Candidate>& runs, const Site& site, const RenderOptions& options,
                Rendered& rendered) {
  const std::set<std::string> made = paths_of(site);
  for (const Candidate& run : runs) {
    for (const Format format : options.formats.list()) {
      const std::string path = run.place + "/" + format_file(format);
      if (options.asked && !made.contains(path)) rendered.problems.push_back("no " + path);
    }
    const std::string page = options.single_file
                                 ? single_page_path(run.place)
                                 : run.place + "/" + format_file(options.formats.first());
    if (!made.contains(page)) continue;
    for (const fs::path& folder : run.folders) rendered.pages[folder] = options.out / page;
  }
}

/// All that a render reads and writes; a second one into the same folder waits.
struct RenderWork {
  const std::vector<fs::path>& folders;
  const RenderOptions& options;
  fs::path project = project_folder();
  ChartProcess process{project};
  std::string chart_tool = process.identity();
  ContentCache cache{kept_results(project)};
  CachedCharts tool{process, chart_tool, cache};
  SiteLock lock{options.out};
  RenderRecord record{cache, options.out};

  Rendered run();
};

Rendered RenderWork::run() {
  RunNotes notes(folders, options.notes);
  Rendered rendered{};
  if (options.formats.has(Format::kHtml)) rendered.index = options.out / "index.html";
  std::vector<Candidate> runs =
      choose_runs(folders, options, chart_tool, record, notes, rendered.problems);
  const std::vector<PairedRun> imports = imported_runs(options, chart_tool);
  const std::vector<DiffPage> diffs = compare(runs, imports, options, tool, &record);
  Site site = render(runs, diffs, options, tool);
  const auto is_kept = [](const Candidate& run) { return run.kept.has_value(); };
  if (site.undrawn && std::ranges::any_of(runs, is_kept)) {
    site = render_anew(runs, imports, options, tool, notes);
  }
  for (const std::string& problem : notes.problems()) rendered.problems.push_back(problem);
  if (!site.notice.empty()) say("{}\n", site.notice);
  StagedSite staged(site, options.out, options.force ? Foreign::kOverwritten : Foreign::kStays);
  HeldInterrupts::check();  // the last one: from here on the site is replaced as a whole
  staged.commit();
  tell_pages(runs, site, options, rendered);
  tell_where(notes, rendered);
  if (!site.undrawn && !chart_tool.empty()) remember(runs, diffs, site, record);
  return rendered;
}

}  // namespace

Rendered render_runs(const std::vector<fs::path>& folders, const RenderOptions& options) {
  const HeldInterrupts held;
  try {
    return RenderWork{.folders = folders, .options = options}.run();
  } catch (const Interrupted&) {
    say("interrupted: {} is as it was\n", options.out.string());
    throw;
  }
}

}  // namespace labreport
