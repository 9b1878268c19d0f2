// Makes the document of each kind of page over several runs.
#pragma once

#include <string>
#include <vector>

#include "document/dataset.h"
#include "document/index/gpus.h"
#include "document/index/index_document.h"
#include "document/section.h"

namespace labreport {

/// Makes the index: findings in sentences, the ladders of one network on all GPUs, a matrix of
/// topics and GPUs, and all runs.
Document index_document(std::vector<RunSummary> runs);

/// Makes a GPU's page: its limits and training step beside other GPUs', its finding for each topic,
/// its training steps over time, its runs.
Document gpu_document(const GpuRuns& gpu, const std::vector<GpuRuns>& gpus);

/// Makes the page of that name, with a section for each of its topics: every GPU's numbers, side by
/// side.
Document topic_document(const std::string& page, const std::vector<GpuRuns>& gpus);

/// True if there is a page "What fits?", because a run of any GPU confirms formulas of peak memory.
bool has_fits_page(const std::vector<GpuRuns>& gpus);

/// Makes the page "What fits?": a table of the smallest GPU for each step, and the data of
/// site/what_fits.js.
OverviewPage fits_page(const std::vector<GpuRuns>& gpus);

/// Makes the dataset of that name: the finding of each topic that the `shown` GPUs measured, with a
/// column for each of them, and for two the ratio. `gpus` are all GPUs. `root` is the path from the
/// page to the site's root.
Dataset finding_data(const std::string& name, const std::vector<GpuRuns>& shown,
                     const std::vector<GpuRuns>& gpus, const std::string& root);

/// Adds the column "ratio" if there are two GPUs: a row's number on GPU `dividend` by that on the
/// other one. `value(row, gpu)` returns the number.
template <typename Row, typename GetValue>
void add_ratio(std::vector<Column<Row>>& columns, const std::vector<GpuRuns>& gpus,
               std::size_t dividend, const GetValue& value) {
  if (gpus.size() != 2) return;
  const std::size_t divisor = 1 - dividend;
  columns.push_back({"ratio",
                     gpus[dividend].short_name + " ÷ " + gpus[divisor].short_name,
                     [=](const Row& row) { return value(row, dividend).over(value(row, divisor)); },
                     "",
                     {Notation::kFixed, 2}});
}

/// Makes the dataset "runs": a row for each run, in this order. `root` is the path from the page to
/// the site's root.
Dataset run_data(const std::vector<const RunSummary*>& runs, const std::string& root);

/// Joins the words of src/document/index/<name>.md with these facts and datasets. The section has
/// no title.
Section overview_section(const std::string& name, PartContent content);

}  // namespace labreport
