// The flags that say what to measure, shared by `report`, `run` and `list cells`.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "orchestrate/device_choice.h"
#include "plan/planner.h"

namespace labreport {

/// As written; empty optionals were not given.
struct MeasureFlags {
  std::string edition = "2025";
  std::optional<std::string> preset;
  std::optional<std::string> problems, only, sizes, contexts, precisions, modes, gpus;
  std::vector<std::string> own_sizes;
  std::optional<std::string> batch, vocab, warmup, steps, launches;
  bool separate_warmups = false;
  std::optional<std::string> model, beside, model_args, loss, optimizer, attention;
  bool compile = false;
};

void add_measure_flags(CLI::App& verb, MeasureFlags& flags);

/// "--sizes": whether it is one of those.
bool is_measure_flag(const std::string& flag);

/// The flags, checked, for a preset already chosen. Throws `InputError` naming the nearest values.
PlanInput plan_input(const MeasureFlags& flags, Preset preset, DeviceKind device);

/// What to plan for these flags on this device; a model is loaded once, by its worker.
PlanInput plan_input(const MeasureFlags& flags, const DeviceChoice& choice);

/// "0,1" → {0, 1}, each once; "all" → none. Throws `InputError`.
std::vector<int> parse_gpus(const std::string& text);

/// Throws `InputError` for a preset or GPUs that are none.
DeviceWish device_wish(const MeasureFlags& flags);

}  // namespace labreport
