// Builds the datasets and facts of SwiGLU layers over N devices: times of compute and traffic, and
// the most devices with which a pass is bound by compute.
#include <algorithm>

#include "base/format.h"
#include "experiments/distributed_communication_single_node/links.h"
#include "experiments/overview/datasheet.h"
#include "experiments/parallel_arithmetic/machine.h"
#include "experiments/problems.h"

namespace labreport::parallel_arithmetic {
namespace {

constexpr const char* kSize = "xl";
constexpr const char* kSheet = "H100";
constexpr double kMillisecondsPerSecond = 1e3, kGigabyte = 1e9;
constexpr double kMostDevices[]{2, 4, 6, 8};
constexpr Notation kThree{Notation::kSignificant, 3};

/// The handout's layer (xl) and batch (4 sequences of 512 tokens).
SwiGluLayer layer_of(const RunView& view) {
  const auto& sizes = view.edition().sizes;
  const auto xl = std::ranges::find(sizes, kSize, &Size::name);
  return {static_cast<double>(xl->shape.d_model), static_cast<double>(xl->shape.d_ff),
          static_cast<double>(kHandoutBatch * view.edition().reference_context)};
}

std::vector<Machine> machines_of(const RunView& view) {
  Machine sheet{"H100 SXM, data sheet", overview::datasheet_peak(kSheet, Precision::kFp16)};
  if (const auto link = distributed_communication_single_node::nominal_link(kSheet)) {
    sheet.bytes = link->bytes_per_second;
  }
  return {sheet, measured_machine(view, {Precision::kFp16, Precision::kBf16, Precision::kFp32})};
}

bool of_2026(const RunView& view) { return asked(view) && view.edition().name == "2026"; }

struct PassRow {
  Machine machine;
  std::string pass;
  std::function<Pass(const Rates&)> two;  ///< On 2 devices, or on 2 × 2 for FSDP × tensor.
  OfRates most;

  Value of(double Pass::* seconds) const {
    return of_machine(
        machine, [&](const Rates& rates) { return two(rates).*seconds * kMillisecondsPerSecond; });
  }
};

std::vector<Column<PassRow>> pass_columns() {
  std::vector<Column<PassRow>> columns;
  for (const Column<Machine>& column : machine_columns()) {
    columns.push_back({column.name, column.title,
                       [value = column.value](const PassRow& row) { return value(row.machine); },
                       column.unit, column.notation});
  }
  columns.push_back({"pass", "Pass", &PassRow::pass});
  columns.push_back({"compute", "Compute",
                     [](const PassRow& row) { return row.of(&Pass::compute_seconds); }, "ms",
                     kThree});
  columns.push_back({"traffic", "Traffic",
                     [](const PassRow& row) { return row.of(&Pass::traffic_seconds); }, "ms",
                     kThree});
  columns.push_back({"most", "Bound by compute up to",
                     [](const PassRow& row) { return of_machine(row.machine, row.most); },
                     "devices", kThree});
  return columns;
}

/// A pass that a problem asks about; `two` and `most` are as in `PassRow`.
struct PassKind {
  std::string words;
  std::function<Pass(const Rates&)> two;
  OfRates most;
};

Presentation passes(const RunView& view, const std::vector<PassKind>& kinds) {
  const std::vector<Machine> machines = machines_of(view);
  const SwiGluLayer layer = layer_of(view);
  std::vector<PassRow> rows;
  for (const Machine& machine : machines) {
    for (const PassKind& kind : kinds) rows.push_back({machine, kind.words, kind.two, kind.most});
  }
  PartContent part;
  part.facts.set("d", format_count(static_cast<std::int64_t>(layer.width)));
  part.facts.set("f", format_count(static_cast<std::int64_t>(layer.inner)));
  part.facts.set("b", format_count(static_cast<std::int64_t>(layer.tokens)));
  part.facts.list("machines", machine_facts(machines, [&](Facts& facts, const Rates& rates) {
                    facts.set("most", kinds.front().most(rates), kThree);
                    facts.set("other", kinds.back().most(rates), kThree);
                  }));
  set_lacking(part.facts, machines);
  part.calculated = !machines.back().rates();
  part.datasets = {make_dataset("passes", pass_columns(), rows)};
  return {{"", std::move(part)}};
}

using OfLayer = Pass (*)(const SwiGluLayer&, double, const Rates&);
using MostOfLayer = double (*)(const SwiGluLayer&, const Rates&);

PassKind kind(const SwiGluLayer& layer, const char* words, OfLayer pass, MostOfLayer most) {
  return {words, [=](const Rates& rates) { return pass(layer, 2, rates); },
          [=](const Rates& rates) { return most(layer, rates); }};
}

struct SumRow {
  Machine machine;
  double devices;

  Value ms(double (*seconds)(double, double, double)) const {
    if (!machine.bytes) return Value::missing(machine.missing);
    return seconds(devices, kGigabyte, *machine.bytes) * kMillisecondsPerSecond;
  }
};

const std::vector<Column<SumRow>> kSums{
    {"machine", "Machine", [](const SumRow& row) { return row.machine.words; }},
    {"devices", "N", &SumRow::devices, "", {Notation::kCount}},
    {"gathered", "Gathered, then summed",
     [](const SumRow& row) { return row.ms(gathered_all_reduce_seconds); }, "ms", kThree},
    {"ring", "Ring", [](const SumRow& row) { return row.ms(ring_all_reduce_seconds); }, "ms",
     kThree},
    {"ratio", "Ratio", [](const SumRow& row) { return row.devices / 2; }, "", kThree}};

}  // namespace

Presentation alternate_ring_all_reduce(const RunView& view) {
  if (!of_2026(view)) return {};
  const std::vector<Machine> machines = machines_of(view);
  std::vector<SumRow> rows;
  for (const Machine& machine : machines) {
    for (const double devices : kMostDevices) {
      if (machine.bytes || devices == kMostDevices[0]) rows.push_back({machine, devices});
    }
  }
  PartContent part;
  set_lacking(part.facts, machines);
  part.calculated = true;  // only the table has this machine's times
  part.datasets = {make_dataset("sums", kSums, rows)};
  return {{"", std::move(part)}};
}

Presentation data_parallel_calcs(const RunView& view) {
  if (!of_2026(view)) return {};
  return passes(view, {kind(layer_of(view), "backward", data_parallel_backward, most_by_batch)});
}

Presentation fsdp_calcs(const RunView& view) {
  if (!of_2026(view)) return {};
  return passes(view, {kind(layer_of(view), "forward", fsdp_forward, most_by_batch),
                       kind(layer_of(view), "backward", fsdp_backward, most_by_batch)});
}

Presentation tp_calcs(const RunView& view) {
  if (!of_2026(view)) return {};
  return passes(view, {kind(layer_of(view), "forward", tensor_forward, most_by_tensor_forward),
                       kind(layer_of(view), "backward", tensor_backward, most_by_tensor_backward)});
}

Presentation fsdp_tp_calcs(const RunView& view) {
  if (!of_2026(view)) return {};
  const SwiGluLayer layer = layer_of(view);
  const auto two = [=](const Rates& rates) { return both_forward(layer, 2, 2, rates); };
  const auto in_turn = [=](const Rates& rates) {
    Pass pass = both_forward(layer, 2, 2, rates);
    pass.traffic_seconds = both_forward(layer, 2, 1, rates).traffic_seconds / 2 +
                           both_forward(layer, 1, 2, rates).traffic_seconds / 2;
    return pass;
  };
  return passes(view, {{"forward, beside each other", two,
                        [=](const Rates& rates) { return most_by_both(layer, rates); }},
                       {"forward, one after the other", in_turn,
                        [=](const Rates& rates) { return most_by_both_in_turn(layer, rates); }}});
}

}  // namespace labreport::parallel_arithmetic
