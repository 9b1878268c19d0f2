#include "measure/timing/timing_plan.h"

#include <optional>

#include "base/error.h"

namespace labreport {
namespace {

template <typename T>
T required(const std::optional<T>& value, const char* parameter) {
  if (!value) throw InputError(std::string("this cell needs '") + parameter + "'");
  return *value;
}

std::int64_t required_at_least(std::int64_t smallest, const std::optional<std::int64_t>& value,
                               const char* parameter) {
  const std::int64_t number = required(value, parameter);
  if (number < smallest) {
    throw InputError(std::string("'") + parameter + "' is " + std::to_string(number),
                     "it has to be at least " + std::to_string(smallest));
  }
  return number;
}

}  // namespace

TimingPlan profiling_plan(const CellSpec& spec) {
  if (spec.blocks_per_checkpoint)
    required_at_least(1, spec.blocks_per_checkpoint, "checkpoint_group");
  return {
      .network = {spec.implementation, required(spec.model, "model"),
                  required_at_least(1, spec.context, "context"),
                  spec.variant.value_or(Variant::kMatmul), spec.blocks_per_checkpoint},
      .batch = required_at_least(1, spec.batch, "batch"),
      .warmup = required_at_least(0, spec.warmup, "warmup"),
      .steps = required_at_least(0, spec.steps, "steps"),
      .step = {required(spec.mode, "mode"), required(spec.precision, "precision"), spec.device},
  };
}

TimingPlan timing_plan(const CellSpec& spec) {
  required_at_least(1, spec.steps, "steps");
  return profiling_plan(spec);
}

}  // namespace labreport
