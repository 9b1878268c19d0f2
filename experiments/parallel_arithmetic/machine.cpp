#include "experiments/parallel_arithmetic/machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/format.h"
#include "experiments/common/timing.h"
#include "experiments/distributed_communication_single_node/measured.h"

namespace labreport::parallel_arithmetic {
namespace {

namespace all_reduce = distributed_communication_single_node;

// A line that misses a size by a larger share gives no usable rate.
constexpr double kFits = 0.25;

struct Found {
  std::optional<double> value = {};
  std::string words;     ///< Precision or library, or why there is no value.
  std::string how = {};  ///< How the value was obtained: "fitted".
};

Found found_rate(const RunView& view, const std::vector<Precision>& preferred) {
  for (const Precision precision : preferred) {
    if (const auto rate = matrix_rate(view, precision)) {
      return {rate, std::string(describe(precision))};
    }
  }
  return {std::nullopt, "its GEMM rate was not measured"};
}

bool of_device(const all_reduce::Group& group, DeviceKind device) {
  return group.cell->spec.device == device;
}

/// The fit's rate, or the largest size's if the fit misses some sizes.
Found egress_of(const all_reduce::Group& group, const all_reduce::Line& line) {
  if (line.largest_error <= kFits) {
    return {line.bytes_per_second * bus_factor(group.ranks()), group.words(), "fitted"};
  }
  const all_reduce::Timing largest = group.swept().back();
  return {group.busbw(largest), group.words(),
          fmt::format("busbw at {}, because the fit misses a size by {} %",
                      format_bytes(static_cast<double>(largest.bytes)),
                      format_percent(line.largest_error))};
}

Found found_egress(const RunView& view) {
  const DeviceKind device = view.on_gpu() ? DeviceKind::kCuda : DeviceKind::kCpu;
  Found found{std::nullopt, "no all-reduce among its GPUs was measured"};
  for (const all_reduce::Group& group : all_reduce::groups_of(view)) {
    if (!of_device(group, device)) continue;
    const auto line = all_reduce::line_through(group.swept());
    if (line) return egress_of(group, *line);
    const std::string reason = group.reason.empty() ? "no line fits its times" : group.reason;
    found.words = fmt::format("all-reduce over {}: {}", group.words(), reason);
  }
  return found;
}

}  // namespace

std::optional<Rates> Machine::rates() const {
  if (!flops || !bytes) return std::nullopt;
  return Rates{*flops, *bytes};
}

Machine measured_machine(const RunView& view, const std::vector<Precision>& preferred) {
  const Found rate = found_rate(view, preferred);
  const Found egress = found_egress(view);
  Machine machine{"this machine", rate.value, egress.value};
  std::vector<std::string> with, missing;
  for (const Found& found : {rate, egress}) (found.value ? with : missing).push_back(found.words);
  if (!with.empty()) machine.words += fmt::format(" ({})", fmt::join(with, "; "));
  machine.egress = egress.how;
  machine.missing = fmt::format("{}", fmt::join(missing, "; "));
  return machine;
}

bool asked(const RunView& view) { return view.cell(CellKind::kAllReduce) != nullptr; }

}  // namespace labreport::parallel_arithmetic
