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
#include "orchestrate/model_source.h"
#include "results/launch_file.h"
#include "results/run_json.h"
#include "results/shipped_variant.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr int kDeviceUnusableStatus = 3;  // The worker exits with this status.
constexpr std::size_t kShownMessageLines = 6;
constexpr std::uintmax_t kMaxResultBytes = 64u << 20;  // A run's own files have this limit, too.

std::string with_detail(const std::string& text, const std::string& detail) {
  return detail.empty() ? text : text + ": " + detail;
}

/// Returns the messages before the Python stack that a crash prints.
std::string_view before_python_stack(std::string_view messages) {
  return messages.substr(0, messages.find("Fatal Python error: "));
}

/// Returns the outcome of a worker without a usable result file; `result_problem` says what is
/// wrong.
Outcome outcome_without_result(const CompletedProcess& process, bool host_ran_out_of_memory,
                               double limit_seconds, const std::string& result_problem) {
  if (process.timed_out) return TimedOut{limit_seconds};
  const std::string last_messages =
      last_lines(before_python_stack(process.messages), kShownMessageLines);
  if (process.signal == SIGKILL && host_ran_out_of_memory) {
    const std::string peak_memory = format_bytes(static_cast<double>(process.peak_bytes));
    return Crashed{
        process.signal,
        with_detail("the kernel killed it for want of host memory, of which it held " + peak_memory,
                    last_messages)};
  }
  if (process.signal != 0) return Crashed{process.signal, last_messages};
  if (process.exit_status == 0) return Failed{with_detail(result_problem, last_messages)};
  return Failed{with_detail("the worker " + describe_end(process),
                            last_messages.empty() ? result_problem : last_messages)};
}

/// Returns the worker's report, or the problem of its result file.
std::variant<LaunchReport, std::string> read_report(const LaunchRequest& request,
                                                    const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(file, error);
  if (!fs::exists(status)) return "the worker left no result";
  if (!fs::is_regular_file(status)) return "the worker's result is no plain file";
  try {
    const std::string text = read_plain_file(file, kMaxResultBytes);
    if (!ends_with_brace(text)) return "the worker's result is cut short";
    LaunchReport report = report_from_json(text, "the worker's result");
    const std::string requested_id = cell_id(request.spec);
    if (report.cell_id != requested_id) {
      return "the worker answered for another cell: " + report.cell_id;
    }
    if (report.launch != request.launch) {
      return fmt::format("the worker answered for launch {} instead of {}", report.launch,
                         request.launch);
    }
    return report;
  } catch (const Error& failure) {
    return failure.what();
  }
}

}  // namespace

std::string describe_end(const CompletedProcess& process) {
  if (process.timed_out) return "was ended at its time limit";
  if (process.signal != 0) {
    return fmt::format("died of signal {} ({})", process.signal, ::strsignal(process.signal));
  }
  return fmt::format("ended with exit status {}", process.exit_status);
}

std::map<std::string, std::string> worker_environment(bool keep_result_changing) {
  auto variables = current_environment();
  const auto is_cleared = [](const auto& item) {
    return changes_results(item.first) && !is_needed_by_machine(item.first);
  };
  if (!keep_result_changing) std::erase_if(variables, is_cleared);
  const std::string windows_folder = windows_library_folder();
  if (windows_folder.empty()) return variables;
  std::string& library_path = variables["LD_LIBRARY_PATH"];
  library_path += (library_path.empty() ? "" : ":") + windows_folder;
  return variables;
}

std::map<std::string, std::string> recorded_environment(bool keep_result_changing) {
  auto variables = result_changing_environment();
  if (keep_result_changing) return variables;
  for (auto& [name, value] : variables) {
    if (!is_needed_by_machine(name)) value += " (cleared)";
  }
  return variables;
}

double launch_limit_seconds(const WorkerSetup& worker, double estimated_seconds) {
  return std::max(worker.min_limit_seconds, worker.limit_per_estimate * estimated_seconds);
}

Command prepare_launch(LaunchRequest request, const WorkerSetup& worker, const Slot& slot,
                       const RunStore& store, double limit_seconds) {
  const bool has_implementation = !request.spec.implementation.empty();
  if (has_implementation && !is_shipped(request.spec)) {
    const auto attention = std::ranges::find(worker.more_attentions, request.spec.implementation,
                                             &ModelSource::implementation);
    request.model =
        attention == worker.more_attentions.end() ? worker.model : std::optional(*attention);
  }
  const fs::path request_file = fs::absolute(store.request_file(request));
  const fs::path result_file = fs::absolute(store.result_file(request));
  for (const fs::path& file : {request_file, result_file}) remove_tree(file);
  write_atomically(request_file, to_json(request), Sync::kNothing);
  Command command;
  command.argv = {(has_implementation ? worker.model_program : worker.program).string(),
                  "--request", request_file.string(), "--result", result_file.string()};
  if (worker.nvtx) command.argv.emplace_back("--nvtx");
  command.environment = worker.environment;
  if (has_implementation) hide_needless_warnings(*command.environment);
  (*command.environment)["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
  (*command.environment)["CUDA_VISIBLE_DEVICES"] = slot.gpu_uuids;
  if (request.rendezvous) {
    // NCCL's watchdog waits four times this long for a dump before it ends a rank whose collective
    // is lost. The default is 15 seconds.
    (*command.environment)["TORCH_NCCL_DUMP_ON_TIMEOUT"] = "0";
    (*command.environment)["TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC"] = "500";
  }
  command.cores = slot.cores;
  command.limit_seconds = limit_seconds;
  return command;
}

LaunchResult judge_launch(const LaunchRequest& request, const fs::path& result_file,
                          const CompletedProcess& process, double limit_seconds,
                          bool host_ran_out_of_memory) {
  LaunchResult result;
  auto report_or_problem = read_report(request, result_file);
  if (auto* report = std::get_if<LaunchReport>(&report_or_problem)) {
    result.launch = std::move(report->body);
    result.software = std::move(report->software);
    result.device = std::move(report->device);
    const bool outcome_explains_status = process.exit_status == kDeviceUnusableStatus ||
                                         process.exit_status == kCollectiveFailedStatus;
    if (!process.ok() && !outcome_explains_status) {
      result.launch.warnings.push_back("the worker " + describe_end(process) +
                                       " after its result was complete");
    }
  } else {
    result.launch.outcome = outcome_without_result(process, host_ran_out_of_memory, limit_seconds,
                                                   std::get<std::string>(report_or_problem));
  }
  result.is_device_unusable = process.signal == 0 && process.exit_status == kDeviceUnusableStatus;
  result.launch.wall_ns = process.wall_ns;
  return result;
}

}  // namespace labreport
