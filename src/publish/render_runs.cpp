// Renders a site: finds unchanged pages, loads and draws the other runs, and writes all files.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/error.h"
#include "base/messages.h"
#include "orchestrate/subprocess_interrupts.h"
#include "orchestrate/worker_info.h"
#include "publish/cached_charts.h"
#include "publish/chart_renderer.h"
#include "publish/diff_pages.h"
#include "publish/page_cache.h"
#include "publish/rendering.h"
#include "publish/run_notes.h"
#include "publish/site_lock.h"
#include "results/run_json.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

/// A run that is to be rendered.
struct Candidate {
  RunStore store;
  std::string key;
  std::optional<UnchangedRun> unchanged;  ///< Pages of an earlier render; if none, `loaded` is set.
  SiteRun loaded = {};
  std::string preferred_folder = {};   ///< Folder inside the site unless another run has it.
  std::string place = {};              ///< Folder inside the site.
  std::vector<fs::path> folders = {};  ///< All folders on disk that hold this run.
  bool complained = false;             ///< Its notes have problems, to be told by each render.
};

void load(Candidate& run, RunNotes& notes) {
  const std::size_t earlier_problems = notes.problems().size();
  run.loaded = site_run(run.store);
  notes.place(run.store, run.loaded.document);
  run.complained = run.complained || notes.problems().size() > earlier_problems;
}

/// Adds a run unless it is in `runs` already: of two copies the user's is used. A different run
/// whose folder in the site is taken gets a number.
void add_run(std::vector<Candidate>& runs, Candidate run) {
  int number = 1;
  for (Candidate& other : runs) {
    if (other.preferred_folder != run.preferred_folder) continue;
    ++number;
    if (to_json(load_measured(other.store)) != to_json(load_measured(run.store))) continue;
    std::vector<fs::path> folders = other.folders;
    folders.push_back(run.store.folder());
    run.place = other.place;
    if (other.store.is_reference() && !run.store.is_reference()) other = std::move(run);
    other.folders = std::move(folders);
    return;
  }
  if (number > 1) run.place += "-" + std::to_string(number);
  runs.push_back(std::move(run));
}

/// Returns true if `work` on a run succeeds. If it throws, adds a problem and returns false, so
/// that other runs keep their pages; the exception passes if the user named the runs.
bool succeeds(const fs::path& folder, const RenderOptions& options,
              std::vector<std::string>& problems, const std::function<void()>& work) try {
  work();
  return true;
} catch (const Interrupted&) {
  throw;
} catch (const std::exception& error) {
  if (options.named) throw;
  const bool names_itself = dynamic_cast<const Error*>(&error) != nullptr;
  problems.push_back("left out: " +
                     (names_itself ? error.what() : folder.string() + ": " + error.what()));
  return false;
}

/// The runs in `folders`, each once and with its own folder in the site. A run that cannot be read
/// becomes one of the `problems`. Throws `InputError` if no run is left.
std::vector<Candidate> choose_runs(const std::vector<fs::path>& folders,
                                   const RenderOptions& options, const std::string& chart_tool,
                                   const ContentCache& cache, RunNotes& notes,
                                   std::vector<std::string>& problems) {
  std::vector<Candidate> runs;
  for (const fs::path& folder : folders) {
    HeldInterrupts::check();
    const RunStore store(folder);
    if (options.own && store.is_reference()) continue;
    succeeds(folder, options, problems, [&] {
      const std::string key = pages_key(store, notes.names_for(store), options, chart_tool);
      Candidate run{.store = store, .key = key, .unchanged = find_pages(cache, key, options.out)};
      if (!run.unchanged) load(run, notes);
      run.preferred_folder = run.place =
          run.unchanged ? run.unchanged->preferred_folder : run.loaded.folder;
      run.folders = {store.folder()};
      add_run(runs, std::move(run));
    });
  }
  // A run whose earlier pages are in another folder of the site is loaded.
  std::erase_if(runs, [&](Candidate& run) {
    return !succeeds(run.store.folder(), options, problems, [&] {
      if (run.unchanged && run.unchanged->summary.folder != run.place) {
        run.unchanged.reset();
        load(run, notes);
      }
      run.loaded.folder = run.place;
    });
  });
  if (!runs.empty()) return runs;
  for (const std::string& problem : problems) say("{}\n", problem);
  throw InputError("no run to render", "`make report` makes one");
}

std::vector<PairedRun> imported_runs(const RenderOptions& options, const std::string& chart_tool) {
  std::vector<PairedRun> imports;
  for (const fs::path& folder : options.imports) {
    const RunStore store(folder);
    if (options.own && store.is_reference()) continue;
    // "<gpu>/<edition>/<time>-imported"
    const fs::path edition = folder.parent_path();
    const fs::path place =
        edition.parent_path().filename() / edition.filename() / folder.filename();
    imports.push_back({store, place.string(), pages_key(store, {}, options, chart_tool)});
  }
  return imports;
}

std::vector<DiffPage> compare(const std::vector<Candidate>& runs, std::vector<PairedRun> paired,
                              const RenderOptions& options, ChartTool& tool,
                              const ContentCache& cache) {
  if (!options.formats.contains(Format::kHtml)) return {};
  for (const Candidate& run : runs) {
    RunSummary summary = run.unchanged
                             ? run.unchanged->summary
                             : run_summary(run.loaded.document, run.place, run.loaded.started_at);
    // An empty preset marks a run that times no training step or mostly failed: pairs avoid it.
    const std::string preset = summary.headline.network.empty() ? "" : summary.preset;
    paired.push_back({run.store, run.place, run.key, preset, std::move(summary)});
  }
  return make_diff_pages(paired, options.out, tool, cache, options.site_url);
}

Site render(std::vector<Candidate>& runs, const std::vector<DiffPage>& diffs,
            const RenderOptions& options, ChartTool& tool, RunNotes& notes) {
  std::vector<SiteRun> loaded;
  std::vector<UnchangedRun> unchanged;
  for (Candidate& run : runs) {
    if (run.unchanged)
      unchanged.push_back(*run.unchanged);
    else
      loaded.push_back(std::move(run.loaded));
  }
  const ConvertedFormulas converted = convert_note_formulas(loaded, tool);
  Site site = render_site(loaded,
                          {options.answers, options.formats, options.paper, options.single_file,
                           listed_pairs(diffs), options.site_url},
                          &tool, unchanged);
  if (!converted.failure.empty()) {
    site.add_notice(converted.failure);
    for (const SiteRun& run : loaded) site.lacking.insert(run.folder);
  }
  for (const std::string& problem : converted.refused) notes.add_problem(problem);
  site.lacking.insert(converted.runs.begin(), converted.runs.end());
  add_diff_pages(site, diffs);
  return site;
}

/// Renders all runs, because this site lacks files that unchanged pages refer to.
Site render_anew(std::vector<Candidate>& runs, const std::vector<PairedRun>& imports,
                 const RenderOptions& options, ChartTool& tool, RunNotes& notes) {
  for (Candidate& run : runs) {
    HeldInterrupts::check();
    run.unchanged.reset();
    load(run, notes);
    run.loaded.folder = run.place;
  }
  return render(runs, compare(runs, imports, options, tool, ContentCache({})), options, tool,
                notes);
}

/// Removes the runs that cannot be rendered even alone and without charts.
void drop_unwritable(std::vector<Candidate>& runs, const RenderOptions& options, RunNotes& notes,
                     std::vector<std::string>& problems) {
  std::erase_if(runs, [&](Candidate& run) {
    return !succeeds(run.store.folder(), options, problems, [&] {
      run.unchanged.reset();
      load(run, notes);
      run.loaded.folder = run.place;
      render_site({run.loaded},
                  {options.answers, options.formats, options.paper, options.single_file, {}},
                  nullptr);
    });
  });
}

void store_rendered(const std::vector<Candidate>& runs, const std::vector<DiffPage>& diffs,
                    const Site& site, const fs::path& out, const ContentCache& cache) {
  remember_diff_pages(diffs, out, cache);
  for (const Candidate& run : runs) {
    // A run with problems in its notes, or without charts or a format, is rendered again next time.
    if (run.unchanged || run.complained || site.lacking.contains(run.place)) continue;
    const auto entry = std::ranges::find(site.summaries, run.place, &RunSummary::folder);
    store_pages(cache, run.key, out, *entry, files_of(site, run.place), run.preferred_folder);
  }
}

/// Records in `rendered` the page of each run, the pages that changed, and if a format is missing.
void list_pages(const std::vector<Candidate>& runs, const Site& site,
                const std::set<std::string>& changed, const RenderOptions& options,
                Rendered& rendered) {
  std::set<std::string> made(site.unchanged.begin(), site.unchanged.end());
  for (const SiteFile& file : site.files) made.insert(file.path);
  for (const Candidate& run : runs) {
    for (const Format format : options.formats) {
      const std::string path = run.place + "/" + format_file(format);
      if (options.asked && !made.contains(path)) rendered.lacks_format = true;
    }
    const std::string page = options.single_file
                                 ? single_page_path(run.place)
                                 : run.place + "/" + format_file(*options.formats.begin());
    if (!made.contains(page)) continue;
    if (changed.contains(page)) rendered.changed.insert(options.out / page);
    for (const fs::path& folder : run.folders) rendered.pages[folder] = options.out / page;
  }
}

/// Adds each problem that is not listed yet, because a run that is loaded twice reports it twice.
void add_once(std::vector<std::string>& problems, const std::vector<std::string>& more) {
  for (const std::string& problem : more) {
    if (std::ranges::find(problems, problem) == problems.end()) problems.push_back(problem);
  }
}

/// The inputs of one render; `lock` makes another render into the same folder wait.
struct RenderWork {
  const std::vector<fs::path>& folders;
  const RenderOptions& options;
  fs::path project = project_folder();
  ChartProcess process{project};
  std::string chart_tool = process.identity();
  ContentCache cache{cache_folder(project)};
  CachedCharts tool{process, chart_tool, cache};
  SiteLock lock{options.out};

  Rendered run();
};

Rendered RenderWork::run() {
  RunNotes notes(folders, options.notes);
  Rendered rendered{};
  if (options.formats.contains(Format::kHtml)) rendered.index = options.out / "index.html";
  std::vector<Candidate> runs =
      choose_runs(folders, options, chart_tool, cache, notes, rendered.problems);
  const std::vector<PairedRun> imports = imported_runs(options, chart_tool);
  const std::vector<DiffPage> diffs = compare(runs, imports, options, tool, cache);
  Site site;
  bool whole = true;
  try {
    site = render(runs, diffs, options, tool, notes);
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception&) {
    whole = false;
    drop_unwritable(runs, options, notes, rendered.problems);
    if (runs.empty()) throw;
    site = render_anew(runs, imports, options, tool, notes);
  }
  const auto is_unchanged = [](const Candidate& run) { return run.unchanged.has_value(); };
  if (site.undrawn && std::ranges::any_of(runs, is_unchanged)) {
    site = render_anew(runs, imports, options, tool, notes);
  }
  add_once(rendered.problems, notes.problems());
  StagedSite staged(site, options.out, options.force ? Foreign::kOverwritten : Foreign::kStays);
  HeldInterrupts::check();  // no check follows, so that the whole site is replaced
  const std::set<std::string> changed(staged.changed().begin(), staged.changed().end());
  staged.commit();
  list_pages(runs, site, changed, options, rendered);
  rendered.notice = site.notice;
  // The user is told where the notes are, because the next measurement may move them to its page.
  std::vector<fs::path> pages;
  for (const auto& [run, page] : rendered.pages) pages.push_back(run);
  rendered.where = notes.where(pages);
  if (whole && !site.undrawn && !chart_tool.empty())
    store_rendered(runs, diffs, site, options.out, cache);
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
