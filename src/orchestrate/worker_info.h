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
  std::string problem;                     ///< Why it was not built; empty: it was.
  std::string python;                      ///< "3.11.7", of the worker for models in Python.
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

/// LABREPORT_MODEL_WORKER, or labreport-model-worker beside this program: what measures models that
/// are not labreport's own. Throws `InputError` with the reason where it was not built.
WorkerInfo find_model_worker();

/// Why the worker cannot run on `gpu`, in one line with the remedy; nothing when it can.
std::optional<std::string> worker_refuses(const WorkerInfo& worker, const Gpu& gpu,
                                          const GpuSurvey& survey);

}  // namespace labreport
