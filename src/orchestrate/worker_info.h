// The worker beside this program: where it is and what it was built with.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/gpu.h"

namespace labreport {

struct WorkerInfo {
  std::filesystem::path program;
  std::string torch;                       ///< "2.11.0"; empty when the build left no description.
  std::string cuda;                        ///< "13.0"; empty: torch without CUDA.
  std::vector<std::string> architectures;  ///< "sm_90", "compute_120"; empty: unknown.
};

/// The folder of this executable.
std::filesystem::path program_folder();

/// The project's folder when this executable lies in its build folder; empty where it does not: the
/// current folder may be anybody's.
std::filesystem::path project_folder();

/// LABREPORT_WORKER, or labreport-worker beside this program, with the description that lies beside
/// it. Throws `InputError` when there is none.
WorkerInfo find_worker();

/// Why the worker cannot run on `gpu`, in one line with the remedy; nothing when it can.
std::optional<std::string> worker_refuses(const WorkerInfo& worker, const Gpu& gpu,
                                          const GpuSurvey& survey);

}  // namespace labreport
