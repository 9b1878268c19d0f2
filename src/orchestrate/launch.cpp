#include "orchestrate/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/format.h"
#include "base/machine.h"
#include "base/nvml.h"
#include "results/launch_file.h"
#include "results/run_json.h"
#include "results/shipped.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr int kDeviceUnusable = 3;  // the worker's exit status if the device is unusable
constexpr std::size_t kMessageLines = 6;
constexpr std::uintmax_t kLargestResult = 64u << 20;  // bytes, as for a run's own files

std::string with_detail(const std::string& text, const std::string& detail) {
  return detail.empty() ? text : text + ": " + detail;
}

/// The outcome of a worker without a usable result; `problem` says what is wrong with the result.
Outcome failure(const Ended& ended, bool kernel_killed, double limit, const std::string& problem) {
  if (ended.timed_out) return TimedOut{limit};
  const std::string words = last_lines(ended.messages, kMessageLines);
  if (ended.signal == SIGKILL && kernel_killed) {
    const std::string held = format_bytes(static_cast<double>(ended.peak_bytes));
    return Crashed{
        ended.signal,
        with_detail("the kernel killed it for want of host memory, of which it held " + held,
                    words)};
  }
  if (ended.signal != 0) return Crashed{ended.signal, words};
  if (ended.exit_status == 0) return Failed{with_detail(problem, words)};
  return Failed{with_detail("the worker " + how_it_ended(ended), words.empty() ? problem : words)};
}

/// Returns the report, or what is wrong with it.
std::variant<LaunchReport, std::string> read_report(const LaunchRequest& request,
                                                    const fs::path& file) {
  std::error_code error;
  const fs::file_status there = fs::symlink_status(file, error);
  if (!fs::exists(there)) return "the worker left no result";
  if (!fs::is_regular_file(there)) return "the worker's result is no plain file";
  try {
    const std::string text = read_plain_file(file, kLargestResult);
    if (!ends_with_brace(text)) return "the worker's result is cut short";
    LaunchReport report = report_from_json(text, "the worker's result");
    const std::string wanted = cell_id(request.spec);
    if (report.cell_id != wanted) {
      return "the worker answered for another cell: " + report.cell_id;
    }
    if (report.launch != request.launch) {
      return fmt::format("the worker answered for launch {} instead of {}", report.launch,
                         request.launch);
    }
    return report;
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

std::string how_it_ended(const Ended& ended) {
  if (ended.timed_out) return "was ended at its time limit";
  if (ended.signal != 0) {
    return fmt::format("died of signal {} ({})", ended.signal, ::strsignal(ended.signal));
  }
  return fmt::format("ended with exit status {}", ended.exit_status);
}

fs::path result_of(const LaunchRequest& request, const RunStore& store) {
  const std::string id = cell_id(request.spec);
  if (!request.rendezvous) return store.result_file(id, request.launch);
  return store.result_file(id, request.launch, request.rendezvous->rank);
}

std::map<std::string, std::string> worker_environment(bool keep) {
  auto variables = current_environment();
  const auto cleared = [](const auto& item) {
    return changes_results(item.first) && !is_needed_by_machine(item.first);
  };
  if (!keep) std::erase_if(variables, cleared);
  const std::string windows = windows_libraries();
  if (windows.empty()) return variables;
  std::string& path = variables["LD_LIBRARY_PATH"];
  path += (path.empty() ? "" : ":") + windows;
  return variables;
}

std::map<std::string, std::string> recorded_environment(bool kept) {
  auto variables = result_changing_environment();
  if (kept) return variables;
  for (auto& [name, value] : variables) {
    if (!is_needed_by_machine(name)) value += " (cleared)";
  }
  return variables;
}

double limit_seconds(const WorkerSetup& worker, double estimate) {
  return std::max(worker.limit_seconds, worker.limit_per_estimate * estimate);
}

Command prepare_launch(LaunchRequest request, const WorkerSetup& worker, const Slot& slot,
                       const RunStore& store, double limit_seconds) {
  const bool own = request.spec.implementation.empty();
  if (!own && !is_shipped(request.spec)) request.model = worker.model;
  const std::string id = cell_id(request.spec);
  const fs::path request_file = fs::absolute(
      request.rendezvous ? store.request_file(id, request.launch, request.rendezvous->rank)
                         : store.request_file(id, request.launch));
  const fs::path result_file = fs::absolute(result_of(request, store));
  for (const fs::path& file : {request_file, result_file}) remove_tree(file);
  write_atomically(request_file, to_json(request), Sync::kNothing);
  Command command;
  command.argv = {(own ? worker.program : worker.model_program).string(), "--request",
                  request_file.string(), "--result", result_file.string()};
  if (worker.nvtx) command.argv.emplace_back("--nvtx");
  command.environment = worker.environment;
  (*command.environment)["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
  (*command.environment)["CUDA_VISIBLE_DEVICES"] = slot.gpu_uuid;
  command.cores = slot.cores;
  command.limit_seconds = limit_seconds;
  return command;
}

Answer judge(const LaunchRequest& request, const fs::path& result_file, const Ended& ended,
             double limit_seconds, bool kernel_killed) {
  Answer answer;
  auto result = read_report(request, result_file);
  if (auto* report = std::get_if<LaunchReport>(&result)) {
    answer.body = std::move(report->body);
    answer.software = std::move(report->software);
    answer.device = std::move(report->device);
    const bool reported =
        ended.exit_status == kDeviceUnusable || ended.exit_status == kLostGroupStatus;
    if (!ended.ok() && !reported) {
      answer.body.warnings.push_back("the worker " + how_it_ended(ended) +
                                     " after its result was complete");
    }
  } else {
    answer.body.outcome =
        failure(ended, kernel_killed, limit_seconds, std::get<std::string>(result));
  }
  answer.device_unusable = ended.signal == 0 && ended.exit_status == kDeviceUnusable;
  answer.body.wall_ns = ended.wall_ns;
  return answer;
}

}  // namespace labreport
