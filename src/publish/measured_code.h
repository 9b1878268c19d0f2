// The user's code to hand in: as it was measured, which the worker for models keeps in the run's
// artifacts/, or a whole checkout of the course.
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
  std::vector<std::string> lines = {};    ///< Each says what code.zip lacks.
  std::vector<std::string> changed = {};  ///< Files that have changed since they were measured.
};

/// Collects the sources of all models and attentions of the runs, without following links. The
/// first run has the first choice of paths. Throws `InputError` if a run cannot be read.
MeasuredCode measured_code(const std::vector<RunStore>& runs);

/// Collects the files of a checkout, without links, hidden files, caches, virtual environments and
/// large files. A line names these last.
MeasuredCode checkout_code(const std::filesystem::path& checkout);

}  // namespace labreport
