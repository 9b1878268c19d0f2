#include "orchestrate/model_source.h"

#include "base/error.h"
#include "base/messages.h"
#include "orchestrate/capture.h"
#include "orchestrate/launch.h"
#include "results/run_json.h"

namespace labreport {
namespace {

constexpr double kPatienceSeconds = 600;  // for libraries on a disk that may be slow

/// The last line of what a worker says is for its user; what stands before is where it comes from.
[[noreturn]] void refuse(const Ended& ended) {
  const std::string line = last_lines(ended.messages, 1);
  const std::size_t before = ended.messages.rfind(line);
  if (before != std::string::npos && before > 0) say("{}", ended.messages.substr(0, before));
  throw InputError(line.empty() ? "the worker for models died without a word" : line);
}

}  // namespace

ModelSource resolved(ModelSource source, const WorkerInfo& worker) {
  Command command;
  command.argv = {worker.program.string(), "--describe", to_json(source)};
  command.environment = worker_environment(/*keep=*/false);
  command.keep_output = true;
  command.limit_seconds = kPatienceSeconds;
  const Ended ended = run_to_end(command);
  if (!ended.ok()) refuse(ended);
  source.implementation = implementation_from_json(ended.output, "what the worker for models says");
  return source;
}

}  // namespace labreport
