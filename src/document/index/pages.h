// Makes the documents of pages over several runs.
#pragma once

#include <string>
#include <vector>

#include "document/dataset.h"
#include "document/index/gpus.h"
#include "document/index/index_document.h"
#include "document/section.h"

namespace labreport {

/// Makes the index: findings in sentences, the ladders of one network across GPUs, a matrix of
/// topics and GPUs, all runs.
Document index_document(std::vector<RunSummary> runs);

/// Makes a GPU's page: its newest numbers for each topic, its training steps over time, its runs.
Document gpu_document(const GpuRuns& gpu, const std::vector<GpuRuns>& gpus);

/// Makes a topic's page: every GPU's newest numbers, side by side.
Document topic_document(const std::string& topic, const std::vector<GpuRuns>& gpus);

/// True if there is a page "What fits?": a run of any GPU confirms formulas of peak memory.
bool has_fits_page(const std::vector<GpuRuns>& gpus);

/// The page "What fits?": a table of the smallest GPU for each step, and the data of
/// site/what_fits.js.
OverviewPage fits_page(const std::vector<GpuRuns>& gpus);

/// "runs": a row for each run in this order. `root` leads from the page to the site's root.
Dataset run_rows(const std::vector<const RunSummary*>& runs, const std::string& root);

/// Builds the section of src/document/index/<name>.md from these facts and datasets.
Section overview_section(const std::string& name, PartContent content);

}  // namespace labreport
