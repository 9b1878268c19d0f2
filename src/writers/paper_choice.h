// Chooses which figures and tables of a part are printed; the page shows all of them.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"

namespace labreport {

/// The figures and tables of a part that are printed. They belong to the part.
struct PaperPart {
  std::vector<const Figure*> figures;
  std::vector<const TableView*> tables;  ///< The part's main table and its very short ones.
  std::vector<const TableView*> appendix_tables;  ///< The appendix has them.
  std::vector<std::string> page_only_titles;      ///< They name what only the page shows.

  bool has(const Figure& figure) const;
  bool has(const TableView& table) const;
};

/// Chooses two variants of a family of figures: all figures of the first and one of the second.
/// Among tables with the same columns it chooses the last, which has the largest setting that ran.
/// A table with `TableView::always_on_paper` is always printed. One of the details is the part's
/// main table if the part has no other, else it is in the appendix.
PaperPart printed_part(const Part& part);

/// Chooses the tables of details that have few rows, fit half a page's width and hold no commands.
/// Leaves out those that `printed_part` chooses.
std::vector<const TableView*> printed_tables(const Details& details);

/// Puts the second half of the rows beside the first. The table's rows must have no remarks.
TableView in_two_halves(const TableView& table);

/// Estimates the width of the table, in which text wraps but numbers do not.
std::size_t width_in_letters(const TableView& table);

/// Returns true if the table fits one of two columns of a page.
bool fits_column(const TableView& table);

}  // namespace labreport
