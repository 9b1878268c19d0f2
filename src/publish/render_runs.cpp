// Renders a site: finds unchanged pages, loads and draws the other runs, and writes all files.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/error.h"
#include "base/file_errors.h"
#include "base/lists.h"
#include "base/messages.h"
#include "base/stamp.h"
#include "base/text.h"
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

struct Candidate {
  WriteUp write_up;                       ///< One run, or several that are joined in one report.
  RunStore store;                         ///< The first run's.
  std::string key;                        ///< The key of the run's pages in the cache.
  std::optional<UnchangedRun> old_pages;  ///< Pages to reuse; without them `loaded_run` is set.
  SiteRun loaded_run = {};
  std::string preferred_folder = {};  ///< The folder inside the site unless another run has it.
  std::string site_folder = {};
  std::vector<fs::path> disk_folders = {};  ///< All folders that hold a copy of this run.
  bool has_bad_notes = false;               ///< If so, each render reports them again.
  std::vector<std::string> left_out = {};   ///< A line for each part that cannot be presented.
};

void load(Candidate& run, RunNotes& notes) {
  const auto complaints = [&] { return notes.problems().size() + notes.missing_pictures().size(); };
  const std::size_t complaints_before = complaints();
  run.left_out.clear();
  run.loaded_run = site_run(run.write_up, notes, run.left_out);
  run.has_bad_notes = run.has_bad_notes || complaints() > complaints_before;
}

/// Returns the name of the run's GPU.
std::string gpu_of(const Candidate& run) {
  return (run.old_pages ? run.old_pages->summary : run.loaded_run.summary).gpu();
}

/// Returns the first of "name", "name-2", … that `is_taken` does not refuse.
std::string free_name(const std::string& name,
                      const std::function<bool(const std::string&)>& is_taken) {
  std::string free = name;
  for (int number = 2; is_taken(free); ++number) free = name + "-" + std::to_string(number);
  return free;
}

/// Chooses the run's folder in the site. GPUs of different names have different folders, even if
/// `slug` makes one word of their names, and so have different runs of one second.
void choose_site_folder(const std::vector<Candidate>& runs, Candidate& run) {
  const std::string wanted_gpu = run.preferred_folder.substr(0, run.preferred_folder.find('/'));
  const std::string gpu_folder = free_name(wanted_gpu, [&](const std::string& name) {
    return std::ranges::any_of(runs, [&](const Candidate& other) {
      return other.site_folder.starts_with(name + "/") && gpu_of(other) != gpu_of(run);
    });
  });
  const std::string wanted = gpu_folder + run.preferred_folder.substr(wanted_gpu.size());
  run.site_folder = free_name(wanted, [&](const std::string& name) {
    return std::ranges::find(runs, name, &Candidate::site_folder) != runs.end();
  });
}

/// Adds a run unless `runs` has a copy of it; of two copies the user's is used.
void add_run(std::vector<Candidate>& runs, Candidate run) {
  for (Candidate& other : runs) {
    if (other.preferred_folder != run.preferred_folder || gpu_of(other) != gpu_of(run) ||
        to_json(load_measured(other.store)) != to_json(load_measured(run.store)))
      continue;
    std::vector<fs::path> folders = other.disk_folders;
    folders.push_back(run.store.folder());
    warn_once(fmt::format("{} and {} hold the same run, which is shown once",
                          folders.front().string(), folders.back().string()));
    run.site_folder = other.site_folder;
    if (other.store.is_reference() && !run.store.is_reference()) other = std::move(run);
    other.disk_folders = std::move(folders);
    return;
  }
  choose_site_folder(runs, run);
  runs.push_back(std::move(run));
}

/// Does `work` on a run and returns true. If it throws, adds a problem and returns false, so that
/// other runs keep their pages. If the user named the runs, the exception passes.
bool attempt(const fs::path& folder, const RenderOptions& options,
             std::vector<std::string>& problems, const std::function<void()>& work) try {
  work();
  return true;
} catch (const Interrupted&) {
  throw;
} catch (const std::exception& error) {
  if (options.user_named_runs) throw;
  const std::string reason = error_line(error);
  const bool names_folder = reason.find(folder.string()) != reason.npos;
  problems.push_back("left out: " + (names_folder ? reason : folder.string() + ": " + reason));
  return false;
}

/// Loads the runs whose pages have other links in their heads than the pages of this site.
void load_runs_with_old_links(std::vector<Candidate>& runs, const RenderOptions& options,
                              RunNotes& notes, std::vector<std::string>& problems) {
  std::vector<RunSummary> summaries;
  for (const Candidate& run : runs)
    summaries.push_back(run.old_pages ? run.old_pages->summary : run.loaded_run.summary);
  const std::vector<SiteLink> links = site_links(summaries);
  std::erase_if(runs, [&](Candidate& run) {
    return !attempt(run.store.folder(), options, problems, [&] {
      if (!run.old_pages || run.old_pages->links == links) return;
      run.old_pages.reset();
      load(run, notes);
      run.loaded_run.summary.folder = run.site_folder;
    });
  });
}

/// Returns the key of a report's files in the cache.
std::string report_key(const WriteUp& write_up, const RunNotes& notes, const RenderOptions& options,
                       const std::string& tool_identity) {
  std::string key;
  for (const WriteUpRun& run : write_up.runs) {
    const RunStore store(run.folder);
    const std::vector<std::string> problems(run.problems.begin(), run.problems.end());
    key += pages_key(store, notes.names_for(store), options, tool_identity) + join(problems, ",");
  }
  return write_up.joins_runs() ? content_hash(key) : key;
}

/// Returns the runs and write-ups, each once and with its own folder in the site. One that cannot
/// be read becomes one of the `problems`. Throws `InputError` if none remains.
std::vector<Candidate> choose_runs(const std::vector<WriteUp>& reports,
                                   const RenderOptions& options, const std::string& tool_identity,
                                   const ContentCache& cache, RunNotes& notes,
                                   std::vector<std::string>& problems) {
  std::vector<Candidate> runs;
  for (const WriteUp& report : reports) {
    HeldInterrupts::throw_if_interrupted();
    const RunStore store(report.runs.front().folder);
    if (options.own_runs_only && store.is_reference()) continue;
    attempt(store.folder(), options, problems, [&] {
      const std::string key = report_key(report, notes, options, tool_identity);
      Candidate run{.write_up = report,
                    .store = store,
                    .key = key,
                    .old_pages = find_pages(cache, key, options.out)};
      if (!run.old_pages) load(run, notes);
      run.preferred_folder =
          run.old_pages ? run.old_pages->preferred_folder : run.loaded_run.folder();
      run.disk_folders = report.folders();
      add_run(runs, std::move(run));
    });
  }
  // A run is loaded if its earlier pages are in another folder of the site.
  std::erase_if(runs, [&](Candidate& run) {
    return !attempt(run.store.folder(), options, problems, [&] {
      if (run.old_pages && run.old_pages->summary.folder != run.site_folder) {
        run.old_pages.reset();
        load(run, notes);
      }
      run.loaded_run.summary.folder = run.site_folder;
    });
  });
  load_runs_with_old_links(runs, options, notes, problems);
  if (!runs.empty()) return runs;
  for (const std::string& problem : problems) say("{}\n", problem);
  throw InputError("no run to render", "`make report` makes one");
}

std::vector<PairedRun> imported_runs(const RenderOptions& options,
                                     const std::string& tool_identity) {
  std::vector<PairedRun> imports;
  for (const fs::path& folder : options.imports) {
    const RunStore store(folder);
    if (options.own_runs_only && store.is_reference()) continue;
    const fs::path edition_folder = folder.parent_path();
    const fs::path site_folder =
        edition_folder.parent_path().filename() / edition_folder.filename() / folder.filename();
    imports.push_back({store, site_folder.string(), pages_key(store, {}, options, tool_identity)});
  }
  return imports;
}

std::vector<SitePair> compare_all(const std::vector<Candidate>& runs, std::vector<PairedRun> paired,
                                  const RenderOptions& options, const ContentCache& cache) {
  if (!options.formats.contains(Format::kHtml)) return {};
  for (const Candidate& run : runs) {
    const RunSummary& summary = run.old_pages ? run.old_pages->summary : run.loaded_run.summary;
    paired.push_back({run.store, run.site_folder, run.key, summary});
  }
  return compare_pairs(paired, options.out, cache);
}

/// Gives each figure the title of its data, which says what it shows but not what it finds.
void leave_out_findings(Document& document) {
  for (Section& section : document.sections) {
    for (Part& part : section.parts) {
      for (std::vector<Figure>* figures : {&part.figures, &part.details.figures})
        for (Figure& figure : *figures) {
          if (figure.alt.starts_with(figure.title))
            figure.alt.replace(0, figure.title.size(), figure.table.title);
          figure.title = figure.table.title;
        }
    }
  }
}

Site render(std::vector<Candidate>& runs, const std::vector<SitePair>& pairs,
            const RenderOptions& options, ChartTool& tool, RunNotes& notes) {
  std::vector<SiteRun> loaded;
  std::vector<UnchangedRun> unchanged;
  for (Candidate& run : runs) {
    if (run.old_pages)
      unchanged.push_back(*run.old_pages);
    else
      loaded.push_back(std::move(run.loaded_run));
  }
  if (options.answers == Answers::kNone)
    for (SiteRun& run : loaded) leave_out_findings(run.document);
  const ConvertedFormulas converted = convert_note_formulas(loaded, tool);
  Site site = render_site(
      loaded,
      {options.answers, options.formats, options.paper, options.single_file, options.site_url},
      &tool, unchanged, pairs);
  if (!converted.failure.empty()) {
    site.add_notice(converted.failure);
    for (const SiteRun& run : loaded) site.incomplete_runs.insert(run.folder());
  }
  for (const std::string& problem : converted.refusals) notes.add_problem(problem);
  site.incomplete_runs.insert(converted.affected_runs.begin(), converted.affected_runs.end());
  return site;
}

/// Renders all runs again, because this site lacks files to which unchanged pages refer.
Site render_all_again(std::vector<Candidate>& runs, const std::vector<PairedRun>& imports,
                      const RenderOptions& options, ChartTool& tool, RunNotes& notes) {
  for (Candidate& run : runs) {
    HeldInterrupts::throw_if_interrupted();
    run.old_pages.reset();
    load(run, notes);
    run.loaded_run.summary.folder = run.site_folder;
  }
  return render(runs, compare_all(runs, imports, options, ContentCache({})), options, tool, notes);
}

/// Removes the runs that cannot be rendered even alone and without charts.
void drop_unrenderable(std::vector<Candidate>& runs, const RenderOptions& options, RunNotes& notes,
                       std::vector<std::string>& problems) {
  std::erase_if(runs, [&](Candidate& run) {
    return !attempt(run.store.folder(), options, problems, [&] {
      run.old_pages.reset();
      load(run, notes);
      run.loaded_run.summary.folder = run.site_folder;
      render_site({run.loaded_run},
                  {options.answers, options.formats, options.paper, options.single_file}, nullptr);
    });
  });
}

void store_rendered(const std::vector<Candidate>& runs, const std::vector<SitePair>& pairs,
                    const Site& site, const fs::path& out, const ContentCache& cache) {
  for (const SitePair& pair : pairs) {
    const std::string& folder = pair.link.folder;
    if (pair.unchanged_files.empty() && !site.incomplete_runs.contains(folder))
      store_pages(cache, pair.key, out, pair.link, files_of(site, folder));
  }
  for (const Candidate& run : runs) {
    // A run that lacks parts, charts or a format, or has problems in its notes, is rendered again
    // next time.
    if (run.old_pages || run.has_bad_notes || !run.left_out.empty() ||
        site.incomplete_runs.contains(run.site_folder))
      continue;
    const auto entry = std::ranges::find(site.summaries, run.site_folder, &RunSummary::folder);
    store_pages(cache, run.key, out, *entry, files_of(site, run.site_folder), run.preferred_folder,
                site.links);
  }
}

/// Records in `rendered` the page of each run, the pages that changed, and a missing format.
void list_pages(const std::vector<Candidate>& runs, const Site& site,
                const std::set<std::string>& changed, const RenderOptions& options,
                Rendered& rendered) {
  std::set<std::string> site_paths(site.unchanged_files.begin(), site.unchanged_files.end());
  for (const SiteFile& file : site.files) site_paths.insert(file.path);
  for (const Candidate& run : runs) {
    for (const Format format : options.formats) {
      const std::string path = run.site_folder + "/" + format_file_name(format);
      if (options.user_named_formats && !site_paths.contains(path)) rendered.lacks_format = true;
    }
    const std::string page =
        options.single_file ? single_page_path(run.site_folder)
                            : run.site_folder + "/" + format_file_name(*options.formats.begin());
    if (!site_paths.contains(page)) continue;
    if (changed.contains(page)) rendered.changed_pages.insert(options.out / page);
    for (const fs::path& folder : run.disk_folders) rendered.pages[folder] = options.out / page;
  }
}

/// One render with its inputs. `lock` makes another render into the same folder wait.
struct RenderWork {
  const std::vector<WriteUp>& reports;
  const RenderOptions& options;
  fs::path project = project_folder();
  ChartProcess process{project};
  std::string tool_identity = process.identity();
  ContentCache cache{cache_folder(project)};
  CachedCharts tool{process, tool_identity, cache};
  SiteLock lock{options.out};

  Rendered execute();
};

Rendered RenderWork::execute() {
  RunNotes notes(reports, options.notes);
  Rendered rendered{};
  if (options.formats.contains(Format::kHtml)) rendered.index = options.out / "index.html";
  std::vector<Candidate> runs =
      choose_runs(reports, options, tool_identity, cache, notes, rendered.problems);
  const std::vector<PairedRun> imports = imported_runs(options, tool_identity);
  const std::vector<SitePair> pairs = compare_all(runs, imports, options, cache);
  Site site;
  bool first_attempt_worked = true;
  try {
    site = render(runs, pairs, options, tool, notes);
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception&) {
    first_attempt_worked = false;
    drop_unrenderable(runs, options, notes, rendered.problems);
    if (runs.empty()) throw;
    site = render_all_again(runs, imports, options, tool, notes);
  }
  const auto is_unchanged = [](const Candidate& run) { return run.old_pages.has_value(); };
  if (site.chart_tool_failed && std::ranges::any_of(runs, is_unchanged)) {
    site = render_all_again(runs, imports, options, tool, notes);
  }
  std::vector<std::string>& problems = rendered.problems;
  for (const Candidate& run : runs)
    problems.insert(problems.end(), run.left_out.begin(), run.left_out.end());
  problems.insert(problems.end(), site.problems.begin(), site.problems.end());
  for (const std::string& problem : notes.problems()) {
    // A run that is loaded twice reports its problems twice.
    if (std::ranges::find(problems, problem) == problems.end()) problems.push_back(problem);
  }
  StagedSite staged(site, options.out,
                    options.force ? OnForeignFile::kOverwrite : OnForeignFile::kRefuse);
  HeldInterrupts::throw_if_interrupted();  // No later check can stop a site that is half replaced.
  const std::set<std::string> changed(staged.changed_paths().begin(), staged.changed_paths().end());
  staged.commit();
  list_pages(runs, site, changed, options, rendered);
  for (const std::string& picture : distinct(notes.missing_pictures())) site.add_notice(picture);
  rendered.notice = site.notice;
  // The next measurement may move notes to its page, so the user is told where they are now.
  std::vector<fs::path> rendered_runs;
  for (const auto& [run, page] : rendered.pages) rendered_runs.push_back(run);
  rendered.note_placement = notes.placement(rendered_runs);
  if (first_attempt_worked && !site.chart_tool_failed && !tool_identity.empty())
    store_rendered(runs, pairs, site, options.out, cache);
  return rendered;
}

}  // namespace

Rendered render_runs(const std::vector<fs::path>& folders, const RenderOptions& options) {
  std::vector<WriteUp> reports;
  for (const fs::path& folder : folders) reports.push_back({"", {{folder}}});
  const HeldInterrupts held;
  return RenderWork{.reports = reports, .options = options}.execute();
}

Rendered render_write_up(const WriteUp& write_up, const RenderOptions& options) {
  if (!write_up.joins_runs()) return render_runs(write_up.folders(), options);
  const std::vector<WriteUp> reports{write_up};
  const HeldInterrupts held;
  return RenderWork{.reports = reports, .options = options}.execute();
}

}  // namespace labreport
