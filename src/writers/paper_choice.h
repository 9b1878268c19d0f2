// Chooses what of a part is printed: the page has everything, paper what a reader turns to.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"

namespace labreport {

/// A part's printed content; pointers lead into the part.
struct PaperPart {
  std::vector<const Figure*> figures;
  std::vector<const TableView*> tables;   ///< In the part: the main table and very short ones.
  std::vector<const TableView*> further;  ///< In an appendix.
  std::vector<std::string> left;          ///< Names of what only the page has.

  bool has(const Figure& figure) const;
  bool has(const TableView& table) const;
};

/// Prints two variants of figures that vary in one condition, the second with its first figure
/// only. Of tables with the same head it prints the last, for which the experiments choose the
/// largest setting that ran. A table that is marked for paper is always printed, one of the details
/// in the appendix.
PaperPart on_paper(const Part& part);

/// The printed tables of a details element.
std::vector<const TableView*> on_paper(const Details& details);

/// Halves the number of rows and puts the later ones beside the first, for short cells without
/// remarks.
TableView in_two_halves(const TableView& table);

/// About how many letters its widest rows need.
std::size_t letters_across(const TableView& table);

/// True if the table fits one of two columns.
bool fits_half(const TableView& table);

}  // namespace labreport
