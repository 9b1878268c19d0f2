// Whether a launch's bytes can be true.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "analysis/inspection.h"
#include "base/format.h"
#include "plan/arithmetic.h"
#include "plan/memory.h"

namespace labreport {
namespace {

constexpr double kMostUnknown = 0.01;   // Of the peak.
constexpr double kBlocksApart = 0.002;  // Steps in a row were seen 0.09 % apart.

std::string words(double bytes) { return format_bytes(bytes); }

void check_peak(const Inspection& in) {
  const auto peak = in.bytes(metric::kPeakAllocated);
  const auto resident = static_cast<double>(resident_bytes(in.cell.spec).value_or(0));
  if (peak && *peak < resident) {
    in.refuse(fmt::format("its peak of {} is less than the {} that must be resident", words(*peak),
                          words(resident)));
  }
  const auto reserved = in.bytes(metric::kPeakReserved);
  if (peak && reserved && *reserved < *peak) {
    in.refuse(
        fmt::format("{} allocated at most, but only {} reserved", words(*peak), words(*reserved)));
  }
  if (peak && in.launch.device) {
    const auto& device = in.run.devices.at(static_cast<std::size_t>(*in.launch.device));
    const auto memory = static_cast<double>(device.memory_bytes);
    // Some drivers lend a process the host's memory, too.
    if (memory > 0 && *peak > memory && !in.condition_above_zero(metric::kGpu, metric::kSpilled)) {
      in.refuse(
          fmt::format("its peak of {} is more than the device's {}", words(*peak), words(memory)));
    }
  }
}

void check_parameters(const Inspection& in) {
  const auto bytes = in.bytes(metric::kParameters);
  const auto parameters = counted_parameters(in.cell.spec);
  if (!bytes || !parameters) return;
  const auto expected = static_cast<double>(*parameters * sizeof(float));
  if (*bytes != expected) {
    in.refuse(
        fmt::format("its parameters take {}, by arithmetic {}", words(*bytes), words(expected)));
  }
}

/// Requested ≤ allocated: the allocator rounds up.
void check_rounding(const Inspection& in) {
  const auto requested = in.bytes(metric::kPeakRequested);
  const auto allocated = in.bytes(metric::kPeakAllocated);
  if (requested && allocated && *requested > *allocated) {
    in.refuse(fmt::format("{} requested at most, but only {} allocated", words(*requested),
                          words(*allocated)));
  }
}

/// Recording must not change what it records: not a byte of what is requested. The blocks that the
/// allocator finds for it depend on those that the step before left, history or not.
void check_history(const Inspection& in) {
  for (const auto& [name, apart] :
       {std::pair(metric::kPeakRequested, 0.0), std::pair(metric::kPeakAllocated, kBlocksApart)}) {
    const auto plain = in.bytes(name);
    const auto recorded = in.value(metric::kHistory, name);
    if (!plain || !recorded || std::abs(*recorded - *plain) <= apart * *plain) continue;
    in.refuse(fmt::format("its {} is {} B, with its history recorded {} B", name,
                          format_fixed(*plain, 0), format_fixed(*recorded, 0)));
  }
  if (in.value(metric::kHistory, metric::kLost).value_or(0) > 0) {
    in.warn("events of its history were lost");
  }
}

void check_categories(const Inspection& in) {
  const auto peak = in.bytes(metric::kPeakRequested);
  double sum = 0;
  bool any = false;
  for (const Metric& metric : in.launch.metrics) {
    if (metric.tag != metric::kCategory) continue;
    any = true;
    sum += metric.number().value_or(0);
  }
  if (!peak || !any) return;
  if (sum != *peak) {
    in.refuse(fmt::format("its categories add up to {}, its requested peak is {}", words(sum),
                          words(*peak)));
  }
  const double unknown = in.value(metric::kCategory, metric::kUnknown).value_or(0);
  if (unknown > kMostUnknown * *peak) {
    in.warn(fmt::format("{} of its peak are of unknown use", words(unknown)));
  }
}

}  // namespace

void check_memory(const Inspection& in) {
  check_peak(in);
  check_parameters(in);
}

void check_recorded_memory(const Inspection& in) {
  for (const auto check : {check_memory, check_rounding, check_history, check_categories})
    check(in);
}

}  // namespace labreport
