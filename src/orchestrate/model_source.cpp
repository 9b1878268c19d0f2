#include "orchestrate/model_source.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/messages.h"
#include "orchestrate/capture.h"
#include "orchestrate/launch.h"
#include "results/run_json.h"

namespace labreport {
namespace {

constexpr double kLoadLimitSeconds = 600;  // Libraries may be on a slow disk.

constexpr int kRefusedStatus = 2;  // The worker's last line then names the problem.

/// Throws the last line of the worker's messages, which is for the user. Prints the lines before
/// it, which are a traceback.
[[noreturn]] void refuse_model(const CompletedProcess& process, const std::string& model) {
  const std::string line = last_lines(process.messages, 1);
  if (process.exit_status != kRefusedStatus || line.empty()) {
    say("{}", process.messages);
    throw InputError(
        fmt::format("{}'s Python {} before it was loaded", model, describe_end(process)));
  }
  const std::size_t line_begin = process.messages.rfind(line);
  if (line_begin != std::string::npos && line_begin > 0)
    say("{}", process.messages.substr(0, line_begin));
  throw InputError(line);
}

/// Runs the worker with `arguments` and returns its answer about the code `subject`. It sees the
/// GPU with this UUID, or all if that is empty.
std::string ask(const WorkerInfo& worker, const std::vector<std::string>& arguments,
                const std::string& subject, const std::string& gpu_uuid) {
  Command command;
  command.argv = {worker.program.string()};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.environment = worker_environment(/*keep_result_changing=*/false);
  (*command.environment)["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
  if (!gpu_uuid.empty()) (*command.environment)["CUDA_VISIBLE_DEVICES"] = gpu_uuid;
  hide_needless_warnings(*command.environment);
  command.keep_output = true;
  command.limit_seconds = kLoadLimitSeconds;
  const CompletedProcess process = run_to_end(command);
  if (!process.ok() || process.output.empty()) refuse_model(process, subject);
  return process.output;
}

}  // namespace

void hide_needless_warnings(std::map<std::string, std::string>& environment) {
  std::string& filters = environment["PYTHONWARNINGS"];
  filters += (filters.empty() ? "" : ",") + std::string("ignore:Failed to initialize NumPy");
}

ModelSource resolve_model(ModelSource source, const WorkerInfo& worker, const CellSpec& first,
                          const std::string& gpu_uuid) {
  const LaunchRequest request{.spec = first, .model = source};
  const std::string description =
      ask(worker, {"--describe", to_json(request)}, source.model, gpu_uuid);
  read_description(source, description, "what the worker for models says");
  return source;
}

std::string describe_course(const std::string& folder, const WorkerInfo& worker) {
  return ask(worker, {"--course", folder}, folder, "");
}

}  // namespace labreport
