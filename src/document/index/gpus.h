// Groups the runs of a site by GPU, and chooses the one value that a GPU's quantity has on every
// page over several runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/summary.h"

namespace labreport {

/// All runs of one GPU except demonstrations, newest first but for the first, which stands for the
/// GPU. It has the highest precedence in the edition that most GPUs have timed, so that pages over
/// several runs show the runs that a comparison of two GPUs compares.
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

  /// Returns the value of that name with its key; missing if there is none. If the run has a page,
  /// the value links to the part that shows it. `root` is the path from the linking page to the
  /// site's root.
  Value value(const std::string& name, const std::string& root) const;
};

/// All measurements of one quantity by one GPU, in the order of its runs. There is at least one.
using Series = std::vector<Measurement>;

/// Returns the series of every quantity of the topic, smaller networks first.
std::vector<Series> quantity_series(const GpuRuns& gpu, const std::string& topic);

/// Chooses the measurement whose value of that name is the GPU's on every page over several runs:
/// of those whose value the host's CPU does not set, or else of all that have the value, the first
/// one whose run's page shows it in a part, or else the first one. Of rates of the fastest GEMM it
/// chooses the highest. Nothing if none has the value.
std::optional<Measurement> chosen_measurement(const Series& series, const std::string& name);

/// Returns the first number in a value's name: 4096 for "4,096 tokens"; 0 if there is none.
double number_in(const std::string& name);

/// Splits words that are joined by ", ": "context 2,048" and "batch 4".
std::vector<std::string> listed_words(const std::string& words);

/// Returns the words that all quantities' settings have, in the order of the first.
std::vector<std::string> shared_words(const std::vector<const Quantity*>& quantities);

/// Returns the other words of the quantity's setting: "SDPA flash".
std::string words_except(const std::vector<std::string>& shared, const Quantity& quantity);

/// Returns the first remark on the series.
std::string remark_on(const Series& series);

/// The reason why a value is missing for which the GPU's memory did not suffice.
inline constexpr const char* kOutOfMemory = "out of memory";

/// Returns the names for which memory did not suffice in any run of the series.
std::vector<std::string> names_out_of_memory(const Series& series);

/// Returns the place of that of two GPUs whose advantage pages state, always in this direction: the
/// one with more memory, or else the later name.
std::size_t leading_gpu(const std::vector<GpuRuns>& two);

/// Returns the GPU's memory in GiB; missing if no run recorded it.
Value gpu_memory(const GpuRuns& gpu);

/// True if one of the GPUs measured a quantity of the topic.
bool is_measured(const std::vector<GpuRuns>& gpus, const Topic& topic);

/// Returns the topics on the page of that name which GPUs measured; there is no page without one.
std::vector<Topic> topics_on_page(const std::vector<GpuRuns>& gpus, std::string_view page);

/// Returns the names of all values in the series, in the order that they have in each quantity.
std::vector<std::string> value_names(const std::vector<Series>& all);

/// Names a network where editions meet, in which one word stands for different networks: "xl (3.4
/// B)". The word alone if the number of parameters is unknown.
std::string network_name(const std::string& word, double parameters);

/// Names the quantity's network by the word of the latest edition that has a network with as many
/// parameters: "xl (3.4 B)", which an earlier edition calls 2.7B.
std::string network_name(const std::vector<GpuRuns>& gpus, const Quantity& quantity);

/// Says which networks an edition's reports call by another word than `network_name`, or by a word
/// that means two networks on the page: "Reports of the 2025 edition call xl (2.0 B) xl and xl (3.4
/// B) 2.7B." Empty if there are none. Considers the networks on one topic's page if `topic_page` is
/// not empty.
std::string words_of_editions(const std::vector<GpuRuns>& gpus, std::string_view topic_page = "");

/// Converts "2026-05-01T12:34:56Z" to "2026-05-01 12:34".
std::string readable_time(std::string iso);

/// Returns the folder of a topic's page in the site: "topic/fastest-step".
std::string topic_folder(const std::string& page);

/// Returns the address of a topic's section from a page whose path to the site's root is `root`:
/// "topic/fastest-step/index.html#compilation"; empty if the topic is on GPUs' pages alone.
std::string topic_address(const Topic& topic, const std::string& root);

}  // namespace labreport
