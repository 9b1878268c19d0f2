// Tells which problems a run's report answers, and builds the report of some of them.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "document/document.h"
#include "results/run.h"

namespace labreport {

struct AnsweredProblem {
  std::size_t parts = 0;  ///< The number of its parts; 0 if none can be presented.
  std::size_t cells = 0;  ///< The number of measurements that its parts show.
  bool measures_users_code = false;
};

/// Returns the problems that the run's report answers, by name.
std::map<std::string, AnsweredProblem> answered_problems(const Run& run);

/// Builds the report as `build_document` does, with these problems alone. If none of them belongs
/// to the profiling half, the summary consists of what the parts add to it.
Document build_document_of(const std::set<std::string>& problems, const Run& run, bool reference,
                           std::vector<std::string>& left_out);

}  // namespace labreport
