#include "writers/paper_choice.h"

#include <algorithm>
#include <set>

namespace labreport {
namespace {

constexpr std::size_t kMostRows = 24;       // Rows in a part; longer tables separate it from the
                                            // next.
constexpr std::size_t kFewRows = 3;         // A reference would be no shorter.
constexpr std::size_t kMostRowsWide = 6;    // Rows in an appendix, across the page.
constexpr std::size_t kMostRowsHalf = 120;  // Rows in one column of an appendix.
constexpr std::size_t kMostDetailsRows = 9;
constexpr std::size_t kLettersOfHalf = 68;

bool has_commands(const TableView& table) {
  return std::ranges::any_of(table.columns, &ColumnView::code);
}

std::string name_of(const TableView& table) {
  const std::size_t rows = table.rows.size();
  return table.title + " (" + std::to_string(rows) + (rows == 1 ? " row)" : " rows)");
}

bool same_head(const TableView& one, const TableView& other) {
  return std::ranges::equal(one.columns, other.columns, {}, &ColumnView::title, &ColumnView::title);
}

bool fits_appendix(const TableView& table) {
  return table.rows.size() <= (fits_half(table) ? kMostRowsHalf : kMostRowsWide);
}

/// The variants of one family so far, in a part's order.
class Variants {
 public:
  /// True if the next figure is printed.
  bool take(const Figure& figure) {
    if (figure.family.empty()) return true;
    if (figure.family != family_) met_.clear();
    family_ = figure.family;
    const bool is_new = met_.insert(figure.variant).second;
    return is_new ? met_.size() <= 2 : met_.size() == 1;
  }

 private:
  std::string family_;
  std::set<std::string> met_;
};

void choose_figures(const Part& part, PaperPart& paper) {
  Variants variants;
  for (const Figure& figure : part.figures) {
    if (!figure.page_only && variants.take(figure)) {
      paper.figures.push_back(&figure);
    } else {
      paper.left.push_back(figure.title);
    }
  }
}

}  // namespace

bool PaperPart::has(const Figure& figure) const {
  return std::ranges::find(figures, &figure) != figures.end();
}

bool PaperPart::has(const TableView& table) const {
  return std::ranges::find(tables, &table) != tables.end() ||
         std::ranges::find(further, &table) != further.end();
}

PaperPart on_paper(const Part& part) {
  PaperPart paper;
  choose_figures(part, paper);
  const auto& tables = part.tables;
  for (auto table = tables.begin(); table != tables.end(); ++table) {
    const bool varies = std::any_of(
        table + 1, tables.end(), [&](const TableView& later) { return same_head(*table, later); });
    const bool is_main = paper.tables.empty() && table->rows.size() <= kMostRows;
    const bool is_short = table->rows.size() <= kFewRows;
    if (!varies && (is_main || is_short)) {
      paper.tables.push_back(&*table);
    } else if (table->on_paper || (!varies && fits_appendix(*table))) {
      paper.further.push_back(&*table);
    } else {
      paper.left.push_back(name_of(*table));
    }
  }
  for (const TableView& table : part.details.tables) {
    if (table.on_paper) paper.further.push_back(&table);
  }
  return paper;
}

std::vector<const TableView*> on_paper(const Details& details) {
  std::vector<const TableView*> tables;
  for (const TableView& table : details.tables) {
    const bool is_short = table.rows.size() <= kMostDetailsRows;
    if (is_short && fits_half(table) && !has_commands(table)) tables.push_back(&table);
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
      const std::vector<Value>& more = table.rows[half + i].cells;
      cells.insert(cells.end(), more.begin(), more.end());
    }
    cells.resize(halves.columns.size(), "");
  }
  return halves;
}

bool fits_half(const TableView& table) { return letters_across(table) <= kLettersOfHalf; }

}  // namespace labreport
