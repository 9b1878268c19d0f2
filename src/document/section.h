// A section's words (section.md of an experiment) joined with what its presenter knows.
//
// The format, in this order:
//
//   # benchmarking_script: Timing the training step      problem's name: title of the section
//   ## (b) Forward, backward and optimizer                part: letter in parentheses, title
//   ### Question                                          blocks: each at most once in a part
//   Markdown with Mustache tags over the part's facts …
//   ### Answer
//   ### Key number                                        one line "topic: number", for pages over
//                                                         several runs
//   ### Method                                            first words of "How this was measured"
//   ### Findings                                          what this run's values say of the method
//   ### Figure running-error                              a figure: figures/running-error.vl.json
//   ### Table sums                                        a table; a part may have several of each
//   ### Details Table samples                             a table below "How this was measured"
//
// A figure's or table's block begins with its attributes, a line each; what follows is a figure's
// caption.
//
//   file: waterfall            of a figure: a file that sections share, in
//                              src/document/charts/figures
//   data: sums                 the dataset's name; without the line, the block's name
//   title: A thousand additions
//   finding: {{#worse}}…{{/worse}}  of a figure: a title that replaces `title` unless it is empty
//   columns: loop, final       columns of the table, or of the table below a figure; default: all
//   table: checkpoints         of a figure: another dataset for the table below it
//   alt: Curves of …           of a figure: a description for readers who cannot see it
//   page: Detail sets …        of a figure: words after the caption that only the page shows
//   paper: no                  of a figure: paper leaves it out; "last": paper has the last variant
//   paper: yes                 of a table: paper prints it even if it is long
//
// A figure or table is left out if the part has no dataset of that name that has rows. If it has
// several, each becomes a figure or table of its own, with its variant after the title.
//
// Question and Method must not depend on a measured value. Sentences that do belong to Answer or
// Findings, which an author can leave out.
//
// If part (a) is not shown, the first Method that begins "As in part (a)." has that part's Method
// in place of these words, and later ones refer to the first.
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
  Details details;  ///< `method` and `findings` come from section.md.
  /// The cells whose precisions, batch and context the part's header names. Empty for all cells of
  /// the run.
  std::vector<const Cell*> cells = {};
  std::vector<Attachment> files = {};
  bool calculated = false;             ///< True if no measurement enters the answer.
  std::vector<Dataset> datasets = {};  ///< The data of section.md's figures and tables.
};

/// A figure or table as section.md places it, its tags not yet filled.
struct Exhibit {
  bool figure = false;
  bool in_details = false;
  std::string name;  ///< A figure's slug and, unless `file` is set, its file; a table's slug.
  std::string file = {};
  std::string data, title, finding, alt, caption, in_page;
  std::string table;  ///< For a figure: the dataset of the table below it; empty for `data`.
  std::string paper;  ///< "no" or "last" for a figure, "yes" for a table, see above.
  ColumnChoice columns;
};

/// One part of a parsed section.md, its tags not yet filled.
struct PartWords {
  std::string letter;
  std::string title;
  std::string question;
  std::string answer;
  std::string key_number;
  std::string method;
  std::string findings;
  std::vector<Exhibit> exhibits;
};

struct SectionWords {
  std::string problem;
  std::string title;
  std::vector<PartWords> parts;
};

/// Throws `Error` naming the line that does not follow the format.
SectionWords parse_section(std::string_view words);

/// Returns a figure's Vega-Lite file, which has no data yet, by the figure's name.
using FigureFiles = std::function<std::string_view(const std::string& name)>;

/// Joins the words with the parts' contents, which are keyed by letter, in the order of the words.
/// Parts without content are left out. Throws `Error` if a tag names no fact or content has no
/// words.
Section compose_section(std::string_view words, const std::map<std::string, PartContent>& parts,
                        const FigureFiles& figures = {});

}  // namespace labreport
