// The user's code as it was measured: the worker for models keeps it in the run's artifacts/.
#pragma once

#include <string>
#include <vector>

#include "publish/zip_file.h"
#include "results/run_store.h"

namespace labreport {

struct MeasuredCode {
  /// The sources by their paths below the folder from which their package is imported. Of a file
  /// that was measured in several versions, the others are in a folder of their implementation.
  ZipFiles files = {};
  /// One line for what code.zip lacks, and one for files that have changed since.
  std::vector<std::string> lines = {};
};

/// Collects the sources of all models and attentions of the runs, without following links. The
/// first run has the first choice of paths. Throws `InputError` if a run cannot be read.
MeasuredCode measured_code(const std::vector<RunStore>& runs);

}  // namespace labreport
