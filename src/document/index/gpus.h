// Groups the runs of a site by GPU, and their quantities by what can be compared.
#pragma once

#include <string>
#include <vector>

#include "document/summary.h"

namespace labreport {

/// All runs of one GPU but demonstrations, newest first.
struct GpuRuns {
  std::string gpu;         ///< "NVIDIA H200"
  std::string short_name;  ///< "H200", unless another GPU's name begins the same.
  std::vector<const RunSummary*> runs;

  const std::string folder() const { return runs.front()->gpu_folder(); }
};

/// Sorted by the latest run, newest first. `runs` must outlive the result.
std::vector<GpuRuns> runs_by_gpu(const std::vector<RunSummary>& runs);

struct Measurement {
  const RunSummary* run;
  const Quantity* quantity;
};

/// Measurements of one quantity by one GPU, at least one; newest first.
using Measurements = std::vector<Measurement>;

/// Every quantity of the topic that the GPU measured, smaller networks first.
std::vector<Measurements> measurements(const GpuRuns& gpu, const std::string& topic);

/// The newest value of that name, leading to the part that shows it if the run has a page; missing
/// if there is none. `root` leads from the page to the site's root.
Value newest_value(const Measurements& measured, const std::string& name, const std::string& root);

/// A key number and the run that has it; null if no run of the GPU has one.
struct NewestKeyNumber {
  const RunSummary* run = nullptr;
  const KeyNumber* number = nullptr;
};

/// Prefers numbers of that edition, then those of full runs, then newer ones.
NewestKeyNumber newest_key_number(const GpuRuns& gpu, const std::string& topic,
                                  const std::string& edition);

/// The edition of which most GPUs have a key number of that topic; the newer one if two have as
/// many.
std::string common_edition(const std::vector<GpuRuns>& gpus, const std::string& topic);

/// True if any of the GPUs measured a quantity of that topic, so that it has a page.
bool has_page(const std::vector<GpuRuns>& gpus, const std::string& topic);

/// The setting that all of these have in common; empty if there is none.
std::string common_setting(const std::vector<Measurements>& all);

/// The names of a topic's values, in the order in which quantities have them.
std::vector<std::string> value_names(const std::vector<Measurements>& all);

/// All names of networks with as many parameters: "2.7B, xl".
std::string network_names(const std::vector<GpuRuns>& gpus, const Quantity& quantity);

/// "2026-05-01T12:34:56Z" → "2026-05-01 12:34"
std::string readable_time(std::string iso);

/// "topic/fastest-step"
std::string topic_folder(const std::string& topic);

}  // namespace labreport
