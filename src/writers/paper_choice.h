// What of a part stands on paper: the page has everything, a print what a reader turns to.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"

namespace labreport {

/// Each points into the part.
struct PaperPart {
  std::vector<const Figure*> figures;
  std::vector<const TableView*> tables;   ///< Stand in the part: the main one, and very short ones.
  std::vector<const TableView*> further;  ///< Stand in an appendix.
  std::vector<std::string> left;          ///< Left to the page: what to call them.

  bool has(const Figure& figure) const;
  bool has(const TableView& table) const;
};

/// Of figures that vary under one condition two variants stand on paper, the second with its first
/// figure alone; of tables with the same head the last, which the experiments give the largest
/// setting that ran. A table that is marked for paper stands there in any case, one of the details
/// in the appendix.
PaperPart on_paper(const Part& part);

/// The tables of a details that stand on paper.
std::vector<const TableView*> on_paper(const Details& details);

/// Half as many rows, the later ones beside the first: for short cells without remarks.
TableView in_two_halves(const TableView& table);

/// About how many letters its widest rows need.
std::size_t letters_across(const TableView& table);

/// Whether it stands in one of two columns.
bool fits_half(const TableView& table);

}  // namespace labreport
