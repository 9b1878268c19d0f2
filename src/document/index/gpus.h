// Groups the runs of a site by GPU, and quantities that can be compared with each other.
#pragma once

#include <string>
#include <vector>

#include "document/summary.h"

namespace labreport {

/// All runs of one GPU but demonstrations, newest first.
struct GpuRuns {
  std::string gpu;         ///< "NVIDIA H200"
  std::string short_name;  ///< "H200"; longer if another GPU's name begins with this word.
  std::vector<const RunSummary*> runs;

  const std::string folder() const { return runs.front()->gpu_folder(); }
};

/// Groups runs, the GPU of the latest run first. `runs` must outlive the result.
std::vector<GpuRuns> runs_by_gpu(const std::vector<RunSummary>& runs);

struct Measurement {
  const RunSummary* run;
  const Quantity* quantity;
};

/// Measurements of one quantity by one GPU, at least one; newest first.
using Measurements = std::vector<Measurement>;

/// Every quantity of the topic that the GPU measured, smaller networks first.
std::vector<Measurements> measurements(const GpuRuns& gpu, const std::string& topic);

/// The newest value called `name`; missing if there is none. It links to the part that shows it if
/// the run has a page. `root` leads from the linking page to the site's root.
Value newest_value(const Measurements& measured, const std::string& name, const std::string& root);

/// A key number and the run that has it; both null if no run of the GPU has one.
struct NewestKeyNumber {
  const RunSummary* run = nullptr;
  const KeyNumber* number = nullptr;
};

/// Prefers runs of that edition, then runs of the full preset, then newer runs.
NewestKeyNumber newest_key_number(const GpuRuns& gpu, const std::string& topic,
                                  const std::string& edition);

/// The edition in which most GPUs have a key number of that topic: the later one if editions tie,
/// empty if there is none.
std::string common_edition(const std::vector<GpuRuns>& gpus, const std::string& topic);

/// True if any of the GPUs measured a quantity of that topic, so that it has a page.
bool has_topic_page(const std::vector<GpuRuns>& gpus, const std::string& topic);

/// The setting that all these quantities share; empty if they differ.
std::string common_setting(const std::vector<Measurements>& all);

/// The names of a topic's values, in the order in which quantities have them.
std::vector<std::string> value_names(const std::vector<Measurements>& all);

/// All names of networks that have the quantity's number of parameters: "2.7B, xl".
std::string network_names(const std::vector<GpuRuns>& gpus, const Quantity& quantity);

/// "2026-05-01T12:34:56Z" → "2026-05-01 12:34"
std::string readable_time(std::string iso);

/// "topic/fastest-step"
std::string topic_folder(const std::string& topic);

}  // namespace labreport
