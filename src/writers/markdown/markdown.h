// Writes the report as GitHub-flavoured Markdown with pictures beside it.
#pragma once

#include <string>

#include "document/document.h"
#include "document/drawings.h"

namespace labreport {

/// Returns "**Ada Lovelace** · CS336 · [address](address)" without what is unknown.
std::string byline_markdown(const FrontMatter& front);

std::string table_markdown(const TableView& table);

/// A figure that `drawings` lacks is replaced by its data table.
std::string report_markdown(const Document& document, const Drawings& drawings, Answers answers);

/// Writes one part for another document; pictures and links are relative to the run's folder.
std::string part_markdown(const Part& part, const FrontMatter& front, const Drawings& drawings,
                          Answers answers);

}  // namespace labreport
