// Where to measure: which GPUs, or the CPU for the demonstration.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/gpu.h"
#include "orchestrate/launch.h"
#include "plan/planner.h"

namespace labreport {

/// What the user asked for; absent where nothing was said.
struct DeviceWish {
  std::optional<Preset> preset = {};
  std::optional<std::vector<int>> gpus = {};  ///< Their indices; empty: all of them.
};

struct DeviceChoice {
  DeviceKind kind = DeviceKind::kCpu;
  Preset preset = Preset::kDemo;
  std::vector<Gpu> gpus;  ///< Empty on the CPU, and where nothing has to be measured.
  std::string driver;
  std::string notice;            ///< Lines that the user should read; empty: nothing special.
  std::vector<Gpu> others = {};  ///< Alike, idle beside `gpus` but for ranks; none of named ones.

  std::string name() const;  ///< "NVIDIA H200", "2 × NVIDIA H200", "CPU demonstration (…)"
  std::vector<Slot> slots() const;
  std::vector<Slot> more_slots() const;  ///< Of `others`.
  /// BF16, or FP16 where a GPU has no BF16 of its own (compute capability below 8.0).
  Precision half() const;
};

/// Asks the driver, unless --preset demo says that it does not matter. Without an NVIDIA device, or
/// where CUDA_VISIBLE_DEVICES hides all on purpose, the demonstration is chosen; of a GPU that MIG
/// divides the first slice, unless all are wished for. `planning`: nothing will be measured, so a
/// preset for GPUs may be asked for where there is none. Throws `InputError` for a device that
/// cannot be used.
DeviceChoice choose_device(const DeviceWish& wish, bool planning);

/// Seconds of one launch, and of one that runs out of memory; 0 when the device is not known.
double estimate_seconds(const DeviceChoice& choice, const CellSpec& spec);
double estimate_seconds_until_oom(const DeviceChoice& choice, const CellSpec& spec);

}  // namespace labreport
