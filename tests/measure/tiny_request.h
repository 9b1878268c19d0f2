// Makes a request for a network that a CPU runs in milliseconds.
#pragma once

#include "results/run.h"

namespace labreport {

inline LaunchRequest tiny_request(CellKind kind, Mode mode, std::int64_t warmup = 1,
                                  std::int64_t steps = 2) {
  LaunchRequest request;
  request.spec = {
      .kind = kind,
      .device = DeviceKind::kCpu,
      .size = "tiny",
      .model = ModelShape{.d_model = 16, .d_ff = 24, .layers = 2, .heads = 2, .vocab = 30},
      .context = 8,
      .batch = 2,
      .precision = Precision::kFp32,
      .mode = mode,
      .warmup = warmup,
      .steps = steps};
  return request;
}

}  // namespace labreport
