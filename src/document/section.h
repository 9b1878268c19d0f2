// Joins the words of a section, an experiment's section.md, with what its presenter found in a run.
//
// The format of section.md, in this order:
//
//   # benchmarking_script: Timing the training step      problem's name: section's title
//   ## (b) Forward, backward and optimizer                part: letter in parentheses, title
//   ### Question                                          a block, at most once in a part
//   Markdown with Mustache tags for the part's facts …
//   ### Answer
//   ### Answer without numbers                            stands instead if the run has none for it
//   ### Summary                                           a list for the summary of a report that
//                                                         timed no training step
//   ### Method                                            says how the part was measured
//   ### Findings                                          says what the values show of the method
//   ### Figure running-error                              a figure: figures/running-error.vl.json
//   ### Table sums                                        a table; a part may have several figures
//                                                         and tables
//   ### Details Table samples                             a table of the drawer "Data and method"
//
// The block of a figure or table begins with lines that are attributes. After a figure's attributes
// follows its caption.
//
//   data: sums                 the dataset's name; the block's name if this line is missing
//   title: A thousand additions
//   columns: loop, final       columns of the table, or of the table below a figure; default: all
//
// Attributes of figures only:
//
//   file: waterfall            a file that sections share, in src/document/charts/figures
//   finding: {{#worse}}…{{/worse}}  a title that replaces `title` unless it is empty; a dataset may
//                              have one of its own
//   table: checkpoints         another dataset for the table below the figure
//   alt: Curves of …           the figure's form, after its title and before two of its numbers
//   page: Detail sets …        words after the caption that only the page shows
//   paper: no                  paper leaves the figure out; "last": paper has only the last variant
//   summary: yes               the figure stands in the summary of a report that timed no training
//                              step instead of in its part; "only": in no other report
//
// Attribute of tables only:
//
//   paper: yes                 paper prints the table even if it is long
//
// A figure or table is left out if the part has no dataset of that name that has rows. If several
// datasets have the name, each becomes a figure or table of its own, with its variant after the
// title.
//
// Question and Method must not depend on a measured value. Sentences that depend on one stand in
// Answer or Findings, which an author can leave out of a report.
//
// If part (a) is not shown, its Method replaces the words "As in part (a)." with which the first
// other Method begins. Later Methods then refer to that part instead of (a).
//
// A problem with a single part has the heading "## Title" and an empty letter.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "document/dataset.h"
#include "document/document.h"
#include "document/facts.h"
#include "results/run.h"

namespace labreport {

/// A presenter's content for one part; the words come from the experiment's section.md.
struct PartContent {
  Facts facts;
  std::vector<Figure> figures;
  std::vector<TableView> tables;
  Details details;  ///< Its `method` and `findings` are empty: section.md has them.
  /// The cells whose precisions, batch and context the part's setting names. Empty for all cells of
  /// the run.
  std::vector<const Cell*> cells = {};
  std::vector<Attachment> attachments = {};
  bool calculated = false;  ///< True if no measurement enters the answer.
  /// False shows “Answer without numbers” instead of “Answer”, no “Summary” and no figure's
  /// finding.
  bool has_numbers = true;
  std::vector<Dataset> datasets = {};  ///< The data of the figures and tables in section.md.

  /// Adds the facts that only Answer, Summary and findings use. Without facts the run has no
  /// numbers.
  void set_answer(const std::optional<Facts>& answer);
};

/// A figure or table of section.md, with its tags not yet filled. The other members are the
/// attributes described above.
struct Exhibit {
  bool is_figure = false;  ///< False for a table.
  bool in_details = false;
  std::string name;  ///< The slug of a figure or table, and a figure's file unless `file` is set.
  std::string file = {};
  std::string data, title, finding, alt, caption, page_caption;
  std::string table;  ///< Empty if the table below a figure shows the dataset `data`.
  std::string paper, summary;
  ColumnChoice columns;
};

/// One part of a parsed section.md, with its tags not yet filled.
struct PartWords {
  std::string letter;
  std::string title;
  std::string question;
  std::string answer;
  std::string answer_without_numbers;
  std::string summary;
  std::string method;
  std::string findings;
  std::vector<Exhibit> exhibits;
};

struct SectionWords {
  std::string problem;
  std::string title;
  std::vector<PartWords> parts;
};

/// Parses a section.md. Throws `Error` that names the line that does not follow the format.
SectionWords parse_section(std::string_view words);

/// Returns the content of a figure's Vega-Lite file, which has no data yet, by the figure's name.
using FigureFileReader = std::function<std::string_view(const std::string& name)>;

/// Joins the words of a section.md with the contents of its parts, which are keyed by letter. Parts
/// follow in the order of the words, and parts without content are left out. Throws `Error` if a
/// tag names no fact, or if a content has no words.
Section compose_section(std::string_view words, const std::map<std::string, PartContent>& contents,
                        const FigureFileReader& read_figure_file = {});

}  // namespace labreport
