// Chooses where to measure: which GPUs, or the CPU for the demonstration.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/gpu.h"
#include "orchestrate/launch.h"
#include "plan/planner.h"

namespace labreport {

/// The user's wishes; a member is absent if the user did not give its flag.
struct DeviceWish {
  std::optional<Preset> preset = {};
  std::optional<std::vector<int>> gpus = {};  ///< Indices; empty for all GPUs.
};

struct DeviceChoice {
  DeviceKind kind = DeviceKind::kCpu;
  Preset preset = Preset::kDemo;
  std::vector<Gpu> gpus;  ///< Empty on the CPU, and if nothing is measured.
  std::string driver;
  std::string notice;            ///< Lines that the user should read; may be empty.
  std::vector<Gpu> others = {};  ///< More GPUs of that name, for ranks only; none with --gpus.

  std::string name() const;  ///< "NVIDIA H200", "2 × NVIDIA H200", "CPU demonstration (…)"
  std::vector<Slot> slots() const;
  std::vector<Slot> more_slots() const;  ///< The slots of `others`.
  /// BF16, or FP16 if a GPU has no native BF16 (compute capability below 8.0).
  Precision half() const;
};

/// Asks the driver, except with --preset demo. Chooses the demonstration without an NVIDIA device,
/// or if CUDA_VISIBLE_DEVICES hides all on purpose. Without --gpus, chooses the first usable GPU or
/// MIG slice. `planning`: nothing will be measured, so a preset for GPUs is allowed without a GPU.
/// Throws `InputError` for a device that cannot be used.
DeviceChoice choose_device(const DeviceWish& wish, bool planning);

/// Estimated seconds of one launch, and of one that runs out of memory; 0 if the device is unknown.
double estimate_seconds(const DeviceChoice& choice, const CellSpec& spec);
double estimate_seconds_until_oom(const DeviceChoice& choice, const CellSpec& spec);

}  // namespace labreport
