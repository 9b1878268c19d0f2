// The comparison of two runs before any format: what each writer of a diff is given.
#pragma once

#include <string>
#include <vector>

#include "analysis/comparison.h"
#include "document/document.h"

namespace labreport {

/// Rows of one problem of the handout.
struct DiffPart {
  std::string problem;              ///< "benchmarking_script"
  std::string title;                ///< Plain text.
  std::string words;                ///< Plain text: what the rows come to.
  std::vector<Figure> figures;      ///< Variants by effect.
  std::vector<TableView> tables;    ///< Ratios, and what belongs to them.
  std::vector<TableView> evidence;  ///< Both sides of every ratio, behind a link.
};

struct DiffDocument {
  std::string title;                 ///< Plain text: "NVIDIA B200 against NVIDIA H200"
  std::string relation;              ///< "different hardware"
  std::vector<std::string> notices;  ///< Plain text, one line each; always shown.
  std::string counts;                ///< "90 cells match, 3 only in A, none only in B"
  std::vector<KeyNumber> key_numbers;
  TableView sides;  ///< Who A and B are.
  std::vector<DiffPart> parts;
  std::vector<TableView> rest;  ///< What only one run has, or neither could do.
  std::string method;           ///< Markdown.
  std::string command;          ///< That makes it again.
};

/// How a side is called where the document is read.
struct DiffSource {
  std::string name;  ///< As a command takes it: a folder, a file or a GPU's name.
  std::string page;  ///< Relative address of its report; empty: no link.
};

DiffDocument diff_document(const Comparison& comparison, const DiffSource& a, const DiffSource& b);

}  // namespace labreport
