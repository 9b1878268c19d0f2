#include "orchestrate/worker_info.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "results/json_reader.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;
// The oldest drivers for a CUDA of each major version.
constexpr std::pair<int, const char*> kOldestDrivers[] = {{11, "450"}, {12, "525"}, {13, "580"}};

void describe(WorkerInfo& worker) try {
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

WorkerInfo described(const char* variable, const char* beside) {
  WorkerInfo worker;
  const char* named = std::getenv(variable);
  worker.program = named != nullptr ? fs::path(named) : program_folder() / beside;
  describe(worker);
  return worker;
}

bool starts(const WorkerInfo& worker) { return access(worker.program.c_str(), X_OK) == 0; }

int leading_number(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string oldest_driver(int cuda_major) {
  for (const auto& [major, driver] : kOldestDrivers) {
    if (major == cuda_major) return std::string(driver) + " or newer";
  }
  return "the newest";
}

/// Returns advice; empty before CUDA 12, for which labreport knows no torch.
std::string torch_for(int cuda_major) {
  if (cuda_major < 12) return "";
  return fmt::format(
      ", or build the worker with a torch for CUDA {} (`make report` without an activated "
      "environment chooses one; or LIBTORCH, TORCH_PYTHON)",
      cuda_major);
}

/// True if the GPU can run the code: "sm_90" is machine code for 9.x with x >= 0, "sm_90a" for 9.0
/// only, "compute_90" text that any later chip can translate.
bool runs_on(const std::string& architecture, const Gpu& gpu) {
  const auto underscore = architecture.find('_');
  if (underscore == std::string::npos) return false;
  const int number = leading_number(architecture.substr(underscore + 1));
  const int chip = gpu.compute_major * 10 + gpu.compute_minor;
  const char last = architecture.back();
  if (last == 'a') return chip == number;
  if (architecture.starts_with("compute_")) return chip >= number;
  return chip / 10 == number / 10 && chip >= number;
}

}  // namespace

fs::path program_folder() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

fs::path project_folder() {
  const fs::path project = program_folder().parent_path().parent_path();
  std::error_code unreadable;
  return fs::exists(project / "CMakePresets.json", unreadable) ? project : fs::path();
}

WorkerInfo find_worker() {
  WorkerInfo worker = described("LABREPORT_WORKER", "labreport-worker");
  if (starts(worker)) return worker;
  throw InputError("the worker " + worker.program.string() + " is not there",
                   "build it with `make report`, or name it in LABREPORT_WORKER");
}

WorkerInfo find_model_worker() {
  WorkerInfo worker = described("LABREPORT_MODEL_WORKER", "labreport-model-worker");
  if (!worker.problem.empty()) throw InputError(worker.problem);
  if (starts(worker)) return worker;
  throw InputError("the worker for models, " + worker.program.string() + ", is not there",
                   "build it with `make report`");
}

std::optional<std::string> worker_refuses(const WorkerInfo& worker, const Gpu& gpu,
                                          const GpuSurvey& survey) {
  if (worker.torch.empty()) return std::nullopt;
  if (worker.cuda.empty()) {
    return fmt::format(
        "there is an {}, but the worker was built with a torch {} without CUDA; build it with a "
        "torch that has CUDA (LIBTORCH or TORCH_PYTHON)",
        gpu.name, worker.torch);
  }
  const int needed = leading_number(worker.cuda);
  if (!survey.cuda.empty() && leading_number(survey.cuda) < needed) {
    return fmt::format(
        "the driver {} supports CUDA {}, but the worker's torch {} needs CUDA {}; install driver "
        "{}{}",
        survey.driver, survey.cuda, worker.torch, worker.cuda, oldest_driver(needed),
        torch_for(leading_number(survey.cuda)));
  }
  const auto& built = worker.architectures;
  const bool supported =
      std::any_of(built.begin(), built.end(), [&](const auto& name) { return runs_on(name, gpu); });
  if (built.empty() || supported) return std::nullopt;
  return fmt::format(
      "{} has compute capability {}, but the worker's torch {} was built for {}; choose another "
      "GPU "
      "with --gpus, or build the worker with a torch for this one (`make report` without an "
      "activated environment chooses one; or LIBTORCH, TORCH_PYTHON)",
      gpu.name, gpu.compute_capability(), worker.torch, join(built, ", "));
}

}  // namespace labreport
