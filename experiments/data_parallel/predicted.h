// Predicts steps from all-reduces alone and the step without communication.
#pragma once

#include <optional>
#include <vector>

#include "document/dataset.h"
#include "experiments/data_parallel/schemes.h"

namespace labreport::data_parallel {

/// One scheme's predicted step in milliseconds; no parameter was fitted to the scheme.
struct Predicted {
  const Trained* trained;
  double measured_ms = 0;
  double two_ms = 0;  ///< On the measured number of ranks.
  std::optional<double> four_ms = {}, eight_ms = {};

  double error() const { return two_ms / measured_ms - 1; }
};

/// The step without communication, and beside it `exposed_seconds`. On n ranks a ring sends
/// 2(n − 1)/n of the bytes and has n − 1 times the steps of two, each with its latency; what the
/// arithmetic leaves out on two, as backward stretched by all-reduces, stays: predicted, not
/// measured, for GPUs of one host alone. None where the run has no latency and bandwidth.
std::vector<Predicted> predicted_steps(const Network& network);

Dataset predicted_dataset(const std::vector<Predicted>& rows);

}  // namespace labreport::data_parallel
