// A run's summary is small enough to keep for every run. Pages over several runs are made of
// summaries, which experiments/overview makes of runs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "document/document.h"
#include "document/step_limits.h"
#include "plan/editions.h"

namespace labreport {

/// The training steps that represent a run on pages over several runs: those of the largest network
/// that ran in FP32 and in mixed precision, else of the last network. A number is 0 if it was not
/// measured.
struct Headline {
  std::string network;    ///< "2.7B"; empty if no training step ran.
  std::string precision;  ///< "BF16"
  double fp32_ms = 0;
  double mixed_ms = 0;
  double mfu = 0;                   ///< FLOP/s of the mixed-precision step over the GPU's peak.
  std::string utilization = "MFU";  ///< "HFU" for a user's network: `mfu` includes recomputation.
  double peak_bytes = 0;            ///< The largest memory peak of the network's training steps.
};

/// Topics under which pages over several runs show numbers.
namespace topic {

inline constexpr const char* kTrainingStep = "Training step";
inline constexpr const char* kKernels = "Kernels of a step";
inline constexpr const char* kMixedPrecision = "Mixed precision";
inline constexpr const char* kMemory = "Memory";
inline constexpr const char* kAttention = "Attention";
inline constexpr const char* kAttentionMemory = "Attention’s memory";
inline constexpr const char* kCompilation = "Compilation";
inline constexpr const char* kFastestStep = "Fastest step";
inline constexpr const char* kCheckpointing = "Checkpointing";
inline constexpr const char* kSeveralGpus = "Several GPUs";
inline constexpr const char* kSharding = "Sharding";
inline constexpr const char* kScaling = "Scaling";
/// The value of `kScaling` against which the others are compared.
inline constexpr const char* kOneGpu = "1 GPU";
inline constexpr const char* kAllReduce = "All-reduce";
inline constexpr const char* kLimits = "GPU limits";
/// Values of `kLimits` by the GPU's data sheet. No page shows them as measured numbers.
inline constexpr const char* kDataSheet = "Data sheet";
/// The setting of the highest rates of `kLimits`, those of single GEMMs.
inline constexpr const char* kFastestGemm = "fastest GEMM";
/// The parts of each step of a ladder, whose setting ends with the step's change, in the precision
/// that this step computes in. The figure of `kFastestStep` shows them.
inline constexpr const char* kLadderParts = "Parts of a ladder’s steps";
/// The time that communication adds to a step by each scheme of `kSeveralGpus`, whose figure shows
/// it.
inline constexpr const char* kAddedTimes = "Added by communication";

}  // namespace topic

/// Names of values of topic `kKernels`, the parts of a training step. GEMMs and other kernels have
/// the pass before them: "forward: GEMMs".
namespace step_part {

inline constexpr const char* kGemms = ": GEMMs";
inline constexpr const char* kOtherKernels = ": other kernels";
inline constexpr const char* kOptimizer = "optimizer";
inline constexpr const char* kIdle = "GPU idle";

}  // namespace step_part

/// Tells which value of the largest network is a topic's finding.
enum class Conclusion {
  kLargest,
  kBest,            ///< The smallest, because a quantity's values are alternatives.
  kBestAtLargest,   ///< The smallest of the values whose name has the largest number.
  kPlainAtLargest,  ///< Attention's in plain operators whose name has the largest number.
};

struct Topic {
  const char* name;
  const char* page;  ///< The topic whose page shows this one, too; null for GPUs' pages.
  /// The finding in one sentence, with {network}, {precision}, {setting}, the value's {name} and
  /// its {values} on each GPU: "109 ms on the H200", or with a `baseline_name` "from 328 to 109 ms
  /// on the H200".
  const char* sentence;
  Conclusion conclusion = Conclusion::kLargest;
  /// True if a figure shows all values of the finding's quantity, false if it shows the values of
  /// the finding's name in all quantities.
  bool draws_quantity = false;
  /// True if a comparison of two runs shows quantities of the topic, because no compared row has
  /// them.
  bool is_compared = false;
};

/// In the order in which pages show them.
inline constexpr Topic kTopics[]{
    {.name = topic::kTrainingStep,
     .page = topic::kTrainingStep,
     .sentence = "{network}’s {name} takes {values} in {precision} ({setting})."},
    {.name = topic::kMixedPrecision,
     .page = topic::kTrainingStep,
     .sentence = "Against FP32, {precision} speeds {network}’s {name} up {values} ({setting})."},
    {.name = topic::kKernels,
     .page = topic::kTrainingStep,
     .sentence =
         "Of the parts of {network}’s training step in {precision}, *{name}* takes longest: "
         "{values} ({setting}).",
     .draws_quantity = true},
    {.name = topic::kFastestStep,
     .page = topic::kFastestStep,
     .sentence = "With all changes up to {name}, {network}’s training step falls {values} in "
                 "{precision} ({setting}).",
     .conclusion = Conclusion::kBest,
     .draws_quantity = true,
     .is_compared = true},
    {.name = topic::kCompilation,
     .page = topic::kFastestStep,
     .sentence = "Once {name}, {network}’s training step falls {values} in {precision} "
                 "({setting}); one run timed both.",
     .conclusion = Conclusion::kBest,
     .is_compared = true},
    {.name = topic::kAttention,
     .page = topic::kAttention,
     .sentence = "Over {name}, the fastest attention takes {values} ({precision}, {setting}).",
     .conclusion = Conclusion::kBestAtLargest,
     .is_compared = true},
    {.name = topic::kAttentionMemory,
     .page = topic::kAttention,
     .sentence = "Over {name}, attention keeps {values} for backward ({precision}, {setting}).",
     .conclusion = Conclusion::kPlainAtLargest,
     .is_compared = true},
    {.name = topic::kMemory,
     .page = topic::kMemory,
     .sentence = "At {name}, {network} peaks at {values} ({precision}, {setting})."},
    {.name = topic::kCheckpointing,
     .page = topic::kMemory,
     .sentence = "{network}’s training step peaks lowest with {name}, at {values} ({precision}, "
                 "{setting}).",
     .conclusion = Conclusion::kBest,
     .is_compared = true},
    {.name = topic::kSeveralGpus,
     .page = topic::kSeveralGpus,
     .sentence = "{network}’s data-parallel training step falls {values} with the scheme *{name}* "
                 "instead of *per parameter* ({precision}, {setting}).",
     .conclusion = Conclusion::kBest,
     .draws_quantity = true,
     .is_compared = true},
    {.name = topic::kSharding,
     .page = topic::kSeveralGpus,
     .sentence = "With {name}, the peak of {network}’s training step falls {values} on each rank "
                 "({precision}, {setting}).",
     .conclusion = Conclusion::kBest,
     .draws_quantity = true,
     .is_compared = true},
    {.name = topic::kScaling,
     .page = topic::kSeveralGpus,
     .sentence = "With {name}, {network}’s training step falls {values} ({precision}, {setting} in "
                 "all); one run timed both.",
     .conclusion = Conclusion::kBest,
     .draws_quantity = true,
     .is_compared = true},
    {.name = topic::kAllReduce,
     .page = topic::kSeveralGpus,
     .sentence = "An all-reduce of {name} takes {values} ({setting}).",
     .draws_quantity = true,
     .is_compared = true},
    {.name = topic::kLimits, .page = nullptr, .sentence = ""}};

/// Begins a remark that names the value for which memory did not suffice.
inline constexpr std::string_view kRanOutAt = "out of memory at ";

/// Numbers of one setting in one unit: a network's step and its phases, or one sweep. A value that
/// is a `Measure` has the name that `describe` returns.
struct Quantity {
  std::string topic;
  std::string network = {};    ///< "2.7B"; empty if the setting has no network.
  double parameters = 0;       ///< Number of parameters, which identifies a network; 0 if unknown.
  std::string precision = {};  ///< "BF16"
  std::string setting = {};    ///< "context 512, batch 4"
  std::string unit = {};       ///< "ms"
  std::vector<std::pair<std::string, double>> values = {};  ///< {"step", 108.5}, …
  /// Names of the values that the host's CPU sets, at least in part, and of those that are not
  /// known to be the GPU's.
  std::vector<std::string> set_by_cpu = {};
  /// `kRanOutAt` and names of values, joined by ", ": "out of memory at context 2,048".
  std::string remark = {};
  std::string part = {};  ///< Anchor of the part that shows the values; empty for the whole page.

  /// "BF16, context 512, batch 4"
  std::string words() const;
  /// True if `set_by_cpu` has the name.
  bool is_set_by_cpu(const std::string& name) const;
  /// Returns the key of the value of that name, see `Value::key`. The owner is the GPU whose value
  /// it is, or the run.
  std::string key(const std::string& name, const std::string& owner) const;
  /// Returns the name of the smallest value that the GPU sets; empty if there is none.
  std::string smallest() const;
  /// Returns the value of that name, in `unit`; null if there is none.
  const double* find(const std::string& name) const;
  /// True if topic, network, precision, setting and unit are equal. Networks are equal if they have
  /// equally many parameters, or equal names if both numbers are unknown.
  bool matches(const Quantity& other) const;
};

/// Measured memory peaks of one kind of step, which agree with the formulas of plan/memory.h. The
/// names of the members are keys of summary.json.
struct ConfirmedPeaks {
  std::string mode;        ///< The name of a Mode: "train_step".
  std::string precision;   ///< The name of a Precision: "bf16".
  std::int64_t peaks = 0;  ///< Number of measured peaks.
  double farthest = 0;     ///< The worst relative error of a prediction: predicted ÷ measured − 1.
  std::int64_t batch = 0;  ///< The largest measured batch of each rank.
  std::int64_t context = 0;  ///< The longest measured context.
  std::int64_t blocks = 0;   ///< The most blocks per checkpoint; 0 without checkpoints.
  std::int64_t ranks = 0;  ///< The most ranks that shard the optimizer's state; 0 for one process.
  std::int64_t workspace = 0;  ///< Bytes of the libraries' workspaces, which no formula predicts.
};

/// The evidence for predictions of memory peaks on the run's GPU. Empty unless measured peaks
/// confirm the formulas of plan/memory.h.
struct MemoryEvidence {
  std::int64_t device_bytes = 0;    ///< The GPU's memory.
  std::vector<Size> networks = {};  ///< Smallest first.
  std::vector<ConfirmedPeaks> confirmed = {};
};

/// The main numbers of a run. The names of the members are keys of summary.json. A run that mostly
/// failed has no headline and no numbers.
struct RunSummary : RunDescription {
  std::string folder = {};  ///< Inside the site: "nvidia-h200/2025/<time>-<revision>"
  std::string title = {};   ///< "Profiling and benchmarking (§1.1)"
  Headline headline = {};
  /// Names of the problems that the run answers, for a run without a training step: "ladder and 3
  /// more".
  std::string problems = {};
  std::vector<Quantity> quantities = {};
  /// The training steps of the headline's network by parts, and the last steps of ladders.
  std::vector<LimitedStep> steps = {};
  MemoryEvidence memory = {};
  /// Facts of the GPU, its host and their software, by name: {"Driver", "580.95"}.
  std::vector<std::pair<std::string, std::string>> machine = {};

  /// Returns the folder of all runs of this GPU: "nvidia-h200".
  std::string gpu_folder() const;
  /// Returns the device without a count: "NVIDIA H200" for "2 × NVIDIA H200".
  std::string gpu() const;
  /// Returns the address of a part on the run's page, or of the page if the anchor is empty.
  std::string address(const std::string& anchor) const;
  /// Returns the owner of numbers that are shown as this run's, see `Quantity::key`.
  std::string key_owner() const { return "run " + folder; }
  /// Returns the key of a number of the headline.
  std::string key(const std::string& number) const;
  /// True if this run began later. Of runs of one second, that with the smaller folder name counts
  /// as newer, so that an order of runs is always the same.
  bool is_newer_than(const RunSummary& other) const;
  /// Returns a key that is greater for runs that rather stand for their GPU and edition: those that
  /// time a training step, then those of the user's, then full runs. Equal keys mean that the newer
  /// run does.
  std::tuple<bool, bool, bool> precedence() const;
};

// The form of summary.json, which summary.schema.json describes.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Headline, network, precision, fp32_ms, mixed_ms, mfu,
                                   utilization, peak_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Quantity, topic, network, parameters, precision, setting, unit,
                                   values, set_by_cpu, remark, part)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ModelShape, d_model, d_ff, layers, heads, vocab)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Size, name, shape)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ConfirmedPeaks, mode, precision, peaks, farthest, batch, context,
                                   blocks, ranks, workspace)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MemoryEvidence, device_bytes, networks, confirmed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunSummary, folder, title, device, edition, preset, started_at,
                                   revision, outcome, demonstration, reference, incomplete,
                                   headline, problems, quantities, steps, memory, machine)

/// Returns the content of summary.json.
std::string summary_json(const RunSummary& summary);

/// Returns the JSON schema of summary.json.
std::string_view summary_schema();

}  // namespace labreport
