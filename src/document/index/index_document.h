// Makes the pages over several runs: the index, a page for each GPU and one for each topic.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "document/document.h"
#include "document/summary.h"

namespace labreport {

/// The file of the page that compares any two GPUs or runs which have no page of their own.
inline constexpr const char* kCompareFile = "compare.html";

/// A page of the site that compares two runs.
struct ComparedPair {
  std::string link;                      ///< Relative to the site's root.
  std::string title;                     ///< "H200 vs. H100, 2025"
  std::string description;               ///< "different hardware: 90 measurements in both"
  std::array<std::string, 2> runs = {};  ///< Both runs' folders in the site, A's first.

  /// Returns true if one of the two runs is in this folder of the site: "nvidia-h200".
  bool compares(const std::string& gpu_folder) const;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ComparedPair, link, title, description, runs)

/// A page over several runs, and its place in the site.
struct OverviewPage {
  std::string folder;  ///< "topic/memory"; empty for the site's root.
  std::string lead;    ///< One sentence of plain text below the title; may be empty.
  Document document;
  std::string file = "index.html";
  std::string compare_link = {};    ///< A link to `kCompareFile`; empty if the page has none.
  nlohmann::json script_data = {};  ///< Data of the page's script; null if it has none.

  bool is_index() const { return folder.empty() && file == "index.html"; }
};

/// A page of the site to which the head of other pages links.
struct SiteLink {
  std::string name;  ///< "H200"
  std::string file;  ///< Its path from the site's root.

  bool operator==(const SiteLink&) const = default;
};

/// Lists the pages over several runs that a site of these runs has, for the head of each of its
/// pages: those of the GPUs by name, of the topics, for comparisons, and "What fits?".
std::vector<SiteLink> site_links(const std::vector<RunSummary>& runs);

/// Returns for each part of the run's page whose numbers a topic shows the address of the topic's
/// section, by the part's anchor.
std::map<std::string, std::string> topics_of_parts(const RunSummary& run, const std::string& root);

/// Makes the last lines of the site's script. They add to a report's parts that a topic shows links
/// to the newest report of the same part on each other GPU. A run's page without them stays as it
/// is when other runs are added.
std::string parts_script(const std::vector<RunSummary>& runs);

/// The file of the page "What fits?".
inline constexpr const char* kFitsFile = "what-fits.html";

/// Makes the index, the page of each GPU, the page of each topic, and "What fits?" if measured
/// peaks confirm its formulas, in this order.
/// Demonstrations are on the index only, after all other runs. Without runs there is only the
/// index, whose document has no section.
std::vector<OverviewPage> overview_pages(const std::vector<RunSummary>& runs);

/// Makes the page `kCompareFile`, which has the form of a comparison but no two runs.
Document compare_document();

/// Returns a script with data for site/compare.js: the content of each summary.json, newest run
/// first, the topics and GPUs in the order in which pages show them, the pages that compare two
/// runs, and the spec of a figure without rows.
std::string summaries_script(std::vector<RunSummary> runs, const std::vector<ComparedPair>& pairs);

}  // namespace labreport
