// Pages over several runs as documents: the index, a page for each GPU and one for each topic.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"
#include "document/summary.h"

namespace labreport {

/// A page over several runs and its place in the site.
struct OverviewPage {
  std::string folder;  ///< "topic/memory"; empty: the index.
  std::string lead;    ///< One sentence of plain text below the title.
  Document document;
  std::string file = "index.html";
  nlohmann::json data = {};  ///< Of the script that makes the page interactive; null: none does.

  bool is_index() const { return folder.empty() && data.is_null(); }
};

inline constexpr const char* kFitsFile = "what-fits.html";

/// The index, then the page of each GPU, that of each topic and "What fits?". Demonstrations stand
/// on the index alone, behind all other runs. Without runs there is the index, whose document has
/// no section.
std::vector<OverviewPage> overview_pages(std::vector<RunSummary> runs);

}  // namespace labreport
