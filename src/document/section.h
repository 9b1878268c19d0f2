// A section's words (section.md of an experiment) joined with what its presenter knows.
//
// The format, in this order:
//
//   # benchmarking_script: Timing the training step      problem's name: title of the section
//   ## (b) Forward, backward and optimizer                part: letter in parentheses, title
//   ### Question                                          blocks: each at most once in a part
//   Markdown with Mustache tags over the part's facts …
//   ### Answer
//   ### Facts                                             the answer's numbers alone, as a list
//   ### Method                                            opens the drawer "How this was measured"
//   ### Findings                                          what this run's values say of the method
//
// Question and Method hold in every run on such a device: what depends on a measured value belongs
// to Answer, Facts or Findings, which an author can leave out.
//
// A problem with a single part writes "## Title" and is presented under the empty letter.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"
#include "document/facts.h"
#include "results/run.h"

namespace labreport {

/// What a presenter knows about one part; the words come from the experiment's section.md.
struct PartContent {
  Facts facts;
  std::vector<Figure> figures;
  std::vector<TableView> tables;
  Drawer drawer;  ///< `method` comes from section.md
  /// What the part rests on: its header names their precisions, batch and context. Empty: all cells
  /// of the run.
  std::vector<const Cell*> cells = {};
  std::vector<Attachment> files = {};
};

/// A section.md taken apart, its tags not yet filled.
struct PartWords {
  std::string letter;
  std::string title;
  std::string question;
  std::string answer;
  std::string facts;
  std::string method;
  std::string findings;
};

struct SectionWords {
  std::string problem;
  std::string title;
  std::vector<PartWords> parts;
};

/// Throws `Error` naming the line that does not follow the format.
SectionWords parse_section(std::string_view words);

/// Parts in the order of the words; those without content are left out. Throws `Error` when a tag
/// names no fact or content has no words.
Section compose_section(std::string_view words, const std::map<std::string, PartContent>& parts);

}  // namespace labreport
