// Finds the worker beside this program and the description of its build.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/gpu.h"

namespace labreport {

struct WorkerInfo {
  std::filesystem::path program;
  std::string problem;  ///< The reason why the worker was not built; empty if it was.
  std::string python;   ///< "3.11.7"; empty unless it measures models in Python.
  std::string torch;    ///< "2.11.0"; empty if the build left no description.
  std::string cuda;     ///< "13.0"; empty for torch without CUDA.
  std::vector<std::string> architectures;  ///< "sm_90", "compute_120"; empty if unknown.
};

std::filesystem::path program_folder();

/// Returns the project's folder if this executable is in its build folder; otherwise empty.
std::filesystem::path project_folder();

/// Finds LABREPORT_WORKER, or labreport-worker beside this program, with the description beside it.
/// Throws `InputError` if there is none.
WorkerInfo find_worker();

/// Finds LABREPORT_MODEL_WORKER, or labreport-model-worker beside this program, which measures
/// models that are not labreport's own. Throws `InputError` with the reason if it was not built.
WorkerInfo find_model_worker();

/// Returns one line with the reason why the worker cannot run on `gpu` and the remedy; nothing if
/// it can run.
std::optional<std::string> worker_refusal(const WorkerInfo& worker, const Gpu& gpu,
                                          const GpuSurvey& survey);

}  // namespace labreport
