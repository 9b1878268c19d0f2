#include "orchestrate/model_source.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/messages.h"
#include "orchestrate/capture.h"
#include "orchestrate/launch.h"
#include "results/run_json.h"

namespace labreport {
namespace {

constexpr double kPatienceSeconds = 600;  // libraries may be on a slow disk

constexpr int kRefused = 2;  // the worker's exit status for a problem that its last line names

/// Throws with the last line of the worker's messages, which is for the user, and prints the lines
/// before it, a traceback.
[[noreturn]] void refuse(const Ended& ended, const std::string& model) {
  const std::string line = last_lines(ended.messages, 1);
  if (ended.exit_status != kRefused || line.empty()) {
    say("{}", ended.messages);
    throw InputError(
        fmt::format("{}'s Python {} before it was loaded", model, how_it_ended(ended)));
  }
  const std::size_t before = ended.messages.rfind(line);
  if (before != std::string::npos && before > 0) say("{}", ended.messages.substr(0, before));
  throw InputError(line);
}

}  // namespace

void hide_needless_warnings(std::map<std::string, std::string>& environment) {
  std::string& filters = environment["PYTHONWARNINGS"];
  filters += (filters.empty() ? "" : ",") + std::string("ignore:Failed to initialize NumPy");
}

ModelSource resolved(ModelSource source, const WorkerInfo& worker) {
  Command command;
  command.argv = {worker.program.string(), "--describe", to_json(source)};
  command.environment = worker_environment(/*keep=*/false);
  hide_needless_warnings(*command.environment);
  command.keep_output = true;
  command.limit_seconds = kPatienceSeconds;
  const Ended ended = run_to_end(command);
  if (!ended.ok() || ended.output.empty()) refuse(ended, source.model);
  source.implementation = implementation_from_json(ended.output, "what the worker for models says");
  return source;
}

}  // namespace labreport
