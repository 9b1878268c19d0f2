#include "worker/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "engine/device.h"
#include "engine/host_clock.h"
#include "engine/out_of_memory.h"
#include "engine/rank_group.h"
#include "measure/catalog.h"
#include "measure/timing/start_up.h"
#include "model/network.h"
#include "results/run_json.h"
#include "worker/arguments.h"

namespace labreport {
namespace {

/// Returns the message without the C++ stack that LibTorch appends, which does not help readers.
std::string first_line(std::string_view message) {
  return std::string(message.substr(0, message.find('\n')));
}

Launch failed_launch(const std::string& message) {
  Launch launch;
  launch.outcome = Failed{message};
  return launch;
}

/// Returns the CUDA index of the process's GPU. A step of the user's finds the GPUs of its ranks as
/// torchrun shows them; other ranks see their own GPU first.
int device_index(const LaunchRequest& request) {
  const bool sees_ranks_in_order = request.rendezvous && joins_by_itself(request.spec);
  return sees_ranks_in_order ? static_cast<int>(request.rendezvous->rank) : 0;
}

Launch measure_catching_errors(const LaunchRequest& request, int& status) try {
  const MeasureFunction measure_cell = find_measure_function(request.spec.kind);
  if (request.spec.device == DeviceKind::kCuda) {
    const std::int64_t start = host_now_ns();
    start_device(DeviceKind::kCuda, device_index(request));
    note_device_started(host_now_ns() - start);
  }
  watch_out_of_memory(request.spec.device);
  return measure_cell(request);
} catch (const DeviceError& error) {
  status = kWorkerNoDevice;
  return failed_launch(error.what());
} catch (const GroupError& error) {
  status = kWorkerLostGroup;
  Launch launch = failed_launch(error.what());
  if (error.timed_out()) {
    launch.outcome = TimedOut{request.rendezvous->timeout_seconds};
    launch.warnings.emplace_back(first_line(error.what()));
  }
  return launch;
} catch (const NotOffered& reason) {
  Launch launch;
  launch.outcome = Skipped{reason.what()};
  return launch;
} catch (const UserCodeError& error) {
  Launch launch = failed_launch(error.what());
  if (const auto failure = as_out_of_memory(error)) launch.outcome = *failure;
  launch.warnings.push_back(error.traceback());
  return launch;
} catch (const std::exception& error) {
  Launch launch = failed_launch(first_line(error.what()));
  // This message means that the device starts, but LibTorch has no kernels for it.
  const std::string_view message = error.what();
  if (message.find("no kernel image is available") != message.npos) status = kWorkerNoDevice;
  if (const auto failure = as_out_of_memory(error)) launch.outcome = *failure;
  return launch;
}

int handle_request(const WorkerArguments& arguments, const std::string& python_version,
                   const std::function<std::vector<std::string>()>& notes) {
  const std::string text = read_file(arguments.request);
  LaunchRequest request = request_from_json(text, arguments.request.string());
  request.nvtx = arguments.nvtx;
  int status = kWorkerDone;
  LaunchReport report = measure(request, status);
  report.software.python = python_version;
  try {
    if (notes) std::ranges::move(notes(), std::back_inserter(report.body.warnings));
  } catch (const UserCodeError& refusal) {
    report.body = failed_launch(refusal.what());
  }
  // labreport reads the result at once and syncs a copy, so this file is not synced.
  write_atomically(arguments.result, to_json(report), Sync::kNothing);
  if (status == kWorkerNoDevice) {
    fmt::print(stderr, "labreport-worker: {}\n", describe(report.body.outcome));
  }
  return status;
}

}  // namespace

LaunchReport measure(const LaunchRequest& request, int& status) {
  LaunchReport report;
  report.cell_id = cell_id(request.spec);
  report.launch = request.launch;
  report.body = measure_catching_errors(request, status);
  report.software = describe_software();
  report.device.kind = request.spec.device;
  if (status != kWorkerNoDevice) report.device = describe_device(request.spec.device);
  return report;
}

int run_worker(const std::vector<std::string>& arguments, const std::string& python_version,
               const std::function<std::vector<std::string>()>& notes) try {
  const WorkerArguments parsed = parse_worker_arguments(arguments);
  if (!parsed.print_version) return handle_request(parsed, python_version, notes);
  const Software software = describe_software();
  const nlohmann::ordered_json versions{{"libtorch", software.libtorch},
                                        {"cuda", software.cuda},
                                        {"cublas", software.cublas},
                                        {"cupti", software.cupti},
                                        {"driver", software.driver}};
  fmt::print("{}\n", versions.dump());
  return kWorkerDone;
} catch (const std::exception& error) {
  fmt::print(stderr, "labreport-worker: {}\n", first_line(error.what()));
  return kWorkerBadInput;
}

}  // namespace labreport
