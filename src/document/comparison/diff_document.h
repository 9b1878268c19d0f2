// Makes the document of a comparison of two runs.
#pragma once

#include <string>
#include <vector>

#include "analysis/comparison.h"
#include "document/document.h"
#include "document/summary.h"

namespace labreport {

/// One side of a comparison: its name and page for the reader, and summaries of its GPU's runs.
struct DiffSource {
  std::string name;  ///< The argument of `labreport diff`: a folder, a file or a GPU's name.
  std::string page;  ///< The relative address of the run's report; empty if there is none.
  /// The compared run's summary, then those of other runs of its GPU, newest first. Empty if there
  /// are none, as for an imported table.
  std::vector<RunSummary> summaries = {};
  double price = 0;  ///< The price of an hour of its GPU, in the reader's currency; 0 if not given.
};

/// Makes a card with the main differences, numbers of other runs of the two GPUs, and a table of
/// all rows. `root` leads from the document's page to the site's root.
Document diff_document(const Comparison& comparison, const DiffSource& a, const DiffSource& b,
                       const std::string& root = "");

}  // namespace labreport
