// The report as GitHub-flavoured Markdown, with pictures beside it.
#pragma once

#include <string>

#include "document/document.h"
#include "document/drawings.h"

namespace labreport {

/// Where a figure's picture lies, relative to report.md: "charts/<slug>.svg".
std::string chart_path(const Figure& figure);

std::string table_markdown(const TableView& table);

/// Figures that `drawings` lacks are left to their data tables.
std::string report_markdown(const Document& document, const Drawings& drawings, Answers answers);

/// One part for a document of one's own, as it stands in the report: its pictures and links lead
/// on from the run's folder.
std::string part_markdown(const Part& part, const FrontMatter& front, const Drawings& drawings,
                          Answers answers);

}  // namespace labreport
