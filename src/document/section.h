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
//   ### Method                                            begins "How this was measured"
//   ### Findings                                          what this run's values say of the method
//   ### Figure running-error                              a figure: figures/running-error.vl.json
//   ### Table sums                                        a table; both as often as wanted
//   ### Details Table samples                              the same below "How this was measured"
//
// A figure's or table's block begins with its attributes, a line each; what follows is a figure's
// caption.
//
//   file: waterfall            of a figure, one that sections share: src/document/charts/figures
//   data: sums                 the dataset; without the line, the one that is called like the block
//   title: A thousand additions
//   finding: {{#worse}}…{{/worse}}  of a figure, its title in runs whose facts show something
//   columns: loop, final       what a table shows of it, or the table below a figure; default: all
//   table: checkpoints         of a figure: another dataset for the table below it
//   alt: Curves of …           of a figure, for readers who cannot see it
//   page: Detail sets …        of a figure, what the page alone offers, behind the caption
//   paper: no                  of a figure that stands on the page only; last: paper has the last
//                              variant
//   paper: yes                 of a table that stands on paper, too, whatever its length
//
// A block is left out if the part has no such dataset, or one without rows. If it has several of
// that name, each becomes a figure or table of its own, with its variant after the title.
//
// Question and Method must hold in every run on such a device. Sentences that depend on a measured
// value belong to Answer or Findings, which an author can leave out.
//
// A Method that begins "As in part (a)." is preceded by that part's words if the part is not shown.
//
// A problem with a single part writes "## Title" and is presented under the empty letter.
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
  Details details;  ///< `method` comes from section.md
  /// The part's cells: its header names their precisions, batch and context. Empty for all cells of
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
  std::string paper;  ///< "no" leaves a figure out on paper, "yes" prints a table.
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

/// A figure's Vega-Lite file by its name; its data is filled in.
using FigureFiles = std::function<std::string_view(const std::string& name)>;

/// Parts in the order of the words; those without content are left out. Throws `Error` when a tag
/// names no fact or content has no words.
Section compose_section(std::string_view words, const std::map<std::string, PartContent>& parts,
                        const FigureFiles& figures = {});

}  // namespace labreport
