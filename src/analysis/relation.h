// What two runs have in common, which decides what may be said of their numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/run.h"

namespace labreport {

enum class Relation {
  kSameMachine,        ///< Equal GPU (by UUID), driver, CPU and power limit: verdicts.
                       ///< Without a GPU: equal CPU, cores and recorded host.
  kSameModel,          ///< Devices of one name, but not one machine: ratios alone.
  kSameProcessor,      ///< Processors of one name, of a machine that no run recorded: ratios alone.
  kDifferentHardware,  ///< Ratios beside what the devices' measured limits predict.
  kImported,           ///< A table that somebody published is on one side, or on both.
};

/// "same machine", "same model, different machine", …
std::string_view describe(Relation relation);

/// The name in JSON: "same_machine", …
std::string_view name(Relation relation);

struct Related {
  Relation relation = Relation::kDifferentHardware;
  /// Why the machines are not one, or not known to be: "driver 550.54 against 580.65".
  std::vector<std::string> reasons = {};
  /// By what one machine is known to be one: "GPU, driver, CPU and power limit"; else empty.
  std::string agreement = {};
};

Related relate(const Run& a, const Run& b);

/// Of the cells of one run.
Related one_machine(const Run& run);

}  // namespace labreport
