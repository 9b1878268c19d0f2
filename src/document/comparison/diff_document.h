// The comparison of two runs as a document: what each writer is given.
#pragma once

#include <string>

#include "analysis/comparison.h"
#include "document/document.h"

namespace labreport {

/// How a side is called where the document is read.
struct DiffSource {
  std::string name;  ///< As a command takes it: a folder, a file or a GPU's name.
  std::string page;  ///< Relative address of its report; empty: no link.
};

/// A summary, then a section for each problem that both runs have rows of. Each ratio of its tables
/// leads to a row of the section's details, "row-3".
Document diff_document(const Comparison& comparison, const DiffSource& a, const DiffSource& b);

}  // namespace labreport
