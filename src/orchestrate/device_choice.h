// Chooses where to measure: which GPUs, or the CPU for the demonstration.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/gpu.h"
#include "base/machine.h"
#include "orchestrate/launch.h"
#include "plan/planner.h"

namespace labreport {

/// The flags that choose a device. A member is absent if the user did not give its flag.
struct DeviceRequest {
  std::optional<Preset> preset = {};
  std::optional<std::vector<int>> gpus = {};  ///< nvidia-smi's indices; empty for all GPUs.
  std::optional<std::string> elsewhere = {};  ///< The name of a GPU that need not be here.
  std::string resumed_gpu = {};  ///< The GPU of the run that is resumed; empty if there is none.
};

struct DeviceChoice {
  DeviceKind kind = DeviceKind::kCpu;
  Preset preset = Preset::kDemo;
  std::vector<Gpu> gpus;  ///< Empty on the CPU, and in a plan for a GPU that is not here.
  std::string driver;
  std::string notice;  ///< Lines that the user should read; may be empty.
  /// More GPUs of the same name, which only cells with ranks may use. Empty if --gpus is given.
  std::vector<Gpu> rank_only_gpus = {};
  std::size_t cpu_cores = usable_cores().size();  ///< The cores on which a demonstration runs.
  bool is_elsewhere = false;                      ///< The GPU and its numbers are a data sheet's.

  std::string name() const;  ///< "NVIDIA H200", "2 × NVIDIA H200", "CPU demonstration (…)"
  std::vector<Slot> slots() const;
  std::vector<Slot> rank_only_slots() const;  ///< The slots of `rank_only_gpus`.
  Precision half_precision() const;           ///< BF16, or FP16 if a GPU has no native BF16.
};

/// Queries the driver, except with --preset demo. Without --gpus, chooses the first usable GPU or
/// MIG slice. Chooses the demonstration on the CPU if there is no NVIDIA device, or if
/// CUDA_VISIBLE_DEVICES hides all on purpose. If `only_planning`, nothing will be measured, so a
/// preset for GPUs needs no GPU, and a GPU elsewhere may be named, whose memory and rates are those
/// of its data sheet. Otherwise throws `InputError` for a device that cannot be used.
DeviceChoice choose_device(const DeviceRequest& request, bool only_planning);

/// Returns the estimated seconds of one launch; 0 if the device is unknown.
double launch_seconds(const DeviceChoice& choice, const CellSpec& spec);
/// Returns the estimated seconds until a launch runs out of memory; 0 if the device is unknown.
double launch_seconds_until_oom(const DeviceChoice& choice, const CellSpec& spec);

}  // namespace labreport
