// Part (c): forward and backward in FP32 beside other precisions: times, speedups, kernels.
#include "base/lists.h"
#include "experiments/benchmarking_mixed_precision/presenters.h"
#include "experiments/benchmarking_mixed_precision/speedup.h"
#include "experiments/common/bounds_table.h"
#include "experiments/common/command.h"
#include "experiments/problems.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

constexpr Notation kRatio{Notation::kFixed, 2};

/// One network in one precision. `pair` is empty for FP32, which has no speedup.
struct NetworkRow {
  const Network* network;
  std::optional<Pair> pair;

  Value time(Pass Network::* pass) const {
    const std::vector<double>& ms = (network->*pass).ms;
    return ms.empty() ? Value::missing(network->missing()) : Value::mean_of(ms);
  }
  Value bound() const { return network->bound ? Value(describe(*network->bound)) : Value(); }
  std::optional<Ratio> speedup(Pass Network::* pass) const {
    return pair ? pair->speedup(pass) : std::nullopt;
  }
};

Column<NetworkRow> time_column(const char* name, const char* title, Pass Network::* pass) {
  return {name, title, [pass](const NetworkRow& row) { return row.time(pass); }, "ms"};
}

/// Leaves out the ratio's deviation, which is too small for two decimals; the figure draws it.
Value ratio_value(const std::optional<Ratio>& ratio) {
  return ratio ? Value(ratio->value) : Value();
}

Column<NetworkRow> speedup_column(const char* name, const char* title, Pass Network::* pass) {
  const auto value = [pass](const NetworkRow& row) { return ratio_value(row.speedup(pass)); };
  return {name, title, value, "×", kRatio};
}

const std::vector<Column<NetworkRow>> kNetworks{
    {"size", "Size", [](const NetworkRow& row) { return row.network->group->spec.size; }},
    {"precision", "Precision", [](const NetworkRow& row) { return row.network->precision(); }},
    {"context",
     "Context",
     [](const NetworkRow& row) { return row.network->group->context; },
     "",
     {Notation::kCount}},
    time_column("forward", "Forward", &Network::forward),
    time_column("backward", "Backward", &Network::backward),
    speedup_column("forward_speedup", "Forward speedup", &Network::forward),
    speedup_column("backward_speedup", "Backward speedup", &Network::backward)};

/// One pass of a network: its speedup for the figure, and its kernels.
struct PassRow {
  NetworkRow row;
  const char* name;
  Pass Network::* pass;

  std::optional<KernelTime> kernels() const { return (row.network->*pass).kernels; }
  std::optional<Ratio> speedup() const { return row.speedup(pass); }
};

template <typename Member>
Column<PassRow> kernel_column(const char* name, const char* title, Member member, const char* unit,
                              Notation notation = {}) {
  const auto value = [member](const PassRow& row) {
    const auto kernels = row.kernels();
    return kernels ? Value(std::invoke(member, *kernels)) : Value();
  };
  return {name, title, value, unit, notation};
}

const std::vector<Column<PassRow>> kPasses{
    {"size", "Size", [](const PassRow& row) { return row.row.network->group->spec.size; }},
    {"context",
     "Context",
     [](const PassRow& row) { return row.row.network->group->context; },
     "",
     {Notation::kCount}},
    {"pass", "Pass", [](const PassRow& row) { return row.name; }},
    {"precision", "Precision", [](const PassRow& row) { return row.row.network->precision(); }},
    {"speedup", "Speedup", [](const PassRow& row) { return ratio_value(row.speedup()); }, "×",
     kRatio},
    {"deviation", "Deviation",
     [](const PassRow& row) {
       const auto speedup = row.speedup();
       return speedup ? Value(speedup->deviation) : Value();
     },
     "×", kRatio},
    {"bound", "Whole step", [](const PassRow& row) { return row.row.bound(); }},
    kernel_column("gemms", "GEMMs", &KernelTime::gemms, "ms"),
    kernel_column("copies", "All copies and casts", &KernelTime::copies, "ms"),
    kernel_column("others", "Others", &KernelTime::others, "ms"),
    kernel_column("share", "GEMMs", &KernelTime::gemm_share, "%", {Notation::kPercent}),
    kernel_column("launches", "Launches", &KernelTime::launches, "", {Notation::kCount}),
    {"label", "Label", [](const PassRow& row) { return row.row.network->size(); }}};

std::vector<NetworkRow> network_rows(const std::vector<Network>& networks,
                                     const std::vector<Pair>& pairs) {
  std::vector<NetworkRow> rows;
  for (const Network& network : networks) {
    const auto pair = std::ranges::find(pairs, &network, &Pair::other);
    rows.push_back({&network, pair == pairs.end() ? std::nullopt : std::optional(*pair)});
  }
  return rows;
}

std::optional<PartContent> present_speedups(const RunView& view) {
  const std::vector<TimingGroup> groups = timing_groups(view);
  const std::vector<Network> measured = networks(view, groups);
  const std::vector<Pair> compared = pairs(measured);
  // If there is only one precision, the benchmarking problem already shows all times.
  if (compared.empty()) return std::nullopt;
  const auto rows = network_rows(measured, compared);
  std::vector<PassRow> passes;
  for (const NetworkRow& row : rows) {
    passes.push_back({row, "forward", &Network::forward});
    passes.push_back({row, "backward", &Network::backward});
    passes.push_back({row, "training step", &Network::step});
  }
  const auto profiled = only(passes, &PassRow::kernels);
  PartContent part;
  part.facts = speedup_facts(view, compared);
  part.cells = cells_of(groups);
  part.datasets = {make_dataset("networks", kNetworks, rows),
                   make_dataset("kernels", kPasses, profiled)};
  const auto drawn = only(passes, &PassRow::speedup);
  if (!drawn.empty()) part.datasets.push_back(make_dataset("passes", kPasses, drawn));
  const auto fullest_cells =
      each(measured, [](const Network& network) { return network.group->cells.rbegin()->second; });
  part.details.tables = {bounds_table(view, groups, Mode::kTrainStep),
                         command_table(view.run(), kProblem + std::string(".c"), fullest_cells)};
  return part;
}

}  // namespace

Presentation present(const RunView& view) {
  Presentation parts;
  if (auto part = present_dtypes(view)) parts.emplace("a", std::move(*part));
  if (auto part = present_layer_norm(view)) parts.emplace("b", std::move(*part));
  if (auto part = present_speedups(view)) parts.emplace("c", std::move(*part));
  return parts;
}

}  // namespace labreport::benchmarking_mixed_precision
