// A render from beginning to end: what is kept, what is loaded and drawn, what is written.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/messages.h"
#include "cli/cached_charts.h"
#include "cli/chart_renderer.h"
#include "cli/diff_pages.h"
#include "cli/render_key.h"
#include "cli/render_record.h"
#include "cli/rendering.h"
#include "cli/run_notes.h"
#include "cli/worker_info.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

/// A run on its way into the site.
struct Candidate {
  RunStore store;
  std::string key;
  std::optional<KeptRun> kept;  ///< From an earlier render; otherwise it is loaded.
  SiteRun loaded = {};
  std::string place = {};   ///< Its folder inside the site.
  bool complained = false;  ///< Of its notes: to be told again the next time.
};

void load(Candidate& run, RunNotes& notes) {
  const std::size_t told = notes.problems().size();
  run.loaded = site_run(run.store);
  notes.place(run.store, run.loaded.document);
  run.complained = run.complained || notes.problems().size() > told;
}

Candidate candidate(const RunStore& store, const std::string& key, const RenderRecord& record,
                    RunNotes& notes) {
  Candidate run{.store = store, .key = key, .kept = record.find(store.folder(), key)};
  if (!run.kept) load(run, notes);
  run.place = run.kept ? run.kept->card.folder : run.loaded.folder;
  return run;
}

/// Two folders may hold the same run: one's own copy stands for both.
void add(std::vector<Candidate>& runs, Candidate run) {
  const auto same = std::ranges::find(runs, run.place, &Candidate::place);
  if (same == runs.end()) {
    runs.push_back(std::move(run));
  } else if (same->store.is_reference() && !run.store.is_reference()) {
    *same = std::move(run);
  }
}

std::vector<Candidate> choose(const std::vector<fs::path>& folders, const RenderOptions& options,
                              const std::string& chart_tool, const RenderRecord& record,
                              RunNotes& notes, Rendered& rendered) {
  const std::string file = format_file(options.formats.first());
  std::vector<Candidate> runs;
  for (const fs::path& folder : folders) {
    const RunStore store(folder);
    if (options.own && store.is_reference()) continue;
    try {
      const std::string key = render_key(store, notes.belongs_to(store), options, chart_tool);
      Candidate run = candidate(store, key, record, notes);
      rendered.pages[folder] = options.out / (options.single_file ? single_page_path(run.place)
                                                                  : run.place + "/" + file);
      add(runs, std::move(run));
    } catch (const InputError& error) {
      say("left out: {}\n", error.what());
      rendered.problems.emplace_back(error.what());
    }
  }
  if (runs.empty()) throw InputError("no run to render", "`make report` makes one");
  return runs;
}

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
    paired.push_back({run.store, run.place, run.key,
                      run.kept ? run.kept->card.preset : run.loaded.document.preset});
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
  Site site = render_site(
      loaded,
      {options.answers, options.formats, options.paper, options.single_file, listed_pairs(diffs)},
      &tool, kept);
  add_diff_pages(site, diffs);
  return site;
}

/// Pages that an earlier render left would look for charts that are not here now.
Site render_anew(std::vector<Candidate>& runs, const std::vector<PairedRun>& imports,
                 const RenderOptions& options, ChartTool& tool, RunNotes& notes) {
  for (Candidate& run : runs) {
    run.kept.reset();
    load(run, notes);
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
    if (run.complained) continue;
    const auto card = std::ranges::find(site.cards, run.place, &RunCard::folder);
    record.keep(run.store.folder(), run.key, *card, files_of(site, run.place));
  }
  record.save();
}

}  // namespace

Rendered render_runs(const std::vector<fs::path>& folders, const RenderOptions& options) {
  const fs::path project = project_folder();
  ChartProcess process = project_chart_tool(project);
  const std::string chart_tool = process.identity();
  const ContentCache cache(kept_results(project));
  CachedCharts tool(process, chart_tool, cache);
  RenderRecord record(cache, options.out);

  RunNotes notes(folders, options.notes);
  Rendered rendered{};
  if (options.formats.has(Format::kHtml)) rendered.index = options.out / "index.html";
  std::vector<Candidate> runs = choose(folders, options, chart_tool, record, notes, rendered);
  const std::vector<PairedRun> imports = imported_runs(options, chart_tool);
  const std::vector<DiffPage> diffs = compare(runs, imports, options, tool, &record);
  Site site = render(runs, diffs, options, tool);
  const auto is_kept = [](const Candidate& run) { return run.kept.has_value(); };
  if (!site.notice.empty() && std::ranges::any_of(runs, is_kept)) {
    site = render_anew(runs, imports, options, tool, notes);
  }
  for (const std::string& problem : notes.problems()) rendered.problems.push_back(problem);
  if (!site.notice.empty()) say("{}\n", site.notice);
  write_site(site, options.out, options.force ? Foreign::kOverwritten : Foreign::kStays);
  tell_where(notes, rendered);
  // What lacks its charts is tried again the next time.
  if (site.notice.empty() && !chart_tool.empty()) remember(runs, diffs, site, record);
  return rendered;
}

}  // namespace labreport
