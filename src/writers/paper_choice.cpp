#include "writers/paper_choice.h"

#include <algorithm>
#include <set>

namespace labreport {
namespace {

constexpr std::size_t kMostMainRows = 24;     // A longer main table is not printed in its part.
constexpr std::size_t kMostShortRows = 3;     // Such a table is as short as a reference to it.
constexpr std::size_t kMostWideRows = 6;      // The table is as wide as the page.
constexpr std::size_t kMostColumnRows = 120;  // The table fits one of two columns.
constexpr std::size_t kMostDetailsRows = 9;   // A longer table of details would bury the answers.
constexpr std::size_t kColumnLetters = 68;

/// Chooses two variants of each family, the second with its first figure only.
void choose_figures(const Part& part, PaperPart& paper) {
  std::string family;
  std::set<std::string> variants;  // These variants of `family` have occurred.
  for (const Figure& figure : part.figures) {
    bool printed = !figure.page_only;
    if (printed && !figure.family.empty()) {
      if (figure.family != family) variants.clear();
      family = figure.family;
      const bool is_new = variants.insert(figure.variant).second;
      printed = variants.size() == 1 || (is_new && variants.size() == 2);
    }
    if (printed) {
      paper.figures.push_back(&figure);
    } else {
      paper.page_only_titles.push_back(figure.title);
    }
  }
}

}  // namespace

bool PaperPart::has(const Figure& figure) const {
  return std::ranges::find(figures, &figure) != figures.end();
}

bool PaperPart::has(const TableView& table) const {
  return std::ranges::find(tables, &table) != tables.end() ||
         std::ranges::find(appendix_tables, &table) != appendix_tables.end();
}

PaperPart printed_part(const Part& part) {
  PaperPart paper;
  choose_figures(part, paper);
  const auto& tables = part.tables;
  for (auto table = tables.begin(); table != tables.end(); ++table) {
    const std::size_t rows = table->rows.size();
    const bool is_replaced = std::any_of(table + 1, tables.end(), [&](const TableView& later) {
      return std::ranges::equal(table->columns, later.columns, {}, &ColumnView::title,
                                &ColumnView::title);
    });
    const bool is_main = paper.tables.empty() && rows <= kMostMainRows;
    const bool is_short = rows <= kMostShortRows;
    if (!is_replaced && (is_main || is_short)) {
      paper.tables.push_back(&*table);
    } else if (table->always_on_paper ||
               (!is_replaced && rows <= (fits_column(*table) ? kMostColumnRows : kMostWideRows))) {
      paper.appendix_tables.push_back(&*table);
    } else {
      paper.page_only_titles.push_back(table->title + " (" + std::to_string(rows) +
                                       (rows == 1 ? " row)" : " rows)"));
    }
  }
  for (const TableView& table : part.details.tables) {
    if (!table.always_on_paper) continue;
    const bool is_main = paper.tables.empty() && table.rows.size() <= kMostMainRows;
    (is_main ? paper.tables : paper.appendix_tables).push_back(&table);
  }
  return paper;
}

std::vector<const TableView*> printed_tables(const Details& details) {
  std::vector<const TableView*> tables;
  for (const TableView& table : details.tables) {
    const bool is_short = table.rows.size() <= kMostDetailsRows;
    const bool has_commands = std::ranges::any_of(table.columns, &ColumnView::is_code);
    const bool is_chosen = is_short && fits_column(table) && !has_commands;
    if (is_chosen && !table.always_on_paper) tables.push_back(&table);
  }
  return tables;
}

TableView in_two_halves(const TableView& table) {
  TableView halves = table;
  halves.columns.insert(halves.columns.end(), table.columns.begin(), table.columns.end());
  const std::size_t half = (table.rows.size() + 1) / 2;
  halves.rows.resize(half);
  for (std::size_t i = 0; i < half; ++i) {
    std::vector<Value>& cells = halves.rows[i].cells;
    cells.resize(table.columns.size(), "");
    if (half + i < table.rows.size()) {
      const std::vector<Value>& right = table.rows[half + i].cells;
      cells.insert(cells.end(), right.begin(), right.end());
    }
    cells.resize(halves.columns.size(), "");
  }
  return halves;
}

bool fits_column(const TableView& table) { return width_in_letters(table) <= kColumnLetters; }

}  // namespace labreport
