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
/// topics and GPUs, a list of all reports, and all runs.
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
/// column for each of them, and for two the advantage of one. `gpus` are all GPUs. `root` is the
/// path from the page to the site's root.
Dataset finding_data(const std::string& name, const std::vector<GpuRuns>& shown,
                     const std::vector<GpuRuns>& gpus, const std::string& root);

/// Adds the column "advantage" if there are two GPUs: how many times as good the number of
/// `leading_gpu` is, so a shorter time and fewer bytes count more. `value(row, gpu)` returns the
/// number, `unit(row)` its unit; without a unit the larger number is the better.
template <typename Row, typename GetValue, typename GetUnit>
void add_advantage(std::vector<Column<Row>>& columns, const std::vector<GpuRuns>& gpus,
                   const GetValue& value, const GetUnit& unit) {
  if (gpus.size() != 2) return;
  const std::size_t leading = leading_gpu(gpus);
  columns.push_back({"advantage",
                     "Advantage of " + gpus[leading].short_name,
                     [=](const Row& row) {
                       const std::string words = unit(row);
                       const bool less_is_better =
                           words == "ms" || words == "GiB" || words == "MiB";
                       const std::size_t dividend = less_is_better ? 1 - leading : leading;
                       return value(row, dividend).over(value(row, 1 - dividend));
                     },
                     "×",
                     {Notation::kFixed, 2}});
}

/// Makes the dataset "runs": a row for each run, in this order. `gpus` are all GPUs, whose runs
/// name networks. `root` is the path from the page to the site's root.
Dataset run_data(const std::vector<const RunSummary*>& runs, const std::vector<GpuRuns>& gpus,
                 const std::string& root);

/// Makes the dataset "reports": a row for each kind of report in each edition, and in the columns
/// of the GPUs the days of these reports as links to them. Runs without a GPU have a column of
/// their own. `runs` are in the order in which rows begin.
Dataset report_data(const std::vector<const RunSummary*>& runs, const std::vector<GpuRuns>& gpus);

/// Joins the words of src/document/index/<name>.md with these facts and datasets. The section has
/// no title.
Section overview_section(const std::string& name, PartContent content);

}  // namespace labreport
