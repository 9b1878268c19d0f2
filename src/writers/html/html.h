// The HTML pages: one a run, one a comparison, and those over several runs; and the pieces of a
// page.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"
#include "document/drawings.h"
#include "document/index/index_document.h"
#include "writers/paper_choice.h"

namespace labreport {

struct Enclosed;

/// A file beside a page that holds it in another format.
struct FormatLink {
  std::string name;  ///< "PDF"
  std::string file;  ///< "report.pdf"
};

/// The page's place in the site and what it can link to.
struct PageOptions {
  std::string root;          ///< From the page to the site's root: "../../../", or empty.
  bool interactive = false;  ///< True if the chart bundle is in assets/.
  Answers answers = Answers::kFull;
  std::vector<FormatLink> formats = {};
  std::string address =
      {};  ///< The page's folder on the web, with a closing slash, if it is known.
  std::string card_alt = {};  ///< Describes kCardFile beside the page; empty if there is none.
};

/// A run's whole page as one file that fetches nothing: style, scripts and pictures are inside.
/// `bundle` is the chart bundle, empty if there is none.
std::string single_page_html(const Document& document, const Drawings& drawings, Answers answers,
                             const std::string& bundle);

/// A run's whole page. Everything that comes from the run is escaped.
std::string page_html(const Document& document, const Drawings& drawings,
                      const PageOptions& options);

/// A page of the site that compares two runs.
struct ComparedPair {
  std::string link;  ///< Relative to the site's root.
  std::string title;
  std::string edition;
  std::string words;  ///< "different hardware: 90 cells match, …"

  /// True if one of the runs is in that folder: "nvidia-h200".
  bool compares(const std::string& gpu_folder) const;
};

/// The script that holds the data of "What fits?", from the site's root.
inline constexpr const char* kFitsScript = "assets/fits.js";

/// A page over several runs. If its document has no sections, no run has been recorded.
std::string overview_html(const OverviewPage& page, const Drawings& drawings,
                          const PageOptions& options, const std::vector<ComparedPair>& pairs = {});

/// State that the pieces of a page share while it is written.
struct PageState {
  const Drawings& drawings;
  Answers answers = Answers::kFull;
  bool single = false;   ///< The page is one file that contains its pictures and scripts.
  int figures = 0;       ///< Figures so far outside drawers.
  int more_figures = 0;  ///< Figures so far in drawers: A1, A2, …
  bool in_drawer = false;
  std::string next_figure();
  std::set<std::string> ids = {};
  FrontMatter front = {};  ///< The author of the notes.
  bool compares = false;   ///< True if the page compares two runs.

  /// Returns `wanted`, followed by a number if something in the page has that id.
  std::string id(const std::string& wanted);
};

/// `id` is the target of links to the table. A print leaves out a table that is not for paper.
std::string table_html(const TableView& table, const std::string& id, bool on_paper = true);

std::string figure_html(const Figure& figure, PageState& state, bool on_paper);

/// Names the report's author; empty if unknown.
std::string byline_html(const FrontMatter& front);

/// Writes figures in order; the variants of a family share one frame.
std::string figures_html(const std::vector<Figure>& figures, PageState& state,
                         const PaperPart& paper);

std::string part_html(const Part& part, PageState& state);

struct HeadWords {
  std::string title;
  std::string description;  ///< Plain text.
  std::string type;         ///< Open Graph's: "article" or "website".
};

/// `enclosed` goes into a page that is one file; null if the page loads the site's assets.
std::string head_html(const HeadWords& words, const PageOptions& options,
                      const Enclosed* enclosed = nullptr);

/// The page's first finding, in as many whole sentences as a link preview shows; without findings
/// or generated answers, it says what was measured.
std::string description_of(const Document& document, Answers answers);

std::string foot_html(const Document& document);

}  // namespace labreport
