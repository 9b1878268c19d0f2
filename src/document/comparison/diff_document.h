// The comparison of two runs as a document: what each writer is given.
#pragma once

#include <string>
#include <vector>

#include "analysis/comparison.h"
#include "document/document.h"
#include "document/summary.h"

namespace labreport {

/// One side of a comparison: its name where the document is read, and what its GPU found.
struct DiffSource {
  std::string name;  ///< A command's argument: a folder, a file or a GPU's name.
  std::string page;  ///< Relative address of its report; empty if there is none.
  /// The compared run's summary, then those of other runs of its GPU, newest first. Empty if
  /// unknown, as for an imported table.
  std::vector<RunSummary> summaries = {};
};

/// A card with what decides between the sides, then a section for each problem that both runs have
/// rows of, its rows in a drawer. Each ratio of its tables leads to a row of the drawer, "row-3".
/// `root` leads from the document's page to the site's root.
Document diff_document(const Comparison& comparison, const DiffSource& a, const DiffSource& b,
                       const std::string& root = "");

}  // namespace labreport
