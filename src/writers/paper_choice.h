// Chooses which figures and tables of a part are printed; the page shows all of them.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"

namespace labreport {

/// The figures and tables of a part that are printed. The part must live longer.
struct PaperPart {
  std::vector<const Figure*> figures;
  std::vector<const TableView*> tables;   ///< Printed in the part: its main and very short tables.
  std::vector<const TableView*> further;  ///< Printed in an appendix.
  std::vector<std::string> left;          ///< Titles of figures and tables that only the page has.

  bool has(const Figure& figure) const;
  bool has(const TableView& table) const;
};

/// Chooses two variants of a family of figures: all figures of the first and one of the second.
/// Among tables with the same columns it chooses the last, which has the largest setting that ran.
/// A table with `TableView::on_paper` is always printed; one of the details is in the appendix.
PaperPart on_paper(const Part& part);

/// Chooses the tables of details that have few rows, fit half a page's width and hold no commands.
std::vector<const TableView*> on_paper(const Details& details);

/// Puts the second half of the rows beside the first. The table's rows must have no remarks.
TableView in_two_halves(const TableView& table);

/// Estimates the width of the table in letters, if its text wraps and its numbers do not.
std::size_t letters_across(const TableView& table);

/// True if the table fits one of two columns of a page.
bool fits_half(const TableView& table);

}  // namespace labreport
