// Makes the page "What fits?": the longest context on each GPU, the smallest GPU for each step, and
// the formulas that its script computes.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "document/index/memory_fits.h"
#include "document/index/pages.h"
#include "document/peaks.h"
#include "plan/sharding.h"

namespace labreport {
namespace {

constexpr std::array<std::int64_t, 4> kContexts{512, 1024, 2048, 4096};
constexpr std::array<std::int64_t, 4> kRanks{2, 4, 8, 16};
constexpr std::int64_t kInitialContext = 512;  // The context with which the page opens.

/// True for steps of the kind and for those that contain one, as a training step contains its
/// forward pass. They need at least as much memory.
bool contains(const PeakEvidence& evidence, const PeakEvidence& kind) {
  return evidence.has_checkpoints() == kind.has_checkpoints() &&
         evidence.is_sharded() == kind.is_sharded() && evidence.precision() == kind.precision() &&
         evidence.mode() >= kind.mode();
}

std::string step_words(const PeakEvidence& kind) { return mode_words(kind.mode()); }

std::string precision_words(const PeakEvidence& kind) {
  return std::string(describe(kind.precision()));
}

/// Returns the peak at the page's batch.
double predicted_bytes(const PeakEvidence& evidence, const ModelShape& shape,
                       std::int64_t context) {
  CellSpec step = evidence.spec(shape);
  step.batch = kHandoutBatch;
  step.context = context;
  return static_cast<double>(fitted_peak(step).total() + evidence.peaks.workspace);
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
  std::pair<std::string, std::string> edition_and_name = {};  ///< The latest edition's name for it.

  std::string label() const {
    return network_name(edition_and_name.second, static_cast<double>(parameter_count(shape)));
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
        known->edition_and_name = std::max(known->edition_and_name, {run->edition, size.name});
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
/// that contains it; "more than 141 GB" if there is no such GPU.
Value smallest_gpu(const FitRow& row, const std::vector<ConfirmedGpu>& gpus, std::int64_t context) {
  bool largest_is_covered = true;  // by evidence of the largest GPU that has some of the row's kind
  for (const ConfirmedGpu& gpu : gpus) {
    bool fits = false, is_covered = false;
    for (const PeakEvidence& evidence : gpu.evidence) {
      if (!contains(evidence, *row.kind)) continue;
      if (evidence.kind_key() == row.kind->kind_key())
        largest_is_covered = evidence.covers(kHandoutBatch, context);
      const double peak = predicted_bytes(evidence, row.network->shape, context);
      if (peak > static_cast<double>(gpu.memory_bytes)) continue;
      fits = true;
      is_covered = is_covered || evidence.covers(kHandoutBatch, context);
    }
    if (fits) return gpu.runs->short_name + (is_covered ? "" : ", extrapolated");
  }
  return more_than({gpus.back().runs->name, gpus.back().memory_bytes}) +
         (largest_is_covered ? "" : ", extrapolated");
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
      {"step", "Step", [](const FitRow& row) { return step_words(*row.kind); }},
      {"precision", "Precision", [](const FitRow& row) { return precision_words(*row.kind); }}};
  for (const std::int64_t context : kContexts) {
    columns.push_back(
        {"at" + std::to_string(context), "Context " + format_count(context),
         [context, &gpus](const FitRow& row) { return smallest_gpu(row, gpus, context); }});
  }
  return make_dataset("fits", columns, rows);
}

/// Returns the longest context at which a GPU trains the network, in brackets beyond what its runs
/// measured, and links to the run that measured most peaks.
Value longest_context(const FitNetwork& network, const PeakEvidence& evidence,
                      std::int64_t memory_bytes) {
  constexpr std::int64_t kShortest = 128, kLongest = 16'384;
  std::int64_t longest = 0;
  for (std::int64_t context = kShortest; context <= kLongest; context *= 2) {
    const double peak = predicted_bytes(evidence, network.shape, context);
    if (peak <= static_cast<double>(memory_bytes)) longest = context;
  }
  if (longest == 0) return std::string("none");
  const std::string words = format_count(longest);
  Value value = evidence.covers(kHandoutBatch, longest) ? words : "(" + words + ")";
  value.link = evidence.run->address("");
  return value;
}

/// Makes a row for each network, with a column for each precision in which each GPU trained.
Dataset longest_context_data(const std::vector<FitNetwork>& networks,
                             const std::vector<ConfirmedGpu>& gpus) {
  std::vector<Column<FitNetwork>> columns{{"network", "Network", &FitNetwork::label}};
  for (const ConfirmedGpu& gpu : gpus) {
    for (const PeakEvidence& evidence : gpu.evidence) {
      if (!evidence.is_plain() || evidence.mode() != Mode::kTrainStep) continue;
      columns.push_back({gpu.runs->name + " " + evidence.peaks.precision,
                         gpu.runs->short_name + ", " + precision_words(evidence),
                         [&gpu, &evidence](const FitNetwork& network) {
                           return longest_context(network, evidence, gpu.memory_bytes);
                         }});
    }
  }
  if (columns.size() == 1) return make_dataset("longest", columns, std::vector<FitNetwork>());
  return make_dataset("longest", columns, networks);
}

/// Returns a network's formulas by step, precision and blocks per checkpoint ("0" without
/// checkpoints). The page's script adds the workspaces.
nlohmann::json formulas_of(const FitNetwork& network, const std::vector<PeakEvidence>& kinds) {
  nlohmann::json formulas = nlohmann::json::object();
  for (const PeakEvidence& kind : kinds) {
    CellSpec spec = kind.spec(network.shape);
    nlohmann::json& by_blocks = formulas[step_words(kind)][precision_words(kind)];
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
    evidence.push_back({{"step", step_words(kind)},
                        {"precision", precision_words(kind)},
                        {"blocks", peaks.blocks},
                        {"ranks", peaks.ranks},
                        {"peaks", peaks.peaks},
                        {"farthest", peaks.farthest},
                        {"batch", peaks.batch},
                        {"context", peaks.context},
                        {"workspace", peaks.workspace},
                        {"run", kind.run->address("")}});
  }
  return {{"name", gpu.runs->name},
          {"short_name", gpu.runs->short_name},
          {"bytes", gpu.memory_bytes},
          {"evidence", evidence}};
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
        return std::tuple(kind.is_plain(), kind.mode(), kind.precision());
      });
  nlohmann::json network_list = nlohmann::json::array();
  std::string initial_network = networks.front().key;
  for (const FitNetwork& network : networks) {
    const double peak = predicted_bytes(initial_kind, network.shape, kInitialContext);
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
            {"step", step_words(initial_kind)},
            {"precision", precision_words(initial_kind)},
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
  content.datasets = {longest_context_data(networks, gpus),
                      smallest_gpu_data(networks, kinds, gpus)};
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
