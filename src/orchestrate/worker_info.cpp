#include "orchestrate/worker_info.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "results/json_reader.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

// The oldest driver that supports each major version of CUDA.
constexpr std::pair<int, const char*> kOldestDrivers[] = {{11, "450"}, {12, "525"}, {13, "580"}};

void read_description(WorkerInfo& worker) try {
  const fs::path file = worker.program.string() + ".json";
  if (!fs::exists(file)) return;
  const JsonDocument document = parse_json(read_file(file), file.string());
  const JsonReader json(document);
  if (const auto problem = json.find_non_null("problem")) worker.problem = problem->text();
  if (const auto python = json.find_non_null("python")) worker.python = python->text();
  if (const auto torch = json.find_non_null("torch")) worker.torch = torch->text();
  if (const auto cuda = json.find_non_null("cuda")) worker.cuda = cuda->text();
  if (const auto architectures = json.find_non_null("architectures")) {
    architectures->for_each_item(
        [&](const JsonReader& name) { worker.architectures.push_back(name.text()); });
  }
} catch (const InputError& error) {
  throw InputError(error.what(), "build the worker again");
}

WorkerInfo locate_worker(const char* variable, const char* default_name) {
  WorkerInfo worker;
  const char* path = std::getenv(variable);
  worker.program = path != nullptr ? fs::path(path) : program_folder() / default_name;
  read_description(worker);
  return worker;
}

bool is_executable(const WorkerInfo& worker) { return access(worker.program.c_str(), X_OK) == 0; }

/// Returns the major version; 0 if there is none.
int major_of(std::string_view version) { return leading_number<int>(version).value_or(0); }

std::string driver_to_install(int cuda_major) {
  for (const auto& [major, driver] : kOldestDrivers) {
    if (major == cuda_major) return std::string(driver) + " or newer";
  }
  return "the newest";
}

/// Returns how to get a worker for this CUDA; empty before CUDA 12, for which setup/ has no torch.
std::string torch_advice(int cuda_major) {
  if (cuda_major < 12) return "";
  return fmt::format(
      ", or build the worker with a torch for CUDA {} (`make report` without an activated "
      "environment chooses one; or LIBTORCH, TORCH_PYTHON)",
      cuda_major);
}

/// True if the GPU can run code for `architecture`: "sm_90" is machine code for 9.x with x >= 0,
/// "sm_90a" is for 9.0 only, and "compute_90" is PTX, which any later GPU can translate.
bool runs_on(const std::string& architecture, const Gpu& gpu) {
  const auto underscore = architecture.find('_');
  if (underscore == std::string::npos) return false;
  const int built_capability = leading_number<int>(architecture.substr(underscore + 1)).value_or(0);
  const int capability = gpu.compute_major * 10 + gpu.compute_minor;
  if (architecture.ends_with('a')) return capability == built_capability;
  if (architecture.starts_with("compute_")) return capability >= built_capability;
  return capability / 10 == built_capability / 10 && capability >= built_capability;
}

}  // namespace

fs::path program_folder() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

fs::path project_folder() {
  const fs::path project = program_folder().parent_path().parent_path();
  std::error_code ignored;
  return fs::exists(project / "CMakePresets.json", ignored) ? project : fs::path();
}

WorkerInfo find_worker() {
  WorkerInfo worker = locate_worker("LABREPORT_WORKER", "labreport-worker");
  if (is_executable(worker)) return worker;
  throw InputError("the worker " + worker.program.string() + " is not there",
                   "build it with `make report`, or name it in LABREPORT_WORKER");
}

WorkerInfo find_model_worker() {
  WorkerInfo worker = locate_worker("LABREPORT_MODEL_WORKER", "labreport-model-worker");
  if (!worker.problem.empty()) throw InputError(worker.problem);
  if (is_executable(worker)) return worker;
  throw InputError("the worker for models, " + worker.program.string() + ", is not there",
                   "build it with `make report`");
}

std::optional<std::string> worker_refusal(const WorkerInfo& worker, const Gpu& gpu,
                                          const GpuSurvey& survey) {
  if (worker.torch.empty()) return std::nullopt;
  if (worker.cuda.empty()) {
    return fmt::format(
        "there is an {}, but the worker was built with a torch {} without CUDA; build it with a "
        "torch that has CUDA (LIBTORCH or TORCH_PYTHON)",
        gpu.name, worker.torch);
  }
  const int needed_cuda = major_of(worker.cuda);
  if (!survey.cuda.empty() && major_of(survey.cuda) < needed_cuda) {
    return fmt::format(
        "the driver {} supports CUDA {}, but the worker's torch {} needs CUDA {}; install driver "
        "{}{}",
        survey.driver, survey.cuda, worker.torch, worker.cuda, driver_to_install(needed_cuda),
        torch_advice(major_of(survey.cuda)));
  }
  const auto& architectures = worker.architectures;
  const bool is_supported =
      std::ranges::any_of(architectures, [&](const auto& name) { return runs_on(name, gpu); });
  if (architectures.empty() || is_supported) return std::nullopt;
  return fmt::format(
      "{} has compute capability {}, but the worker's torch {} was built for {}; choose another "
      "GPU with --gpus, or build the worker with a torch for this one (`make report` without an "
      "activated environment chooses one; or LIBTORCH, TORCH_PYTHON)",
      gpu.name, gpu.compute_capability(), worker.torch, join(architectures, ", "));
}

}  // namespace labreport
