#include "experiments/parallel_arithmetic/machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "analysis/measures.h"
#include "base/format.h"
#include "experiments/common/all_reduces.h"

namespace labreport::parallel_arithmetic {
namespace {

// A line whose largest relative error is above this does not give the rate.
constexpr double kLineTolerance = 0.25;
constexpr double kTera = 1e12;
constexpr int kDigits = 3;

/// A rate in FLOP/s or bytes a second.
struct MeasuredRate {
  std::optional<double> per_second = {};
  std::string words;  ///< The precision, or the library and ranks; without a rate, the reason.
  std::string source = {};  ///< Says how the rate was obtained: "fitted".
};

MeasuredRate measured_egress(const RunView& view) {
  const DeviceKind device = view.on_gpu() ? DeviceKind::kCuda : DeviceKind::kCpu;
  MeasuredRate missing{.words = "no all-reduce among its GPUs was measured"};
  for (const AllReduceGroup& group : all_reduce_groups(view)) {
    if (group.cell->spec.device != device) continue;
    const auto line = line_through(group.fitted_timings());
    if (!line) {
      const std::string reason = group.reason.empty() ? "no line fits its times" : group.reason;
      missing.words = fmt::format("all-reduce over {}: {}", group.words(), reason);
      continue;
    }
    if (line->largest_relative_error <= kLineTolerance) {
      return {line->bytes_per_second * bus_factor(group.ranks()), group.words(), "fitted"};
    }
    const AllReduceTiming largest = group.fitted_timings().back();
    return {group.busbw(largest), group.words(),
            fmt::format("busbw at {}, because the fit misses a size by {} %",
                        format_bytes(static_cast<double>(largest.bytes)),
                        format_percent(line->largest_relative_error))};
  }
  return missing;
}

Value in_units(const Machine& machine, const std::optional<double>& value, double unit) {
  return value ? Value(*value / unit) : Value::missing(machine.why_missing);
}

}  // namespace

std::optional<Rates> Machine::rates() const {
  if (!flops_per_second || !bytes_per_second) return std::nullopt;
  return Rates{*flops_per_second, *bytes_per_second};
}

Machine measured_machine(const RunView& view, const std::vector<Precision>& precisions) {
  MeasuredRate gemms{.words = "its GEMM rate was not measured"};
  const Limits limits = measured_limits(view.run());
  for (const Precision precision : precisions) {
    const auto sustained = limits.sustained_gemm_rates.find(precision);
    if (sustained == limits.sustained_gemm_rates.end()) continue;
    gemms.per_second = sustained->second;
    gemms.words = describe(precision);
    break;
  }
  const MeasuredRate egress = measured_egress(view);
  Machine machine{.words = "this machine",
                  .flops_per_second = gemms.per_second,
                  .bytes_per_second = egress.per_second};
  std::vector<std::string> known, missing;
  for (const MeasuredRate& rate : {gemms, egress})
    (rate.per_second ? known : missing).push_back(rate.words);
  if (!known.empty()) machine.words += fmt::format(" ({})", fmt::join(known, "; "));
  machine.egress_source = egress.source;
  machine.why_missing = fmt::format("{}", fmt::join(missing, "; "));
  return machine;
}

bool has_all_reduce(const RunView& view) { return view.cell(CellKind::kAllReduce) != nullptr; }

Value value_at(const Machine& machine, const RatesFunction& function) {
  const auto rates = machine.rates();
  if (!rates) return Value::missing(machine.why_missing);
  const double number = function(*rates);
  return std::isfinite(number) ? Value(number) : Value::missing("no batch is large enough");
}

std::vector<Column<Machine>> machine_columns() {
  return {
      {"machine", "Machine", &Machine::words},
      {"flops",
       "C",
       [](const Machine& machine) { return in_units(machine, machine.flops_per_second, kTera); },
       "TFLOP/s",
       {Notation::kSignificant, kDigits}},
      {"bytes",
       "W",
       [](const Machine& machine) {
         return in_units(machine, machine.bytes_per_second, kGigabyte);
       },
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
    facts.set("c", format_significant(rates->flops_per_second / kTera, kDigits));
    const std::string source =
        machine.egress_source.empty() ? "" : " (" + machine.egress_source + ")";
    facts.set("w",
              format_significant(rates->bytes_per_second / kGigabyte, kDigits) + " GB/s" + source);
    add(facts, *rates);
  }
  return all;
}

void set_missing_rate(Facts& facts, const std::vector<Machine>& machines) {
  const std::string& why = machines.back().why_missing;
  facts.when("lacking", !why.empty(), "why", why);
}

}  // namespace labreport::parallel_arithmetic
