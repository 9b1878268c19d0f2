// Makes small runs to compare. No number in them was measured.
#pragma once

#include <vector>

#include "results/metric_names.h"
#include "results/run.h"

namespace labreport::testing_samples {

inline CellSpec network_spec(Mode mode, Precision precision = Precision::kFp32) {
  return {.kind = CellKind::kTiming,
          .device = DeviceKind::kCuda,
          .size = "tiny",
          .model = ModelShape{64, 256, 2, 2, 512},
          .context = 64,
          .batch = 2,
          .precision = precision,
          .mode = mode,
          .warmup = 1,
          .steps = 3};
}

/// Makes a launch for each value: the ns that its steps take after a first one, which is slower.
inline Cell timing_cell(const CellSpec& spec, const std::vector<double>& launch_ns) {
  Cell cell{cell_id(spec), spec, {}};
  for (const double value : launch_ns) {
    const auto ns = static_cast<std::int64_t>(value);
    Launch launch;
    launch.device = 0;
    launch.metrics = {sample_metric(metric::kStep, metric::kTotal, "ns", {9 * ns, ns, ns, ns})};
    cell.launches.push_back(launch);
  }
  return cell;
}

/// `rate` is the matrix rate in FP32 in flop/s, `bandwidth` that of a copy in B/s.
inline Cell limits_cell(double rate, double bandwidth) {
  CellSpec spec;
  spec.kind = CellKind::kLimits;
  Cell cell{cell_id(spec), spec, {}};
  Launch launch;
  launch.device = 0;
  launch.metrics = {real_metric(metric::kMatrixRate, "fp32", "flop/s", rate),
                    real_metric(metric::kMatrixRate, "bf16", "flop/s", 8 * rate),
                    real_metric(metric::kCopy, metric::kBandwidth, "B/s", bandwidth)};
  cell.launches = {launch};
  return cell;
}

inline Run run_on(const std::string& gpu, const std::string& uuid) {
  Run run;
  run.edition = "2025";
  run.preset = "quick";
  Session session;
  session.started_at = "2026-05-01T12:34:56Z";
  session.revision = std::string(40, 'a');
  session.cpu = "a processor";
  session.software.driver = "580.1";
  run.sessions = {session};
  Device device;
  device.kind = DeviceKind::kCuda;
  device.uuid_hash = uuid;
  device.name = gpu;
  device.memory_bytes = 80LL << 30;
  device.power_limit_mw = 700'000;
  run.devices = {device};
  return run;
}

/// Makes three launches of two modes. All times are proportional to `factor`.
inline Run three_launches(double factor = 1) {
  Run run = run_on("NVIDIA H200", "abc");
  run.cells = {
      limits_cell(5e13, 4e12),
      timing_cell(network_spec(Mode::kForward), {1e7 * factor, 1.001e7 * factor, 1.002e7 * factor}),
      timing_cell(network_spec(Mode::kTrainStep),
                  {4e7 * factor, 4.01e7 * factor, 4.02e7 * factor})};
  return run;
}

/// Returns the run as if its networks were a model of the user's.
inline Run as_users_model(Run run) {
  run.sessions.front().model = ModelSource{"Net-0a1b2c3d", "net.py:Net", "", "", ""};
  for (Cell& cell : run.cells) {
    if (cell.spec.model) cell.spec.implementation = "Net-0a1b2c3d";
    cell.id = cell_id(cell.spec);
  }
  return run;
}

/// Returns a run that measures the user's model, with the times of `users`, and labreport's
/// network.
inline Run run_of_both_models(const Run& labreports, const Run& users) {
  Run both = as_users_model(users);
  for (const Cell& cell : labreports.cells) {
    if (cell.spec.model) both.cells.push_back(cell);
  }
  return both;
}

/// Makes one launch of each cell, in FP32 and BF16. Unless the training step fits, the GPU is six
/// times as slow, and the step runs out of memory.
inline Run run_on_another_gpu(bool fits) {
  Run run = run_on(fits ? "NVIDIA B200" : "NVIDIA L4", fits ? "def" : "fed");
  const double slowdown = fits ? 1 : 6;
  run.cells = {limits_cell(5e13 / slowdown, 4e12 / slowdown),
               timing_cell(network_spec(Mode::kForward), {1e7 * slowdown * 1.5}),
               timing_cell(network_spec(Mode::kForward, Precision::kBf16), {3e6 * slowdown}),
               timing_cell(network_spec(Mode::kTrainStep), {4e7 * slowdown})};
  if (!fits) {
    run.cells.back().launches.front().outcome = OutOfMemory{"backward", 2LL << 30, 20LL << 30, {}};
    run.cells.back().launches.front().metrics.clear();
  }
  return run;
}

/// Returns a published table: one time of one cell, whose number of steps is unknown.
inline Run imported_run() {
  Run run = run_on("NVIDIA H200", "");
  run.source = "imported";
  run.devices.front().power_limit_mw = 0;
  run.sessions.front().cpu.clear();
  run.sessions.front().software.driver.clear();
  CellSpec spec = network_spec(Mode::kForward);
  spec.warmup.reset();
  spec.steps.reset();
  Cell cell{cell_id(spec), spec, {}};
  Launch launch;
  launch.device = 0;
  launch.metrics = {integer_metric(metric::kPublished, metric::kTotal, "ns", 12'000'000)};
  cell.launches = {launch};
  run.cells = {cell};
  return run;
}

}  // namespace labreport::testing_samples
