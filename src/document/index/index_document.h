// The site's first page as a part of a document: all runs side by side.
#pragma once

#include <vector>

#include "document/document.h"
#include "document/index/run_entry.h"

namespace labreport {

/// Figures of the newest run of each device and edition, and of each device's history where it has
/// three runs; one table with a row a run, in the order of `sort_entries`. Links are relative to
/// the site's root.
Document index_document(std::vector<RunEntry> entries);

}  // namespace labreport
