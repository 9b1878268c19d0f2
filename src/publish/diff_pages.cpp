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
#include "publish/page_cache.h"
#include "results/run_labels.h"
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

/// Returns a key that is greater for runs that rather stand for their subject, and then for newer
/// runs: a folder's name begins with the run's time.
auto precedence(const PairedRun& run) {
  return std::pair(run.summary ? run.summary->precedence() : std::tuple(false, false, false),
                   run.site_folder);
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
constexpr std::ptrdiff_t kMostPages = 10;
constexpr std::size_t kLongestNameBytes = 200;  // File systems allow 255 in a folder's name.

std::string folder_of(const RunPair& pair) {
  const std::string name = slug(pair.a->site_folder) + "--" + slug(pair.b->site_folder);
  if (name.size() <= kLongestNameBytes) return "diff/" + name;
  return "diff/" + name.substr(0, kLongestNameBytes / 2) + "-" + content_hash(name);
}

/// The page also shows numbers of other runs on the two GPUs, so all their keys enter, and its head
/// links to the pages over several runs.
std::string key_of(const RunPair& pair, const std::vector<PairedRun>& runs,
                   const std::vector<SiteLink>& links) {
  std::string inputs = folder_of(pair) + "\n" + pair.a->key + "\n" + pair.b->key;
  for (const SiteLink& link : links) inputs += "\n" + link.name + " " + link.file;
  for (const PairedRun& run : runs) {
    const std::string gpu = subject_of(run).gpu;
    if (gpu == subject_of(*pair.a).gpu || gpu == subject_of(*pair.b).gpu) inputs += "\n" + run.key;
  }
  return content_hash(inputs);
}

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

/// Adds the page of two runs, unless they ran two implementations. Throws as `compare_runs`.
void compare(SitePair& page, const RunPair& pair, const Run& run_a, const Run& run_b,
             const std::vector<PairedRun>& runs) {
  const Comparison comparison = compare_runs(run_a, run_b);
  if (comparison.has_two_implementations()) return;
  page.document = diff_document(comparison, source_of(*pair.a, *pair.b, runs),
                                source_of(*pair.b, *pair.a, runs), kPathToRoot);
  page.document->reference = pair.a->store.is_reference() && pair.b->store.is_reference();
  page.diff_json = diff_json(comparison);
  page.link.device = page.document->title;
  if (comparison.a.edition == comparison.b.edition) page.link.device += ", " + comparison.a.edition;
  page.link.preset = page.document->relation;
  page.link.outcome =
      format_plural(static_cast<std::int64_t>(comparison.matched_cells), "measurement") +
      " in both";
}

}  // namespace

std::vector<SitePair> compare_pairs(const std::vector<PairedRun>& runs, const fs::path& out,
                                    const ContentCache& cache) {
  std::map<fs::path, Run> loaded;  // Several pairs may need one run.
  const auto load = [&](const RunStore& store) -> const Run& {
    const auto [entry, is_new] = loaded.try_emplace(store.folder());
    if (is_new) entry->second = store.load();
    return entry->second;
  };
  std::vector<RunSummary> summaries;
  for (const PairedRun& run : runs) {
    if (run.summary) summaries.push_back(*run.summary);
  }
  const std::vector<SiteLink> links = site_links(summaries);
  std::vector<SitePair> pages;
  for (const RunPair& pair : pairs_of(runs)) {
    if (std::ranges::count_if(pages, &SitePair::has_page) == kMostPages) break;
    SitePair page{.key = key_of(pair, runs, links),
                  .runs = {pair.a->site_folder, pair.b->site_folder},
                  .link = {}};
    page.link.folder = folder_of(pair);
    if (auto old_pages = find_pages(cache, page.key, out)) {
      page.link = std::move(old_pages->summary);
      page.unchanged_files = std::move(old_pages->files);
    } else {
      try {
        compare(page, pair, load(pair.a->store), load(pair.b->store), runs);
      } catch (const InputError&) {  // Runs without common cells, or with different batches.
      } catch (const Interrupted&) {
        throw;
      } catch (const std::exception& error) {
        skip(page.link.folder + " is left out: " + error.what());
        continue;
      }
    }
    pages.push_back(std::move(page));
  }
  return pages;
}

}  // namespace labreport
