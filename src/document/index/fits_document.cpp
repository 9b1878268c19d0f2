// Makes the page "What fits?": the smallest GPU for each step, and the formulas that its script
// computes.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "document/index/pages.h"
#include "document/peaks.h"
#include "plan/sharding.h"

namespace labreport {
namespace {

constexpr std::array<std::int64_t, 4> kContexts{512, 1024, 2048, 4096};
constexpr std::array<std::int64_t, 4> kRanks{2, 4, 8, 16};
constexpr std::int64_t kInitialContext = 512;  // The context with which the page opens.

/// The peaks of one kind of step that a GPU's runs measured. They are evidence for the formulas.
struct PeakEvidence {
  ConfirmedPeaks peaks;    ///< The peaks of all runs together.
  const RunSummary* run;   ///< The run that measured most of the peaks, the newest if several did.
  std::int64_t run_peaks;  ///< The number of peaks that `run` measured.

  bool has_checkpoints() const { return peaks.blocks > 0; }
  bool is_sharded() const { return peaks.ranks > 0; }
  bool is_plain() const { return !has_checkpoints() && !is_sharded(); }
  /// Returns a key that distinguishes kinds of steps. Steps with checkpoints, and steps that shard
  /// the optimizer's state, are kinds of their own.
  auto kind_key() const {
    return std::tuple(has_checkpoints(), is_sharded(), parse_name<Mode>(peaks.mode),
                      parse_name<Precision>(peaks.precision));
  }
  /// True for steps of the kind and for those that contain one, as a training step contains its
  /// forward pass. They need at least as much memory.
  bool contains(const PeakEvidence& kind) const {
    return has_checkpoints() == kind.has_checkpoints() && is_sharded() == kind.is_sharded() &&
           peaks.precision == kind.peaks.precision &&
           parse_name<Mode>(peaks.mode) >= parse_name<Mode>(kind.peaks.mode);
  }
  std::string step_words() const { return mode_words(parse_name<Mode>(peaks.mode)); }
  std::string precision_words() const {
    return std::string(describe(parse_name<Precision>(peaks.precision)));
  }
  CellSpec spec(const ModelShape& shape) const {
    CellSpec spec;
    spec.model = shape;
    spec.mode = parse_name<Mode>(peaks.mode);
    spec.precision = parse_name<Precision>(peaks.precision);
    return spec;
  }
  double predicted_bytes(const ModelShape& shape, std::int64_t context) const {
    CellSpec step = spec(shape);
    step.batch = kHandoutBatch;
    step.context = context;
    return static_cast<double>(expected_peak(step).total() + peaks.workspace);
  }
  /// True if the context was measured with at least the batch that the page predicts for.
  bool covers(std::int64_t context) const {
    return peaks.batch >= kHandoutBatch && peaks.context >= context;
  }
  void add(const PeakEvidence& other) {
    peaks.peaks += other.peaks.peaks;
    if (std::abs(other.peaks.farthest) > std::abs(peaks.farthest))
      peaks.farthest = other.peaks.farthest;
    // Contexts of smaller batches than the page predicts for count only if there are no others.
    const bool covers_batch = peaks.batch >= kHandoutBatch;
    const bool other_covers_batch = other.peaks.batch >= kHandoutBatch;
    if (!covers_batch && other_covers_batch) peaks.context = other.peaks.context;
    if (covers_batch == other_covers_batch)
      peaks.context = std::max(peaks.context, other.peaks.context);
    for (const auto member : {&ConfirmedPeaks::batch, &ConfirmedPeaks::blocks,
                              &ConfirmedPeaks::ranks, &ConfirmedPeaks::workspace})
      peaks.*member = std::max(peaks.*member, other.peaks.*member);
    if (other.run_peaks <= run_peaks) return;
    run = other.run;
    run_peaks = other.run_peaks;
  }
};

struct ConfirmedGpu {
  const GpuRuns* runs;
  std::int64_t memory_bytes;
  std::vector<PeakEvidence> evidence;
};

/// Returns the GPUs whose runs confirm formulas, least memory first.
std::vector<ConfirmedGpu> confirmed_gpus(const std::vector<GpuRuns>& gpus) {
  std::vector<ConfirmedGpu> all;
  for (const GpuRuns& gpu : gpus) {
    std::vector<PeakEvidence> evidence;
    for (const RunSummary* run : gpu.runs) {
      for (const ConfirmedPeaks& peaks : run->memory.confirmed) {
        const PeakEvidence of_run{peaks, run, peaks.peaks};
        const auto known = std::ranges::find(evidence, of_run.kind_key(), &PeakEvidence::kind_key);
        if (known == evidence.end()) {
          evidence.push_back(of_run);
        } else {
          known->add(of_run);
        }
      }
    }
    if (evidence.empty()) continue;
    std::ranges::sort(evidence, {}, &PeakEvidence::kind_key);
    const std::int64_t memory_bytes = evidence.front().run->memory.device_bytes;
    all.push_back({&gpu, memory_bytes, std::move(evidence)});
  }
  std::ranges::stable_sort(all, {}, &ConfirmedGpu::memory_bytes);
  return all;
}

/// Returns one evidence for each kind of step, from the first GPU that has the kind. Plain steps
/// come first.
std::vector<PeakEvidence> kinds_of(const std::vector<ConfirmedGpu>& gpus) {
  std::vector<PeakEvidence> kinds;
  for (const ConfirmedGpu& gpu : gpus) {
    for (const PeakEvidence& evidence : gpu.evidence) {
      const bool is_known =
          std::ranges::count(kinds, evidence.kind_key(), &PeakEvidence::kind_key) > 0;
      if (!is_known) kinds.push_back(evidence);
    }
  }
  std::ranges::sort(kinds, {}, &PeakEvidence::kind_key);
  return kinds;
}

struct FitNetwork {
  std::set<std::string> names;  ///< Editions name one network differently.
  ModelShape shape;
  std::string key = {};  ///< The network's name in the page's address, unique in the page.

  std::string label() const {
    const auto count = static_cast<double>(parameter_count(shape));
    const std::string parameters = count < 1e9 ? format_significant(count / 1e6, 3) + "M"
                                               : format_significant(count / 1e9, 3) + "B";
    return join(std::vector(names.begin(), names.end()), ", ") + " (" + parameters + ")";
  }
};

/// Returns every network that a run of the GPUs knows, smallest first.
std::vector<FitNetwork> networks_of(const std::vector<GpuRuns>& gpus) {
  std::vector<FitNetwork> networks;
  for (const GpuRuns& gpu : gpus) {
    for (const RunSummary* run : gpu.runs) {
      for (const Size& size : run->memory.networks) {
        auto known = std::ranges::find(networks, size.shape, &FitNetwork::shape);
        if (known == networks.end()) known = networks.insert(known, {{}, size.shape});
        known->names.insert(size.name);
      }
    }
  }
  std::ranges::stable_sort(
      networks, {}, [](const FitNetwork& network) { return parameter_count(network.shape); });
  for (FitNetwork& network : networks) {
    const std::string& name = *network.names.begin();
    const bool is_taken = std::ranges::count(networks, name, &FitNetwork::key) > 0;
    network.key = is_taken ? network.label() : name;
  }
  return networks;
}

struct FitRow {
  const FitNetwork* network;
  const PeakEvidence* kind;
};

/// Names the GPU with the least memory in which the step's predicted peak fits, or that of a step
/// that contains it; "none" if there is no such GPU.
Value smallest_gpu(const FitRow& row, const std::vector<ConfirmedGpu>& gpus, std::int64_t context) {
  bool largest_is_covered = true;  // by evidence of the largest GPU that has some of the row's kind
  for (const ConfirmedGpu& gpu : gpus) {
    bool fits = false, is_covered = false;
    for (const PeakEvidence& evidence : gpu.evidence) {
      if (!evidence.contains(*row.kind)) continue;
      if (evidence.kind_key() == row.kind->kind_key())
        largest_is_covered = evidence.covers(context);
      const double peak = evidence.predicted_bytes(row.network->shape, context);
      if (peak > static_cast<double>(gpu.memory_bytes)) continue;
      fits = true;
      is_covered = is_covered || evidence.covers(context);
    }
    if (fits) return gpu.runs->short_name + (is_covered ? "" : ", extrapolated");
  }
  return std::string("none") + (largest_is_covered ? "" : ", extrapolated");
}

Dataset smallest_gpu_data(const std::vector<FitNetwork>& networks,
                          const std::vector<PeakEvidence>& kinds,
                          const std::vector<ConfirmedGpu>& gpus) {
  std::vector<FitRow> rows;
  for (const FitNetwork& network : networks) {
    for (const PeakEvidence& kind : kinds) {
      if (kind.is_plain()) rows.push_back({&network, &kind});
    }
  }
  std::vector<Column<FitRow>> columns{
      {"network", "Network", [](const FitRow& row) { return row.network->label(); }},
      {"step", "Step", [](const FitRow& row) { return row.kind->step_words(); }},
      {"precision", "Precision", [](const FitRow& row) { return row.kind->precision_words(); }}};
  for (const std::int64_t context : kContexts) {
    columns.push_back(
        {"at" + std::to_string(context), "Context " + format_count(context),
         [context, &gpus](const FitRow& row) { return smallest_gpu(row, gpus, context); }});
  }
  return make_dataset("fits", columns, rows);
}

/// Returns a network's formulas by step, precision and blocks per checkpoint ("0" without
/// checkpoints). The page's script adds the workspaces.
nlohmann::json formulas_of(const FitNetwork& network, const std::vector<PeakEvidence>& kinds) {
  nlohmann::json formulas = nlohmann::json::object();
  for (const PeakEvidence& kind : kinds) {
    CellSpec spec = kind.spec(network.shape);
    nlohmann::json& by_blocks = formulas[kind.step_words()][kind.precision_words()];
    if (!kind.has_checkpoints()) by_blocks["0"] = peak_formulas(spec, /*workspace_bytes=*/0);
    for (std::int64_t blocks = 1; kind.has_checkpoints() && blocks <= network.shape.layers;
         blocks *= 2) {
      spec.blocks_per_checkpoint = blocks;
      by_blocks[std::to_string(blocks)] = peak_formulas(spec, /*workspace_bytes=*/0);
    }
  }
  return formulas;
}

nlohmann::json gpu_data(const ConfirmedGpu& gpu) {
  nlohmann::json evidence = nlohmann::json::array();
  for (const PeakEvidence& kind : gpu.evidence) {
    const ConfirmedPeaks& peaks = kind.peaks;
    evidence.push_back({{"step", kind.step_words()},
                        {"precision", kind.precision_words()},
                        {"blocks", peaks.blocks},
                        {"ranks", peaks.ranks},
                        {"peaks", peaks.peaks},
                        {"farthest", peaks.farthest},
                        {"batch", peaks.batch},
                        {"context", peaks.context},
                        {"workspace", peaks.workspace},
                        {"run", kind.run->address("")}});
  }
  return {{"name", gpu.runs->name}, {"bytes", gpu.memory_bytes}, {"evidence", evidence}};
}

/// Returns the data of site/what_fits.js.
nlohmann::json page_script_data(const std::vector<FitNetwork>& networks,
                                const std::vector<PeakEvidence>& kinds,
                                const std::vector<ConfirmedGpu>& gpus) {
  const bool has_sharded_steps = std::ranges::any_of(kinds, &PeakEvidence::is_sharded);
  // The page opens with the plain step of the last mode and precision, and with the largest network
  // whose step fits the GPU with the least memory.
  const PeakEvidence& initial_kind =
      *std::ranges::max_element(kinds, {}, [](const PeakEvidence& kind) {
        return std::tuple(kind.is_plain(), parse_name<Mode>(kind.peaks.mode),
                          parse_name<Precision>(kind.peaks.precision));
      });
  nlohmann::json network_list = nlohmann::json::array();
  std::string initial_network = networks.front().key;
  for (const FitNetwork& network : networks) {
    const double peak = initial_kind.predicted_bytes(network.shape, kInitialContext);
    if (peak <= static_cast<double>(gpus.front().memory_bytes)) initial_network = network.key;
    network_list.push_back({{"key", network.key},
                            {"label", network.label()},
                            {"layers", network.shape.layers},
                            {"formulas", formulas_of(network, kinds)}});
    if (!has_sharded_steps) continue;
    CellSpec sharded;
    sharded.model = network.shape;
    sharded.sharding = Sharding::kOptimizer;
    for (const std::int64_t ranks : kRanks) {
      sharded.ranks = Ranks{ranks};
      // The bytes of the optimizer's state on the rank that holds the most.
      network_list.back()["shards"][std::to_string(ranks)] = held_bytes(sharded).moments;
    }
  }
  return {{"parts", peak_part_colors()},
          {"networks", network_list},
          {"gpus", each(gpus, gpu_data)},
          {"first",
           {{"network", initial_network},
            {"step", initial_kind.step_words()},
            {"precision", initial_kind.precision_words()},
            {"batch", kHandoutBatch},
            {"context", kInitialContext}}}};
}

}  // namespace

bool has_fits_page(const std::vector<GpuRuns>& gpus) { return !confirmed_gpus(gpus).empty(); }

OverviewPage fits_page(const std::vector<GpuRuns>& all) {
  const std::vector<ConfirmedGpu> gpus = confirmed_gpus(all);
  const std::vector<FitNetwork> networks = networks_of(all);
  const std::vector<PeakEvidence> kinds = kinds_of(gpus);
  PartContent content;
  content.facts.set("batch", format_count(kHandoutBatch));
  content.datasets = {smallest_gpu_data(networks, kinds, gpus)};
  Document document;
  document.title = "What fits?";
  document.sections = {overview_section("fits", std::move(content))};
  return {.folder = "",
          .lead =
              "Peak memory of a step, predicted by formulas that measured peaks confirm, on "
              "every GPU that was measured.",
          .document = std::move(document),
          .file = kFitsFile,
          .script_data = page_script_data(networks, kinds, gpus)};
}

}  // namespace labreport
