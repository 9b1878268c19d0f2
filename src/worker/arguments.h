// The worker's command line.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace labreport {

struct WorkerArguments {
  bool print_version = false;
  std::filesystem::path request, result;
  bool nvtx = false;
};

/// Accepts `--version` alone, or `--request` and `--result` once each with an optional `--nvtx`.
/// Throws `InputError` on anything else.
WorkerArguments parse_worker_arguments(const std::vector<std::string>& arguments);

}  // namespace labreport
