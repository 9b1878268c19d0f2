// The relation of two runs' machines, which decides the statements that their numbers allow.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/run.h"

namespace labreport {

enum class Relation {
  kSameMachine,    ///< Equal GPU (by UUID), driver, CPU and power limit; without a GPU: equal CPU,
                   ///< cores and recorded host. Allows verdicts.
  kSameModel,      ///< Devices of one name, whose machines may differ; ratios only.
  kSameProcessor,  ///< CPUs of one name without recorded host or cores; ratios only.
  kDifferentHardware,  ///< Ratios next to the predictions of the measured limits.
  kImported,           ///< Published numbers on one side or both.
};

/// Returns words for readers: "same machine", "same model, different machine", …
std::string_view describe(Relation relation);

/// Returns the name in JSON: "same_machine", …
std::string_view name(Relation relation);

struct Related {
  Relation relation = Relation::kDifferentHardware;
  /// Reasons why the machines differ or may differ: "driver 550.54 against 580.65".
  std::vector<std::string> reasons = {};
  /// The facts that identify one machine: "GPU, driver, CPU and power limit"; empty for other
  /// relations.
  std::string agreement = {};
};

Related relate(const Run& a, const Run& b);

/// Returns the relation of a run's cells to each other.
Related one_machine(const Run& run);

}  // namespace labreport
