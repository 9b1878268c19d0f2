// The pieces of an HTML page: tables, figures, parts.
#pragma once

#include <string>
#include <string_view>

#include "report/document.h"
#include "report/drawings.h"

namespace labreport {

std::string table_html(const TableView& table);

/// What a page's pieces have in common while it is written.
struct PageState {
  const Drawings& drawings;
  Answers answers = Answers::kFull;
  int figures = 0;         ///< Numbered so far.
  FrontMatter front = {};  ///< Whose notes they are.
};

std::string figure_html(const Figure& figure, PageState& state);

/// What stands as the answer: the generated one, the author's own words, or room for them.
std::string answer_html(const Part& part, const PageState& state);

/// The list of `Part::facts` ("- label: value; value") as one of labels with their values.
std::string facts_html(std::string_view markdown);

std::string part_html(const Part& part, PageState& state);

}  // namespace labreport
