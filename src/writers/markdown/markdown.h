// The report as GitHub-flavoured Markdown, with pictures beside it.
#pragma once

#include <string>

#include "document/document.h"
#include "document/drawings.h"

namespace labreport {

/// "Ada Lovelace · CS336 · github.com/ada/assignment2"; empty where nothing is known.
std::string byline_markdown(const FrontMatter& front);

std::string table_markdown(const TableView& table);

/// Figures that `drawings` lacks are left to their data tables.
std::string report_markdown(const Document& document, const Drawings& drawings, Answers answers);

/// One part for a document of one's own, as it stands in the report: its pictures and links lead
/// on from the run's folder.
std::string part_markdown(const Part& part, const FrontMatter& front, const Drawings& drawings,
                          Answers answers);

}  // namespace labreport
