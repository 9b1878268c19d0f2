#include "measure/timing/timing_plan.h"

#include <optional>

#include "base/error.h"

namespace labreport {
namespace {

template <typename T>
T present(const std::optional<T>& value, const char* what) {
  if (!value) throw InputError(std::string("this cell needs '") + what + "'");
  return *value;
}

std::int64_t at_least(std::int64_t smallest, const std::optional<std::int64_t>& value,
                      const char* what) {
  const std::int64_t number = present(value, what);
  if (number < smallest) {
    throw InputError(std::string("'") + what + "' is " + std::to_string(number),
                     "it has to be at least " + std::to_string(smallest));
  }
  return number;
}

}  // namespace

TimingPlan profiling_plan(const CellSpec& spec) {
  if (spec.blocks_per_checkpoint) at_least(1, spec.blocks_per_checkpoint, "group");
  return {
      .network = {spec.implementation, present(spec.model, "model"),
                  at_least(1, spec.context, "context"), spec.variant.value_or(Variant::kMatmul),
                  spec.blocks_per_checkpoint},
      .batch = at_least(1, spec.batch, "batch"),
      .warmup = at_least(0, spec.warmup, "warmup"),
      .steps = at_least(0, spec.steps, "steps"),
      .step = {present(spec.mode, "mode"), present(spec.precision, "precision"), spec.device},
  };
}

TimingPlan timing_plan(const CellSpec& spec) {
  at_least(1, spec.steps, "steps");
  return profiling_plan(spec);
}

}  // namespace labreport
