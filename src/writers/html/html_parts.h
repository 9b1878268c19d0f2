// The pieces of an HTML page: tables, figures, parts.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"
#include "document/drawings.h"
#include "writers/paper_choice.h"

namespace labreport {

/// What a page's pieces have in common while it is written.
struct PageState {
  const Drawings& drawings;
  Answers answers = Answers::kFull;
  bool single = false;  ///< One file: pictures and what makes them live stand in the page itself.
  int figures = 0;      ///< Numbered so far.
  std::set<std::string> ids = {};
  FrontMatter front = {};  ///< Whose notes they are.
  bool compares = false;   ///< Two runs.

  /// `wanted`, or with a number behind it where something in the page has that id.
  std::string id(const std::string& wanted);
};

/// `id` is what a link to the table names. A print leaves out what does not stand on paper.
std::string table_html(const TableView& table, const std::string& id, bool on_paper = true);

std::string figure_html(const Figure& figure, PageState& state, bool on_paper = true);

/// Whose report it is; empty where nothing is known.
std::string byline_html(const FrontMatter& front);

/// The list of `Part::facts` ("- label: value; value") as one of labels with their values.
std::string facts_html(std::string_view markdown);

/// Figures one after another, the variants of a family held together.
std::string figures_html(const std::vector<Figure>& figures, PageState& state,
                         const PaperPart& paper);

std::string part_html(const Part& part, PageState& state);

}  // namespace labreport
