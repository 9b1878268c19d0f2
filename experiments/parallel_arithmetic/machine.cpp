#include "experiments/parallel_arithmetic/machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "base/format.h"
#include "experiments/common/timing.h"
#include "experiments/distributed_communication_single_node/measured.h"

namespace labreport::parallel_arithmetic {
namespace {

namespace all_reduce = distributed_communication_single_node;

// If a fitted line's largest relative error is above this, its rate is not used.
constexpr double kFits = 0.25;
constexpr double kTeraflop = 1e12, kGigabytes = 1e9;
constexpr int kDigits = 3;

struct Rate {
  std::optional<double> value = {};
  std::string words;     ///< Precision or library and ranks, or why there is no value.
  std::string how = {};  ///< How the value was obtained: "fitted".
};

Rate measured_egress(const RunView& view) {
  const DeviceKind device = view.on_gpu() ? DeviceKind::kCuda : DeviceKind::kCpu;
  Rate missing{.words = "no all-reduce among its GPUs was measured"};
  for (const all_reduce::Group& group : all_reduce::groups_of(view)) {
    if (group.cell->spec.device != device) continue;
    const auto line = all_reduce::line_through(group.swept());
    if (!line) {
      const std::string reason = group.reason.empty() ? "no line fits its times" : group.reason;
      missing.words = fmt::format("all-reduce over {}: {}", group.words(), reason);
      continue;
    }
    if (line->largest_error <= kFits) {
      return {line->bytes_per_second * bus_factor(group.ranks()), group.words(), "fitted"};
    }
    const all_reduce::Timing largest = group.swept().back();
    return {group.busbw(largest), group.words(),
            fmt::format("busbw at {}, because the fit misses a size by {} %",
                        format_bytes(static_cast<double>(largest.bytes)),
                        format_percent(line->largest_error))};
  }
  return missing;
}

Value in_units(const Machine& machine, const std::optional<double>& value, double unit) {
  return value ? Value(*value / unit) : Value::missing(machine.missing);
}

}  // namespace

std::optional<Rates> Machine::rates() const {
  if (!flops || !bytes) return std::nullopt;
  return Rates{*flops, *bytes};
}

Machine measured_machine(const RunView& view, const std::vector<Precision>& preferred) {
  Rate gemms{.words = "its GEMM rate was not measured"};
  for (const Precision precision : preferred) {
    gemms.value = measured_gemm_rate(view, precision);
    if (!gemms.value) continue;
    gemms.words = describe(precision);
    break;
  }
  const Rate egress = measured_egress(view);
  Machine machine{.words = "this machine", .flops = gemms.value, .bytes = egress.value};
  std::vector<std::string> with, missing;
  for (const Rate& rate : {gemms, egress}) (rate.value ? with : missing).push_back(rate.words);
  if (!with.empty()) machine.words += fmt::format(" ({})", fmt::join(with, "; "));
  machine.egress = egress.how;
  machine.missing = fmt::format("{}", fmt::join(missing, "; "));
  return machine;
}

bool asked(const RunView& view) { return view.cell(CellKind::kAllReduce) != nullptr; }

Value of_machine(const Machine& machine, const OfRates& value) {
  const auto rates = machine.rates();
  if (!rates) return Value::missing(machine.missing);
  const double number = value(*rates);
  return std::isfinite(number) ? Value(number) : Value::missing("no batch is large enough");
}

std::vector<Column<Machine>> machine_columns() {
  return {{"machine", "Machine", &Machine::words},
          {"flops",
           "C",
           [](const Machine& it) { return in_units(it, it.flops, kTeraflop); },
           "TFLOP/s",
           {Notation::kSignificant, kDigits}},
          {"bytes",
           "W",
           [](const Machine& it) { return in_units(it, it.bytes, kGigabytes); },
           "GB/s",
           {Notation::kSignificant, kDigits}}};
}

std::vector<Facts> machine_facts(const std::vector<Machine>& machines,
                                 const std::function<void(Facts&, const Rates&)>& add) {
  std::vector<Facts> all;
  for (const Machine& machine : machines) {
    const auto rates = machine.rates();
    if (!rates) continue;
    Facts& facts = all.emplace_back();
    facts.set("machine", machine.words);
    facts.set("c", format_significant(rates->flops / kTeraflop, kDigits));
    facts.set("w", format_significant(rates->bytes / kGigabytes, kDigits));
    facts.when("egress", !machine.egress.empty(), "how", machine.egress);
    add(facts, *rates);
  }
  return all;
}

void set_lacking(Facts& facts, const std::vector<Machine>& machines) {
  const std::string& why = machines.back().missing;
  facts.when("lacking", !why.empty(), "why", why);
}

}  // namespace labreport::parallel_arithmetic
