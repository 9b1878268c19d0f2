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

/// What lies beside a page in another form.
struct FormatLink {
  std::string name;  ///< "PDF"
  std::string file;  ///< "report.pdf"
};

/// How a page reaches the rest of the site and what there is to reach.
struct PageOptions {
  std::string root;          ///< From the page to the site's root: "../../../", or empty.
  bool interactive = false;  ///< The chart bundle lies in assets/.
  Answers answers = Answers::kFull;
  std::vector<FormatLink> formats = {};
  std::string address =
      {};  ///< The page's folder on the web, with a closing slash, if it is known.
  std::string card_alt = {};  ///< Describes the kCardFile beside the page; empty: there is none.
};

/// A run's whole page as one file that fetches nothing: style, scripts and pictures stand in it.
/// `bundle` is the chart bundle, empty where there is none.
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

/// A page over several runs; without sections in its document no run has been recorded.
std::string overview_html(const OverviewPage& page, const Drawings& drawings,
                          const PageOptions& options, const std::vector<ComparedPair>& pairs = {});

/// What a page's pieces have in common while it is written.
struct PageState {
  const Drawings& drawings;
  Answers answers = Answers::kFull;
  bool single = false;   ///< One file: pictures and what makes them live stand in the page itself.
  int figures = 0;       ///< Numbered so far, outside drawers.
  int more_figures = 0;  ///< In drawers: A1, A2, …, so that numbers in the open run on.
  bool in_drawer = false;
  std::string next_figure();
  std::set<std::string> ids = {};
  FrontMatter front = {};  ///< Whose notes they are.
  bool compares = false;   ///< Two runs.

  /// `wanted`, or with a number behind it where something in the page has that id.
  std::string id(const std::string& wanted);
};

/// `id` is what a link to the table names. A print leaves out what does not stand on paper.
std::string table_html(const TableView& table, const std::string& id, bool on_paper = true);

std::string figure_html(const Figure& figure, PageState& state, bool on_paper);

/// Whose report it is; empty where nothing is known.
std::string byline_html(const FrontMatter& front);

/// Figures one after another, the variants of a family held together.
std::string figures_html(const std::vector<Figure>& figures, PageState& state,
                         const PaperPart& paper);

std::string part_html(const Part& part, PageState& state);

}  // namespace labreport
