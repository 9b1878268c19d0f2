#include "publish/diff_pages.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/format.h"
#include "base/messages.h"
#include "base/stamp.h"
#include "base/text.h"
#include "document/comparison/diff_document.h"
#include "publish/cards.h"
#include "publish/page_cache.h"
#include "publish/run_files.h"
#include "writers/diff/diff_writers.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

/// A GPU and edition that was measured or imported; one run stands for it in all pairs.
struct PairedSubject {
  std::string gpu;
  std::string edition;
  bool imported = false;

  auto operator<=>(const PairedSubject&) const = default;
};

PairedSubject subject_of(const PairedRun& run) {
  const std::vector<std::string> names = split(run.site_folder, '/');
  return {names.at(0), names.size() > 1 ? names[1] : "", run.store.is_imported()};
}

/// Returns a key that is greater for runs that time a training step, then for runs of the user's,
/// of others for full runs, and then for newer runs: a folder's name begins with the run's time.
auto precedence(const PairedRun& run) {
  const bool by_user = !run.store.is_reference();
  return std::tuple(!run.preset.empty(), by_user, by_user || run.preset == "full", run.site_folder);
}

struct RunPair {
  const PairedRun *a, *b;

  /// Returns a key that is greater for pairs with a run of the user's, then for newer runs.
  auto rank() const {
    const auto folder = [](const PairedRun& run) {
      return run.site_folder.substr(run.site_folder.rfind('/') + 1);
    };
    const bool by_user = !a->store.is_reference() || !b->store.is_reference();
    return std::tuple(by_user, std::max(folder(*a), folder(*b)), std::min(folder(*a), folder(*b)));
  }
};

/// Pairs the run of highest precedence of each subject, the pair of highest rank first. An imported
/// table is always the first run of its pair.
std::vector<RunPair> pairs_of(const std::vector<PairedRun>& runs) {
  std::map<PairedSubject, const PairedRun*> chosen_runs;
  for (const PairedRun& run : runs) {
    const PairedRun*& chosen = chosen_runs[subject_of(run)];
    if (chosen == nullptr || precedence(*chosen) < precedence(run)) chosen = &run;
  }
  std::vector<RunPair> pairs;
  for (auto a = chosen_runs.begin(); a != chosen_runs.end(); ++a) {
    for (auto b = std::next(a); b != chosen_runs.end(); ++b) {
      const PairedSubject &subject_a = a->first, &subject_b = b->first;
      if (subject_a.imported && subject_b.imported) continue;
      const bool same_gpu =
          subject_a.gpu == subject_b.gpu && !subject_a.imported && !subject_b.imported;
      if (subject_a.edition != subject_b.edition && !same_gpu) continue;
      pairs.push_back(subject_b.imported ? RunPair{b->second, a->second}
                                         : RunPair{a->second, b->second});
    }
  }
  std::ranges::stable_sort(pairs, std::greater(), &RunPair::rank);
  return pairs;
}

constexpr const char* kPathToRoot = "../../";  // It leads from a pair's page to the site's root.
constexpr std::size_t kMostPages = 10;
constexpr std::size_t kLongestNameBytes = 200;  // File systems allow 255 in a folder's name.

/// Describes `run` for a comparison with `other`: its name in a command, the address of its report,
/// and its summary. If `other` is on another GPU, the summaries of all runs on `run`'s GPU follow.
DiffSource source_of(const PairedRun& run, const PairedRun& other,
                     const std::vector<PairedRun>& runs) {
  DiffSource source{.name = "site/runs/" + run.site_folder, .page = ""};
  if (!run.summary) return source;
  source.page = kPathToRoot + run.summary->address("");
  source.summaries = {*run.summary};
  if (subject_of(run).gpu == subject_of(other).gpu) return source;
  for (const PairedRun& third : runs) {
    const bool same_gpu = third.summary && third.summary->gpu() == run.summary->gpu();
    if (same_gpu && third.site_folder != run.site_folder)
      source.summaries.push_back(*third.summary);
  }
  std::sort(source.summaries.begin() + 1, source.summaries.end(),
            [](const auto& a, const auto& b) { return a.started_at > b.started_at; });
  return source;
}

void add_files(DiffPage& page, const Comparison& comparison, const Document& document,
               const std::string& site_url, ChartTool& tool) {
  Drawings drawings;
  Card card;
  try {
    drawings = draw_all({&document}, tool).front();
    if (!site_url.empty()) card = make_cards({&document}, {&drawings}, tool).front();
  } catch (const Error& error) {
    page.problem = error.what();
  }
  const auto add = [&page](const std::string& name, std::string bytes) {
    page.files.push_back({page.index_entry.folder + "/" + name, std::move(bytes)});
  };
  PageOptions options = {.root = kPathToRoot,
                         .interactive = !drawings.empty(),
                         .formats = {{"Markdown", "diff.md"},
                                     {"JSON", "diff.json"},
                                     {"JSON schema", "../../assets/diff.schema.json"}}};
  place_card(site_url, page.index_entry.folder + "/", card, options, page.files);
  add("index.html", diff_html(document, drawings, options));
  add("diff.md", diff_markdown(document, drawings));
  add("diff.json", diff_json(comparison));
  std::ranges::move(picture_files(page.index_entry.folder + "/", document, drawings),
                    std::back_inserter(page.files));
}

/// Reads each run once, although several pairs may need it.
class LoadedRuns {
 public:
  const Run& at(const RunStore& store) {
    const auto [entry, is_new] = runs_.try_emplace(store.folder());
    if (is_new) entry->second = store.load();
    return entry->second;
  }

 private:
  std::map<fs::path, Run> runs_;
};

std::string implementation_of(const Run& run) {
  const ModelSource* model = measured_model(run);
  return model == nullptr ? "" : model->implementation;
}

void compare_pair(DiffPage& page, const RunPair& pair, const std::vector<PairedRun>& runs,
                  LoadedRuns& loaded, const std::string& site_url, ChartTool& tool) {
  const PairedRun &a = *pair.a, &b = *pair.b;
  try {
    const Run& run_a = loaded.at(a.store);
    const Run& run_b = loaded.at(b.store);
    if (implementation_of(run_a) != implementation_of(run_b)) return;
    const Comparison comparison = compare_runs(run_a, run_b);
    const Document document =
        diff_document(comparison, source_of(a, b, runs), source_of(b, a, runs), kPathToRoot);
    page.index_entry.device = document.title;
    page.index_entry.edition = comparison.a.edition == comparison.b.edition
                                   ? comparison.a.edition
                                   : comparison.b.edition + " vs. " + comparison.a.edition;
    page.index_entry.preset = document.relation;
    page.index_entry.outcome =
        format_plural(static_cast<std::int64_t>(comparison.matched_cells), "cell") +
        (comparison.matched_cells == 1 ? " matches" : " match");
    add_files(page, comparison, document, site_url, tool);
  } catch (const InputError&) {
    page.files.clear();  // Runs without common cells, or with different batches, get no page.
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& error) {
    page.files.clear();
    skip(page.index_entry.folder + " is left out: " + error.what());
  }
}

}  // namespace

std::vector<DiffPage> make_diff_pages(const std::vector<PairedRun>& runs, const fs::path& out,
                                      ChartTool& tool, const ContentCache& cache,
                                      const std::string& site_url) {
  LoadedRuns loaded;
  std::vector<DiffPage> pages;
  std::size_t page_count = 0;
  for (const RunPair& pair : pairs_of(runs)) {
    if (page_count == kMostPages) break;
    DiffPage page;
    std::string name = slug(pair.a->site_folder) + "--" + slug(pair.b->site_folder);
    if (name.size() > kLongestNameBytes) {
      name = name.substr(0, kLongestNameBytes / 2) + "-" + content_hash(name);
    }
    page.index_entry.folder = "diff/" + name;
    // The page also shows numbers of other runs on the two GPUs.
    std::string inputs = page.index_entry.folder + "\n" + pair.a->key + "\n" + pair.b->key;
    const std::string gpu_a = subject_of(*pair.a).gpu, gpu_b = subject_of(*pair.b).gpu;
    for (const PairedRun& run : runs) {
      const std::string gpu = subject_of(run).gpu;
      if (gpu == gpu_a || gpu == gpu_b) inputs += "\n" + run.key;
    }
    page.key = content_hash(inputs);
    if (const auto unchanged = find_pages(cache, page.key, out)) {
      page.index_entry = unchanged->summary;
      page.unchanged_files = unchanged->files;
      page.is_unchanged = true;
    } else {
      compare_pair(page, pair, runs, loaded, site_url, tool);
    }
    page_count += !page.files.empty() || !page.unchanged_files.empty();
    pages.push_back(std::move(page));
  }
  return pages;
}

std::vector<ComparedPair> links_to_pages(const std::vector<DiffPage>& pages) {
  std::vector<ComparedPair> pairs;
  for (const DiffPage& page : pages) {
    if (page.files.empty() && page.unchanged_files.empty()) continue;
    pairs.push_back({.link = page.index_entry.folder + "/index.html",
                     .title = page.index_entry.device,
                     .edition = page.index_entry.edition,
                     .description = page.index_entry.preset + ": " + page.index_entry.outcome});
  }
  return pairs;
}

void add_diff_pages(Site& site, const std::vector<DiffPage>& pages) {
  for (const DiffPage& page : pages) {
    site.files.insert(site.files.end(), page.files.begin(), page.files.end());
    site.unchanged_files.insert(site.unchanged_files.end(), page.unchanged_files.begin(),
                                page.unchanged_files.end());
    if (page.problem.empty() || site.chart_tool_failed) continue;
    site.add_notice("charts are left out of " + page.index_entry.folder + ": " + page.problem);
  }
}

void remember_diff_pages(const std::vector<DiffPage>& pages, const fs::path& out,
                         const ContentCache& cache) {
  for (const DiffPage& page : pages) {
    // A page without its pictures is made again next time.
    if (page.is_unchanged || !page.problem.empty()) continue;
    std::vector<const SiteFile*> files;
    for (const SiteFile& file : page.files) files.push_back(&file);
    store_pages(cache, page.key, out, page.index_entry, files);
  }
}

}  // namespace labreport
