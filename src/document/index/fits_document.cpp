#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
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
constexpr std::int64_t kFirstContext = 512;

/// The peaks of one kind of step that a GPU's runs measured.
struct Evidence {
  ConfirmedPeaks peaks;   ///< Peaks of all runs together.
  const RunSummary* run;  ///< The run that measured most of these peaks, the newest if several did.
  std::int64_t run_peaks;  ///< The number of these peaks that `run` measured.

  bool checkpoints() const { return peaks.blocks > 0; }
  bool shards() const { return peaks.ranks > 0; }
  bool plain() const { return !checkpoints() && !shards(); }
  /// Steps with checkpoints, and steps that shard the optimizer's state, are kinds of their own.
  auto kind() const {
    return std::tuple(checkpoints(), shards(), parse_mode(peaks.mode),
                      parse_precision(peaks.precision));
  }
  std::string step() const { return mode_words(parse_mode(peaks.mode)); }
  std::string precision() const { return std::string(describe(parse_precision(peaks.precision))); }
  CellSpec spec(const ModelShape& shape) const {
    CellSpec spec;
    spec.model = shape;
    spec.mode = parse_mode(peaks.mode);
    spec.precision = parse_precision(peaks.precision);
    return spec;
  }
  double peak(const ModelShape& shape, std::int64_t context) const {
    CellSpec step = spec(shape);
    step.batch = kHandoutBatch;
    step.context = context;
    return static_cast<double>(expected_peak(step).total() + peaks.workspace);
  }
  bool measured(std::int64_t context) const {
    return peaks.batch >= kHandoutBatch && peaks.context >= context;
  }
  void add(const Evidence& other) {
    peaks.peaks += other.peaks.peaks;
    if (std::abs(other.peaks.farthest) > std::abs(peaks.farthest))
      peaks.farthest = other.peaks.farthest;
    // A context counts only if it was measured with the batch that the page predicts for.
    const bool enough = peaks.batch >= kHandoutBatch, others = other.peaks.batch >= kHandoutBatch;
    if (!enough && others) peaks.context = other.peaks.context;
    if (enough == others) peaks.context = std::max(peaks.context, other.peaks.context);
    for (const auto member : {&ConfirmedPeaks::batch, &ConfirmedPeaks::blocks,
                              &ConfirmedPeaks::ranks, &ConfirmedPeaks::workspace})
      peaks.*member = std::max(peaks.*member, other.peaks.*member);
    if (other.run_peaks <= run_peaks) return;
    run = other.run;
    run_peaks = other.run_peaks;
  }
};

struct FitGpu {
  const GpuRuns* runs;
  std::int64_t bytes;
  std::vector<Evidence> evidence;

  const Evidence* find(const Evidence& alike) const {
    const auto found = std::ranges::find(evidence, alike.kind(), &Evidence::kind);
    return found == evidence.end() ? nullptr : &*found;
  }
};

/// The GPUs whose runs confirm formulas, least memory first.
std::vector<FitGpu> fit_gpus(const std::vector<GpuRuns>& gpus) {
  std::vector<FitGpu> all;
  for (const GpuRuns& gpu : gpus) {
    std::vector<Evidence> evidence;
    for (const RunSummary* run : gpu.runs) {
      for (const ConfirmedPeaks& peaks : run->memory.confirmed) {
        const Evidence one{peaks, run, peaks.peaks};
        const auto known = std::ranges::find(evidence, one.kind(), &Evidence::kind);
        if (known == evidence.end()) {
          evidence.push_back(one);
        } else {
          known->add(one);
        }
      }
    }
    if (evidence.empty()) continue;
    std::ranges::sort(evidence, {}, &Evidence::kind);
    const std::int64_t bytes = evidence.front().run->memory.device_bytes;
    all.push_back({&gpu, bytes, std::move(evidence)});
  }
  std::ranges::stable_sort(all, {}, &FitGpu::bytes);
  return all;
}

/// Evidence for each kind of step, from the first GPU that has it; `plain` steps come first.
std::vector<Evidence> kinds_of(const std::vector<FitGpu>& gpus) {
  std::vector<Evidence> kinds;
  for (const FitGpu& gpu : gpus) {
    for (const Evidence& one : gpu.evidence) {
      if (std::ranges::count(kinds, one.kind(), &Evidence::kind) == 0) kinds.push_back(one);
    }
  }
  std::ranges::sort(kinds, {}, &Evidence::kind);
  return kinds;
}

struct Network {
  std::set<std::string> names;  ///< Editions name one network differently.
  ModelShape shape;
  std::string key = {};  ///< Unique name in the page's address.

  std::string label() const {
    const auto count = static_cast<double>(parameter_count(shape));
    const std::string parameters = count < 1e9 ? format_significant(count / 1e6, 3) + "M"
                                               : format_significant(count / 1e9, 3) + "B";
    return join(std::vector(names.begin(), names.end()), ", ") + " (" + parameters + ")";
  }
};

/// Every network that a run of the GPUs knows, smallest first.
std::vector<Network> networks_of(const std::vector<GpuRuns>& gpus) {
  std::vector<Network> networks;
  for (const GpuRuns& gpu : gpus) {
    for (const RunSummary* run : gpu.runs) {
      for (const Size& size : run->memory.networks) {
        auto known = std::ranges::find(networks, size.shape, &Network::shape);
        if (known == networks.end()) known = networks.insert(known, {{}, size.shape});
        known->names.insert(size.name);
      }
    }
  }
  std::ranges::stable_sort(networks, {},
                           [](const Network& network) { return parameter_count(network.shape); });
  for (Network& network : networks) {
    const std::string& name = *network.names.begin();
    const bool taken = std::ranges::count(networks, name, &Network::key) > 0;
    network.key = taken ? network.label() : name;
  }
  return networks;
}

struct Row {
  const Network* network;
  const Evidence* kind;
};

Value smallest_gpu(const Row& row, const std::vector<FitGpu>& gpus, std::int64_t context) {
  bool extrapolated = false;
  const auto words = [&](const std::string& name) {
    return name + (extrapolated ? ", extrapolated" : "");
  };
  for (const FitGpu& gpu : gpus) {
    const Evidence* evidence = gpu.find(*row.kind);
    if (evidence == nullptr) continue;
    extrapolated = !evidence->measured(context);
    const double peak = evidence->peak(row.network->shape, context);
    if (peak <= static_cast<double>(gpu.bytes)) return words(gpu.runs->short_name);
  }
  return words("none");
}

Dataset smallest_gpus(const std::vector<Network>& networks, const std::vector<Evidence>& kinds,
                      const std::vector<FitGpu>& gpus) {
  std::vector<Row> rows;
  for (const Network& network : networks) {
    for (const Evidence& kind : kinds) {
      if (kind.plain()) rows.push_back({&network, &kind});
    }
  }
  std::vector<Column<Row>> columns{
      {"network", "Network", [](const Row& row) { return row.network->label(); }},
      {"step", "Step", [](const Row& row) { return row.kind->step(); }},
      {"precision", "Precision", [](const Row& row) { return row.kind->precision(); }}};
  for (const std::int64_t context : kContexts) {
    columns.push_back(
        {"at" + std::to_string(context), "Context " + format_count(context),
         [context, &gpus](const Row& row) { return smallest_gpu(row, gpus, context); }});
  }
  return make_dataset("fits", columns, rows);
}

/// The formulas are keyed by step, precision and blocks per checkpoint ("0": none).
nlohmann::json formulas_of(const Network& network, const std::vector<Evidence>& kinds) {
  nlohmann::json formulas = nlohmann::json::object();
  for (const Evidence& kind : kinds) {
    CellSpec spec = kind.spec(network.shape);
    nlohmann::json& by_blocks = formulas[kind.step()][kind.precision()];
    if (!kind.checkpoints()) by_blocks["0"] = peak_formulas(spec, 0);
    for (std::int64_t blocks = 1; kind.checkpoints() && blocks <= network.shape.layers;
         blocks *= 2) {
      spec.group = blocks;
      by_blocks[std::to_string(blocks)] = peak_formulas(spec, 0);
    }
  }
  return formulas;
}

nlohmann::json gpu_data(const FitGpu& gpu) {
  nlohmann::json evidence = nlohmann::json::array();
  for (const Evidence& one : gpu.evidence) {
    const ConfirmedPeaks& peaks = one.peaks;
    evidence.push_back({{"step", one.step()},
                        {"precision", one.precision()},
                        {"blocks", peaks.blocks},
                        {"ranks", peaks.ranks},
                        {"peaks", peaks.peaks},
                        {"farthest", peaks.farthest},
                        {"batch", peaks.batch},
                        {"context", peaks.context},
                        {"workspace", peaks.workspace},
                        {"run", one.run->address("")}});
  }
  return {{"name", gpu.runs->gpu}, {"bytes", gpu.bytes}, {"evidence", evidence}};
}

nlohmann::json fits_data(const std::vector<Network>& networks, const std::vector<Evidence>& kinds,
                         const std::vector<FitGpu>& gpus) {
  const bool shards = std::ranges::any_of(kinds, &Evidence::shards);
  // The page opens with the plain step of the last mode and precision, and with the largest network
  // whose step fits the GPU with the least memory.
  const Evidence& first_kind = *std::ranges::max_element(kinds, {}, [](const Evidence& kind) {
    return std::tuple(kind.plain(), parse_mode(kind.peaks.mode),
                      parse_precision(kind.peaks.precision));
  });
  nlohmann::json listed = nlohmann::json::array();
  std::string first_network = networks.front().key;
  for (const Network& network : networks) {
    const double peak = first_kind.peak(network.shape, kFirstContext);
    if (peak <= static_cast<double>(gpus.front().bytes)) first_network = network.key;
    listed.push_back({{"key", network.key},
                      {"label", network.label()},
                      {"layers", network.shape.layers},
                      {"formulas", formulas_of(network, kinds)}});
    if (!shards) continue;
    CellSpec sharded;
    sharded.model = network.shape;
    sharded.sharding = Sharding::kOptimizer;
    for (const std::int64_t ranks : kRanks) {
      sharded.ranks = Ranks{ranks};
      // Bytes of the optimizer's state on the rank that has most of it.
      listed.back()["shards"][std::to_string(ranks)] = held_bytes(sharded).moments;
    }
  }
  return {{"parts", peak_part_colors()},
          {"networks", listed},
          {"gpus", each(gpus, gpu_data)},
          {"first",
           {{"network", first_network},
            {"step", first_kind.step()},
            {"precision", first_kind.precision()},
            {"batch", kHandoutBatch},
            {"context", kFirstContext}}}};
}

}  // namespace

bool has_fits_page(const std::vector<GpuRuns>& gpus) { return !fit_gpus(gpus).empty(); }

OverviewPage fits_page(const std::vector<GpuRuns>& all) {
  const std::vector<FitGpu> gpus = fit_gpus(all);
  const std::vector<Network> networks = networks_of(all);
  const std::vector<Evidence> kinds = kinds_of(gpus);
  PartContent content;
  content.facts.set("batch", format_count(kHandoutBatch));
  content.datasets = {smallest_gpus(networks, kinds, gpus)};
  Document document;
  document.title = "What fits?";
  document.sections = {overview_section("fits", std::move(content))};
  return {.folder = "",
          .lead =
              "Peak memory of a step, predicted by formulas that measured peaks confirm, on "
              "every GPU that was measured.",
          .document = std::move(document),
          .file = kFitsFile,
          .data = fits_data(networks, kinds, gpus)};
}

}  // namespace labreport
