// Writes the HTML pages of runs, of comparisons and over several runs, and the pieces of a page.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"
#include "document/drawings.h"
#include "document/figure_numbers.h"
#include "document/index/index_document.h"
#include "writers/paper_choice.h"

namespace labreport {

struct EnclosedAssets;

/// A file that holds a page's content in another format.
struct FormatLink {
  std::string name;  ///< "PDF"
  std::string file;  ///< "report.pdf"
};

/// The page's place in the site and the files to which it can link.
struct PageOptions {
  std::string root;          ///< The path from the page to the site's root: "../../../", or empty.
  bool interactive = false;  ///< True if the chart bundle is in assets/.
  Answers answers = Answers::kFull;
  std::vector<FormatLink> formats = {};
  std::vector<SiteLink> links = {};  ///< Pages to which the head of this one links.
  /// Addresses of topics' sections that show numbers of this page's parts, by the part's anchor.
  std::map<std::string, std::string> topics = {};
  std::string address = {};   ///< The page's web address without index.html; empty if unknown.
  std::string card_alt = {};  ///< Describes kCardFile beside the page; empty if there is none.
  std::string current = {};   ///< The file of the link in `links` that leads to this page's kind.
  /// The folders of the two runs that the page compares, A's first; empty on other pages.
  std::array<std::string, 2> compared_runs = {};
  std::vector<ComparedPair> pairs = {};  ///< Comparisons that the page lists.
};

/// Writes a run's page as one file that contains style, scripts and pictures and fetches nothing.
/// `bundle` is the script that draws interactive charts; it may be empty.
std::string single_page_html(const Document& document, const Drawings& drawings, Answers answers,
                             const std::string& bundle);

/// Writes a run's page for the site. All text from the run is escaped.
std::string page_html(const Document& document, const Drawings& drawings,
                      const PageOptions& options);

/// The script with the data of "What fits?" has this path from the site's root.
inline constexpr const char* kFitsScript = "assets/fits.js";

/// Writes a page over several runs. Without sections it says that no run is recorded.
std::string overview_html(const OverviewPage& page, const Drawings& drawings,
                          const PageOptions& options);

/// Values that all pieces of a page use while it is written.
struct PageState {
  const Drawings& drawings;
  Answers answers = Answers::kFull;
  bool is_single_file = false;   ///< The page is one file that contains its pictures and scripts.
  bool has_part_drawers = true;  ///< False if each figure's data stands in a drawer of its own.
  FigureNumbers figure_numbers = {};
  bool in_drawer = false;
  /// The tables of figures' data, which the part's drawer shows. They wait here until it is
  /// written.
  std::string figure_data = {};
  std::set<std::string> used_ids = {};
  FrontMatter front = {};      ///< The author of the notes, with course and repository.
  bool is_comparison = false;  ///< The page compares two runs.
  std::map<std::string, std::string> topics = {};  ///< See `PageOptions::topics`.

  /// Reserves an id and returns it: `base`, with "-2", "-3", … appended if the page has it already.
  std::string unique_id(const std::string& base);
};

/// `id` is the target of links to the table. `is_printed` is false if only screens show the table.
std::string table_html(const TableView& table, const std::string& id, bool is_printed = true);

std::string figure_html(const Figure& figure, PageState& state, bool is_printed);

/// Returns the author, course and repository; empty if none of them is known.
std::string byline_html(const FrontMatter& front);

/// Writes the figures in their order, adjacent ones of one family inside one frame.
std::string figures_html(const std::vector<Figure>& figures, PageState& state,
                         const PaperPart& paper);

std::string part_html(const Part& part, PageState& state);

/// Replaces the links of `keyed_number` by elements that carry the number and its key.
std::string with_keyed_numbers(std::string_view html);

struct HeadWords {
  std::string title;
  std::string description;  ///< Plain text.
  std::string type;         ///< The page's type in Open Graph: "article" or "website".
};

/// `enclosed`: the assets of a page that is one file; null if the page loads the site's assets.
std::string head_html(const HeadWords& words, const PageOptions& options,
                      const EnclosedAssets* enclosed = nullptr);

/// Returns the first sentences of the page's first finding; if no finding is generated, says what
/// was measured. The plain text has at most about 200 bytes, because link previews cut longer ones.
std::string description_of(const Document& document, Answers answers);

std::string foot_html(const Document& document);

}  // namespace labreport
