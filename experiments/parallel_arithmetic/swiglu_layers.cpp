// Builds the datasets and facts of SwiGLU layers over N devices: the times of compute and traffic,
// and the most devices with which a pass is bound by compute.
#include <algorithm>

#include "base/format.h"
#include "experiments/parallel_arithmetic/machine.h"
#include "experiments/problems.h"
#include "plan/datasheet.h"
#include "results/run_labels.h"

namespace labreport::parallel_arithmetic {
namespace {

constexpr const char* kHandoutSize = "xl";
constexpr const char* kDatasheetGpu = "H100";
constexpr double kMillisecondsPerSecond = 1e3;
constexpr double kDeviceCounts[]{2, 4, 6, 8};

/// Returns the handout's layer (xl) and batch (4 sequences of 512 tokens).
SwiGluLayer layer_of(const RunView& view) {
  const auto& sizes = view.edition().sizes;
  const auto xl = std::ranges::find(sizes, kHandoutSize, &Size::name);
  return {static_cast<double>(xl->shape.d_model), static_cast<double>(xl->shape.d_ff),
          static_cast<double>(kHandoutBatch * view.edition().reference_context)};
}

std::vector<Machine> machines_of(const RunView& view) {
  Machine from_datasheet{"H100 SXM, data sheet", datasheet_peak(kDatasheetGpu, Precision::kFp16)};
  if (const auto link = datasheet_link(kDatasheetGpu)) {
    from_datasheet.bytes_per_second = link->bytes_per_second;
  }
  return {from_datasheet,
          measured_machine(view, {Precision::kFp16, Precision::kBf16, Precision::kFp32})};
}

bool asked_in_2026(const RunView& view) {
  return has_all_reduce(view) && view.edition().name == kEdition2026;
}

/// A pass that a problem asks about.
struct PassKind {
  std::string words;
  /// The times on 2 devices, or on 2 × 2 for FSDP × tensor.
  std::function<PassTimes(const Rates&)> times;
  RatesFunction max_devices;
};

struct PassRow {
  Machine machine;
  PassKind pass;

  Value ms(double PassTimes::* seconds) const {
    return value_at(machine, [&](const Rates& rates) {
      return pass.times(rates).*seconds * kMillisecondsPerSecond;
    });
  }
};

std::vector<Column<PassRow>> pass_columns() {
  std::vector<Column<PassRow>> columns;
  for (const Column<Machine>& column : machine_columns()) {
    columns.push_back({column.name, column.title,
                       [value = column.value](const PassRow& row) { return value(row.machine); },
                       column.unit, column.notation});
  }
  columns.push_back({"pass", "Pass", [](const PassRow& row) { return row.pass.words; }});
  columns.push_back({"compute", "Compute",
                     [](const PassRow& row) { return row.ms(&PassTimes::compute_seconds); }, "ms",
                     kThreeDigits});
  columns.push_back({"traffic", "Traffic",
                     [](const PassRow& row) { return row.ms(&PassTimes::traffic_seconds); }, "ms",
                     kThreeDigits});
  columns.push_back({"most", "Bound by compute up to",
                     [](const PassRow& row) { return value_at(row.machine, row.pass.max_devices); },
                     "devices", kThreeDigits});
  return columns;
}

Presentation present_passes(const RunView& view, const std::vector<PassKind>& kinds) {
  const std::vector<Machine> machines = machines_of(view);
  const SwiGluLayer layer = layer_of(view);
  std::vector<PassRow> rows;
  for (const Machine& machine : machines) {
    for (const PassKind& kind : kinds) rows.push_back({machine, kind});
  }
  PartContent part;
  part.facts.set("d", format_count(static_cast<std::int64_t>(layer.width)));
  part.facts.set("f", format_count(static_cast<std::int64_t>(layer.inner)));
  part.facts.set("b", format_count(static_cast<std::int64_t>(layer.tokens)));
  part.facts.list("machines", machine_facts(machines, [&](Facts& facts, const Rates& rates) {
                    facts.set("most", kinds.front().max_devices(rates), kThreeDigits);
                    facts.set("other", kinds.back().max_devices(rates), kThreeDigits);
                  }));
  set_missing_rate(part.facts, machines);
  part.calculated = !machines.back().rates();
  part.datasets = {make_dataset("passes", pass_columns(), rows)};
  return {{"", std::move(part)}};
}

using PassTimesFunction = PassTimes (*)(const SwiGluLayer&, double, const Rates&);
using MaxDevicesFunction = double (*)(const SwiGluLayer&, const Rates&);

PassKind pass_kind(const SwiGluLayer& layer, const char* words, PassTimesFunction pass_times,
                   MaxDevicesFunction max_devices) {
  return {words, [=](const Rates& rates) { return pass_times(layer, 2, rates); },
          [=](const Rates& rates) { return max_devices(layer, rates); }};
}

struct AllReduceRow {
  Machine machine;
  double devices;

  Value ms(double (*seconds)(double, double, double)) const {
    if (!machine.bytes_per_second) return Value::missing(machine.why_missing);
    return seconds(devices, kGigabyte, *machine.bytes_per_second) * kMillisecondsPerSecond;
  }
};

const std::vector<Column<AllReduceRow>> kAllReduces{
    {"machine", "Machine", [](const AllReduceRow& row) { return row.machine.words; }},
    {"devices", "N", &AllReduceRow::devices, "", {Notation::kCount}},
    {"gathered", "Gathered, then summed",
     [](const AllReduceRow& row) { return row.ms(gathered_all_reduce_seconds); }, "ms",
     kThreeDigits},
    {"ring", "Ring", [](const AllReduceRow& row) { return row.ms(ring_all_reduce_seconds); }, "ms",
     kThreeDigits},
    {"ratio", "Ratio", [](const AllReduceRow& row) { return row.devices / 2; }, "", kThreeDigits}};

}  // namespace

Presentation alternate_ring_all_reduce(const RunView& view) {
  if (!asked_in_2026(view)) return {};
  const std::vector<Machine> machines = machines_of(view);
  std::vector<AllReduceRow> rows;
  for (const Machine& machine : machines) {
    for (const double devices : kDeviceCounts) {
      // A machine without W gets a single row, which tells the reason.
      if (machine.bytes_per_second || devices == kDeviceCounts[0])
        rows.push_back({machine, devices});
    }
  }
  PartContent part;
  set_missing_rate(part.facts, machines);
  part.calculated = true;  // The answer has no measured number; only the table has.
  part.datasets = {make_dataset("sums", kAllReduces, rows)};
  return {{"", std::move(part)}};
}

Presentation data_parallel_calcs(const RunView& view) {
  if (!asked_in_2026(view)) return {};
  return present_passes(view, {pass_kind(layer_of(view), "backward", data_parallel_backward,
                                         max_devices_without_tp)});
}

Presentation fsdp_calcs(const RunView& view) {
  if (!asked_in_2026(view)) return {};
  return present_passes(
      view, {pass_kind(layer_of(view), "forward", fsdp_forward, max_devices_without_tp),
             pass_kind(layer_of(view), "backward", fsdp_backward, max_devices_without_tp)});
}

Presentation tp_calcs(const RunView& view) {
  if (!asked_in_2026(view)) return {};
  return present_passes(
      view, {pass_kind(layer_of(view), "forward", tensor_forward, max_devices_tensor_forward),
             pass_kind(layer_of(view), "backward", tensor_backward, max_devices_tensor_backward)});
}

Presentation fsdp_tp_calcs(const RunView& view) {
  if (!asked_in_2026(view)) return {};
  const SwiGluLayer layer = layer_of(view);
  const auto side_by_side = [=](const Rates& rates) {
    return fsdp_tensor_forward(layer, 2, 2, rates);
  };
  const auto in_turn = [=](const Rates& rates) {
    PassTimes times = fsdp_tensor_forward(layer, 2, 2, rates);
    // FSDP and TP each send half as long over 2 × 2 devices as alone over two.
    times.traffic_seconds = fsdp_tensor_forward(layer, 2, 1, rates).traffic_seconds / 2 +
                            fsdp_tensor_forward(layer, 1, 2, rates).traffic_seconds / 2;
    return times;
  };
  return present_passes(
      view, {{"forward, beside each other", side_by_side,
              [=](const Rates& rates) { return max_devices_side_by_side(layer, rates); }},
             {"forward, one after the other", in_turn,
              [=](const Rates& rates) { return max_devices_in_turn(layer, rates); }}});
}

}  // namespace labreport::parallel_arithmetic
