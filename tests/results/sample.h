// A small run with every kind of metric and outcome, for tests of the storage of runs.
#pragma once

#include "results/run.h"

namespace labreport::testing_samples {

inline CellSpec sample_spec(Mode mode) {
  return {.kind = CellKind::kTiming,
          .device = DeviceKind::kCpu,
          .size = "tiny",
          .model = ModelShape{64, 256, 2, 2, 512},
          .context = 64,
          .batch = 2,
          .precision = Precision::kFp32,
          .mode = mode,
          .warmup = 1,
          .steps = 2};
}

inline Launch sample_launch(Outcome outcome) {
  Launch launch;
  launch.device = 0;
  launch.outcome = std::move(outcome);
  launch.wall_ns = 123456789;
  launch.metrics = {sample_metric("step", "total", "ns", {30, 10, 11}),
                    integer_metric("memory", "parameters", "B", 1024),
                    real_metric("copy", "bandwidth", "B/s", 1.5e12),
                    text_metric("note", "kernel", "gemm <32x32>"),
                    absent_metric("clock", "sm", "MHz", "a processor has none")};
  launch.tables = {
      {"sizes", {{"name", ""}, {"bytes", "B"}}, {{std::string("a"), std::int64_t{1}}}}};
  launch.conditions = {integer_metric("gpu", "temperature", "°C", 40)};
  launch.warnings = {"the loss is not finite"};
  return launch;
}

inline Run sample_run() {
  Run run;
  run.edition = "2025";
  run.preset = "demo";
  Session session;
  session.started_at = "2026-05-01T12:34:56Z";
  session.argv = {"labreport", "run"};
  session.revision = std::string(40, 'a');
  session.cpu = "a processor";
  session.cores = 2;
  session.software.libtorch = "2.11.0";
  session.software.python = "3.11.7";
  session.model = {"TransformerLM-0a1b2c3d", "model.py:TransformerLM", R"({"dropout": 0.0})",
                   "torch.nn.functional:cross_entropy", "torch.optim:AdamW"};
  session.environment = {{"OMP_NUM_THREADS", "2"}};
  session.request = {.model = "model.py:TransformerLM",
                     .model_args = R"({"dropout": 0.0})",
                     .own_sizes = {"mini=64,128,2,2"},
                     .steps = "3",
                     .keep_env = true};
  run.sessions = {session};
  Device device;
  device.name = "a processor";
  device.memory_bytes = 1 << 30;
  run.devices = {device};
  run.find_or_add(sample_spec(Mode::kForward)).launches = {sample_launch(Ok{})};
  run.find_or_add(sample_spec(Mode::kTrainStep)).launches = {
      sample_launch(OutOfMemory{"optimizer", 10, 20, std::nullopt, std::nullopt, 30}),
      sample_launch(TimedOut{2.5}), sample_launch(Crashed{9, "killed"}),
      sample_launch(Failed{"no luck"}), sample_launch(Skipped{"too large"})};
  return run;
}

}  // namespace labreport::testing_samples
