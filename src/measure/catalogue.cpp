#include "measure/catalogue.h"

#include <utility>

#include "base/error.h"
#include "measure/limits.h"
#include "measure/timing.h"

namespace labreport {
namespace {

constexpr std::pair<CellKind, Measurement> kMeasurements[] = {
    {CellKind::kLimits, measure_limits},
    {CellKind::kTiming, measure_timing},
};

}  // namespace

Measurement find_measurement(CellKind kind) {
  for (const auto& [known, measurement] : kMeasurements) {
    if (known == kind) return measurement;
  }
  throw InputError("this worker does not measure '" + std::string(name(kind)) + "'",
                   "use the worker that was built with this labreport");
}

}  // namespace labreport
