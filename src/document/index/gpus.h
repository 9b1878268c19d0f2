// Groups the runs of a site by GPU, and quantities that can be compared with each other.
#pragma once

#include <string>
#include <vector>

#include "document/summary.h"

namespace labreport {

/// All runs of one GPU except demonstrations, newest first.
struct GpuRuns {
  std::string name;        ///< "NVIDIA H200"
  std::string short_name;  ///< "H200"; longer if another GPU's name begins with this word.
  std::vector<const RunSummary*> runs;

  const std::string folder() const { return runs.front()->gpu_folder(); }
};

/// Groups runs by GPU. The GPU of the newest run comes first. `runs` must outlive the result.
std::vector<GpuRuns> runs_by_gpu(const std::vector<RunSummary>& runs);

/// A quantity as one run measured it.
struct Measurement {
  const RunSummary* run;
  const Quantity* quantity;
};

/// All measurements of one quantity by one GPU, newest first. There is at least one.
using Series = std::vector<Measurement>;

/// Returns the series of every quantity of the topic, smaller networks first.
std::vector<Series> quantity_series(const GpuRuns& gpu, const std::string& topic);

/// Returns the newest value called `name`; missing if there is none. If its run has a page, the
/// value links to the page's part that shows it. `root` is the path from the linking page to the
/// site's root.
Value newest_value(const Series& series, const std::string& name, const std::string& root);

/// A key number and the run that has it; both null if no run of the GPU has one.
struct PreferredKeyNumber {
  const RunSummary* run = nullptr;
  const KeyNumber* number = nullptr;
};

/// Finds the GPU's key number of a topic. Prefers runs of that edition, then runs of the full
/// preset, then newer runs.
PreferredKeyNumber preferred_key_number(const GpuRuns& gpu, const std::string& topic,
                                        const std::string& edition);

/// Returns the edition in which most GPUs have a key number of that topic, the later one if
/// editions tie. Empty if there is none.
std::string most_common_edition(const std::vector<GpuRuns>& gpus, const std::string& topic);

/// True if the topic has a page, because one of the GPUs measured a quantity of it.
bool has_topic_page(const std::vector<GpuRuns>& gpus, const std::string& topic);

/// Returns the setting that all series have; empty if settings differ.
std::string common_setting(const std::vector<Series>& all);

/// Returns the names of all values in the series, in the order that they have in each quantity.
std::vector<std::string> value_names(const std::vector<Series>& all);

/// Returns all names of networks that have as many parameters as the quantity's: "2.7B, xl".
std::string network_names(const std::vector<GpuRuns>& gpus, const Quantity& quantity);

/// Converts "2026-05-01T12:34:56Z" to "2026-05-01 12:34".
std::string readable_time(std::string iso);

/// Returns the folder of a topic's page in the site: "topic/fastest-step".
std::string topic_folder(const std::string& topic);

}  // namespace labreport
