#include "measure/catalog.h"

#include <utility>

#include "base/error.h"

namespace labreport {
namespace {

constexpr std::pair<CellKind, Measurement> kMeasurements[] = {
    {CellKind::kAccumulation, measure_accumulation},
    {CellKind::kAllReduce, measure_all_reduce},
    {CellKind::kAttention, measure_attention},
    {CellKind::kCheckpointing, measure_checkpointing},
    {CellKind::kDataParallel, measure_data_parallel},
    {CellKind::kDtypes, measure_dtypes},
    {CellKind::kKernels, measure_kernels},
    {CellKind::kLadder, measure_ladder},
    {CellKind::kLayerNorm, measure_layer_norm},
    {CellKind::kLimits, measure_limits},
    {CellKind::kMemory, measure_memory},
    {CellKind::kSharding, measure_sharding},
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
