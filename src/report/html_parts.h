// The pieces of an HTML page: tables, figures, parts.
#pragma once

#include <string>

#include "report/document.h"
#include "report/drawings.h"

namespace labreport {

std::string table_html(const TableView& table);

/// What a page's pieces have in common while it is written.
struct PageState {
  const Drawings& drawings;
  Answers answers = Answers::kFull;
  int figures = 0;  ///< Numbered so far.
};

std::string figure_html(const Figure& figure, PageState& state);
std::string part_html(const Part& part, PageState& state);

}  // namespace labreport
