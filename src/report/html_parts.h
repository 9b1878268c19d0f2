// The pieces of an HTML page: tables, figures, parts.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "report/document.h"
#include "report/drawings.h"

namespace labreport {

/// What a page's pieces have in common while it is written.
struct PageState {
  const Drawings& drawings;
  Answers answers = Answers::kFull;
  bool single = false;  ///< One file: pictures and what makes them live stand in the page itself.
  int figures = 0;      ///< Numbered so far.
  std::set<std::string> ids = {};

  /// `wanted`, or with a number behind it where something in the page has that id.
  std::string id(const std::string& wanted);
};

/// `id` is what a link to the table names.
std::string table_html(const TableView& table, const std::string& id);

std::string figure_html(const Figure& figure, PageState& state);

/// Figures one after another, the variants of a family held together.
std::string figures_html(const std::vector<Figure>& figures, PageState& state);

std::string part_html(const Part& part, PageState& state);

}  // namespace labreport
