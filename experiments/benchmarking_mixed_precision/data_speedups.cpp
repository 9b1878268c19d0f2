// Presents part (c): times, speedups and kernels of forward and backward by precision.
#include <fmt/format.h>

#include "base/lists.h"
#include "experiments/benchmarking_mixed_precision/presenters.h"
#include "experiments/benchmarking_mixed_precision/speedup.h"
#include "experiments/common/bounds_table.h"
#include "experiments/common/command.h"
#include "experiments/problems.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

constexpr Notation kSpeedup{Notation::kFixed, 2};

/// One network in one precision. `pair` is empty for FP32, which has no speedup.
struct NetworkRow {
  const MeasuredNetwork* network;
  std::optional<PrecisionPair> pair;
  std::vector<std::string> flags = {};

  std::optional<Ratio> speedup(PassOfNetwork pass) const {
    return pair ? pair->speedup(pass) : std::nullopt;
  }
};

Value mean_or_reason(const MeasuredNetwork& network, PassOfNetwork pass) {
  const std::vector<double>& ms = (network.*pass).times_ms;
  return ms.empty() ? Value::missing(network.missing_reason()) : Value::mean_of(ms);
}

Column<NetworkRow> time_column(const char* name, const char* title, PassOfNetwork pass) {
  return {name, title, [pass](const NetworkRow& row) { return mean_or_reason(*row.network, pass); },
          "ms"};
}

Column<NetworkRow> fp32_time_column(const char* name, const char* title, PassOfNetwork pass) {
  const auto mean = [pass](const NetworkRow& row) {
    return row.pair ? mean_or_reason(*row.pair->fp32, pass) : Value();
  };
  return {name, title, mean, "ms"};
}

/// Leaves out the ratio's deviation, which is too small for two decimals; the figure draws it.
Value ratio_value(const std::optional<Ratio>& ratio) {
  return ratio ? Value(ratio->value) : Value();
}

Column<NetworkRow> speedup_column(const char* name, const char* title, PassOfNetwork pass) {
  const auto value = [pass](const NetworkRow& row) { return ratio_value(row.speedup(pass)); };
  return {name, title, value, "×", kSpeedup};
}

const std::vector<Column<NetworkRow>> kNetworks{
    {"size", "Size", [](const NetworkRow& row) { return row.network->group->spec.size; }},
    {"precision", "Precision", [](const NetworkRow& row) { return row.network->precision(); }},
    {"context", "Context", [](const NetworkRow& row) { return row.network->group->context; }, "",
     kAsCount},
    fp32_time_column("forward_fp32", "Forward, FP32", &MeasuredNetwork::forward),
    time_column("forward", "Forward", &MeasuredNetwork::forward),
    speedup_column("forward_speedup", "Speedup", &MeasuredNetwork::forward),
    fp32_time_column("backward_fp32", "Backward, FP32", &MeasuredNetwork::backward),
    time_column("backward", "Backward", &MeasuredNetwork::backward),
    speedup_column("backward_speedup", "Speedup", &MeasuredNetwork::backward)};

/// One pass of a network: its speedup for the figure, and its kernels.
struct PassRow {
  NetworkRow network_row;
  const char* name;
  PassOfNetwork pass;
  std::vector<std::string> flags = {};

  std::optional<KernelTimes> kernels() const { return (network_row.network->*pass).kernels; }
  std::optional<Ratio> speedup() const { return network_row.speedup(pass); }
  /// Returns the time of GEMM kernels in FP32 / that in this precision; nothing for FP32.
  std::optional<double> gemm_speedup() const {
    const auto fp32 = network_row.pair ? (network_row.pair->fp32->*pass).kernels : std::nullopt;
    if (!fp32 || !kernels() || kernels()->gemms_ms <= 0) return std::nullopt;
    return fp32->gemms_ms / kernels()->gemms_ms;
  }
  /// Returns the time of all kernels in FP32 / that in this precision; nothing for FP32.
  std::optional<double> kernel_speedup() const {
    return network_row.pair ? network_row.pair->kernel_speedup(pass) : std::nullopt;
  }
  const MeasuredNetwork& network() const { return *network_row.network; }
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
    {"size", "Size", [](const PassRow& row) { return row.network().group->spec.size; }},
    {"context", "Context", [](const PassRow& row) { return row.network().group->context; }, "",
     kAsCount},
    {"pass", "Pass", &PassRow::name},
    {"precision", "Precision", [](const PassRow& row) { return row.network().precision(); }},
    {"speedup", "Speedup", [](const PassRow& row) { return ratio_value(row.speedup()); }, "×",
     kSpeedup},
    {"deviation", "Deviation",
     [](const PassRow& row) {
       const auto speedup = row.speedup();
       return speedup ? Value(speedup->deviation) : Value();
     },
     "×", kSpeedup},
    {"bound", "Bound",
     [](const PassRow& row) {
       const auto bound = row.network().bound;
       return bound ? Value(describe(*bound)) : Value();
     }},
    kernel_column("gemms", "GEMMs", &KernelTimes::gemms_ms, "ms"),
    {"gemm_speedup", "GEMM speedup", &PassRow::gemm_speedup, "×", kThreeDigits},
    kernel_column("copies", "All copies and casts", &KernelTimes::copies_ms, "ms"),
    kernel_column("others", "Others", &KernelTimes::others_ms, "ms"),
    {"kernel_speedup", "Speedup of all", &PassRow::kernel_speedup, "×", kSpeedup},
    kernel_column("share", "GEMMs", &KernelTimes::gemm_fraction, "%", {Notation::kPercent}),
    {"label", "Label", [](const PassRow& row) { return row.network().size_label(); }}};

std::vector<NetworkRow> network_rows(const MeasuredNetworks& networks,
                                     const PrecisionPairs& pairs) {
  std::vector<NetworkRow> rows;
  for (const MeasuredNetwork& network : networks) {
    const auto pair = std::ranges::find(pairs, &network, &PrecisionPair::other);
    rows.push_back({&network, pair == pairs.end() ? std::nullopt : std::optional(*pair)});
    std::vector<const MeasuredNetwork*> shown{&network};
    if (pair != pairs.end()) shown.push_back(pair->fp32);
    std::vector<std::string>& flags = rows.back().flags;
    for (const MeasuredNetwork* one : shown) {
      for (const auto& [words, pass] :
           {std::pair("forward", &one->forward), {"backward", &one->backward}}) {
        std::ranges::move(
            outlier_remark(fmt::format("{} {}", one->precision(), words), pass->times_ms),
            std::back_inserter(flags));
      }
    }
    if (!flags.empty()) flags.insert(flags.begin(), "outlier");
  }
  return rows;
}

std::optional<PartContent> present_speedups(const RunView& view) {
  const std::vector<TimingGroup> groups = timing_groups(view);
  const MeasuredNetworks networks = measured_networks(view, groups);
  const PrecisionPairs pairs = precision_pairs(networks);
  // If there is only one precision, the benchmarking problem already shows all times.
  if (pairs.empty()) return std::nullopt;
  const auto rows = network_rows(networks, pairs);
  std::vector<PassRow> passes;
  for (const NetworkRow& row : rows) {
    passes.push_back({row, "forward", &MeasuredNetwork::forward});
    passes.push_back({row, "backward", &MeasuredNetwork::backward});
    passes.push_back({row, "training step", &MeasuredNetwork::step});
  }
  const auto profiled = only(passes, &PassRow::kernels);
  // The row of the other precision has FP32's times.
  const auto in_table = only(rows, [&](const NetworkRow& row) {
    return std::ranges::find(pairs, row.network, &PrecisionPair::fp32) == pairs.end();
  });
  PartContent part;
  const PrecisionPairs compared =
      compared_pairs(compared_pairs(pairs, &MeasuredNetwork::forward), &MeasuredNetwork::backward);
  part.has_numbers = !compared.empty();
  part.facts = speedup_facts(view, pairs.front().precision(), compared);
  part.cells = cells_of(groups);
  part.datasets = {make_dataset("networks", kNetworks, in_table),
                   make_dataset("kernels", kPasses, profiled)};
  auto with_speedup = only(passes, &PassRow::speedup);
  for (PassRow& row : with_speedup) {
    const PrecisionPair& pair = *row.network_row.pair;
    if (has_outlier((pair.fp32->*row.pass).times_ms) ||
        has_outlier((pair.other->*row.pass).times_ms))
      row.flags = {"outlier"};
  }
  if (!with_speedup.empty()) part.datasets.push_back(make_dataset("passes", kPasses, with_speedup));
  const auto longest_cells = each(networks, [](const MeasuredNetwork& network) {
    return network.group->cells.rbegin()->second;
  });
  part.details.tables = {bounds_table(view, groups),
                         command_table(view.run(), kProblem + std::string(".c"), longest_cells)};
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
