#include "measure/catalog.h"

#include <utility>

#include "base/error.h"

namespace labreport {
namespace {

constexpr std::pair<CellKind, MeasureFunction> kMeasureFunctions[] = {
    {CellKind::kAccumulation, measure_accumulation},
    {CellKind::kAllReduce, measure_all_reduce},
    {CellKind::kAttention, measure_attention},
    {CellKind::kCheckpointing, measure_checkpointing},
    {CellKind::kDataParallel, measure_data_parallel},
    {CellKind::kDtypes, measure_dtypes},
    {CellKind::kKernels, measure_kernels},
    {CellKind::kLadder, measure_ladder},
    {CellKind::kLeaderboard, measure_data_parallel},
    {CellKind::kLayerNorm, measure_layer_norm},
    {CellKind::kLimits, measure_limits},
    {CellKind::kMemory, measure_memory},
    {CellKind::kSharding, measure_sharding},
    {CellKind::kTiming, measure_timing},
};

}  // namespace

MeasureFunction find_measure_function(CellKind kind) {
  for (const auto& [known, function] : kMeasureFunctions) {
    if (known == kind) return function;
  }
  throw InputError("this worker does not measure '" + std::string(name(kind)) + "'",
                   "use the worker that was built with this labreport");
}

}  // namespace labreport
