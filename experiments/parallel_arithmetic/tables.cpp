#include "experiments/parallel_arithmetic/tables.h"

#include <cmath>

#include "base/format.h"

namespace labreport::parallel_arithmetic {
namespace {

constexpr double kTeraflop = 1e12, kGigabytes = 1e9;
constexpr int kDigits = 3;

Value in_units(const Machine& machine, const std::optional<double>& value, double unit) {
  return value ? Value(*value / unit) : Value::missing(machine.missing);
}

}  // namespace

Value of_machine(const Machine& machine, const OfRates& value) {
  const auto rates = machine.rates();
  if (!rates) return Value::missing(machine.missing);
  const double found = value(*rates);
  return std::isfinite(found) ? Value(found) : Value::missing("no batch is large enough");
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
