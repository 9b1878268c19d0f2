// Tells whether two runs measured on one machine, which decides what their numbers can show.
#pragma once

#include <string>
#include <vector>

#include "results/run.h"

namespace labreport {

enum class Relation {
  /// GPU (by UUID), driver, CPU and power limit are equal; without a GPU, the CPU's name, its cores
  /// and the recorded host are. Only this relation allows verdicts.
  kSameMachine,
  kSameDeviceModel,  ///< The devices have one name, but the machines may differ.
  kSameProcessor,    ///< The CPUs have one name, but host or cores are not recorded.
  kDifferentHardware,
  kImported,  ///< One side or both are published numbers.
};

template <>
inline constexpr auto kEnumNames<Relation> = enum_names<Relation>(
    "relation", {{Relation::kSameMachine, "same_machine", "same machine"},
                 {Relation::kSameDeviceModel, "same_model", "same model, different machine"},
                 {Relation::kSameProcessor, "same_processor", "same CPU model"},
                 {Relation::kDifferentHardware, "different_hardware", "different hardware"},
                 {Relation::kImported, "imported", "imported numbers"}});

/// The relation of two runs' machines, with the facts that it follows from.
struct MachineRelation {
  Relation relation = Relation::kDifferentHardware;
  /// Reasons why the machines differ or may differ: "driver 550.54 against 580.65".
  std::vector<std::string> reasons = {};
  /// The facts whose equality identifies the machine: "GPU, driver, CPU and power limit". Empty for
  /// every relation but kSameMachine.
  std::string equal_facts = {};
};

MachineRelation relate_machines(const Run& a, const Run& b);

/// Returns kSameMachine with the facts that identify the run's machine.
MachineRelation relation_within_run(const Run& run);

}  // namespace labreport
