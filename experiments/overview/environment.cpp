#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "experiments/common/timing.h"
#include "experiments/overview/overview.h"
#include "plan/planner.h"
#include "results/make_words.h"

namespace labreport::overview {
namespace {

constexpr std::size_t kRevisionDigits = 8;

std::string revision_words(const Session& session) {
  if (session.revision.empty()) return "unknown";
  return session.revision.substr(0, kRevisionDigits) + (session.dirty ? " (dirty)" : "");
}

std::string memory_words(const Device& device) {
  return format_fixed(static_cast<double>(device.memory_bytes) / kBytesPerGibibyte, 1) + " GiB";
}

void add(TableView& table, const std::string& what, const std::string& value) {
  if (!value.empty()) table.rows.push_back({{what, value}, {}});
}

std::string yes_or_no(const std::optional<bool>& value) {
  return !value ? "" : *value ? "on" : "off";
}

/// "limits, timing small 512, kernels small": the cells that ran on the device, in few words.
std::string measured_on(const Run& run, std::int64_t device) {
  std::vector<std::string> all;
  for (const Cell& cell : run.cells) {
    const bool here = std::ranges::any_of(
        cell.launches, [&](const Launch& launch) { return launch.device == device; });
    std::string words(name(cell.spec.kind));
    if (cell.spec.model) words += " " + cell.spec.size;
    if (cell.spec.kind == CellKind::kTiming)
      words += fmt::format(" {}", cell.spec.context.value_or(0));
    if (here && std::ranges::find(all, words) == all.end()) all.push_back(words);
  }
  return join(all, ", ");
}

void add_device(TableView& table, const Run& run, std::size_t index) {
  const Device& device = run.devices[index];
  const bool gpu = device.kind == DeviceKind::kCuda;
  add(table, gpu ? "GPU" : "CPU", device_words(run, device) + ", " + memory_words(device));
  if (run.devices.size() > 1) {
    add(table, "Measured on it", measured_on(run, static_cast<std::int64_t>(index)));
  }
  add(table, "Compute capability", device.compute_capability);
  if (device.multiprocessors > 0 && gpu) {
    add(table, "SMs", format_count(device.multiprocessors));
  }
  if (device.max_sm_clock_mhz > 0) {
    add(table, "Clocks",
        fmt::format("up to {} MHz, memory {} MHz", format_count(device.max_sm_clock_mhz),
                    format_count(device.max_memory_clock_mhz)));
  }
  if (device.power_limit_mw > 0) {
    add(table, "Power limit", format_count(device.power_limit_mw / 1000) + " W");
  }
  add(table, "ECC", yes_or_no(device.ecc));
  add(table, "MIG", yes_or_no(device.mig));
}

void add_session(TableView& table, const Session& session, bool gpu) {
  const Software& software = session.software;
  add(table, "Started", session.started_at);
  add(table, "Revision", revision_words(session));
  add(table, "Host", session.host);
  add(table, "Host CPU", fmt::format("{}, {}", session.cpu, format_plural(session.cores, "core")));
  if (gpu) {  // A demonstration on a CPU uses none of these.
    add(table, "Driver", software.driver);
    add(table, "CUDA", software.cuda);
    add(table, "cuBLAS", software.cublas);
    add(table, "CUPTI", software.cupti);
  }
  add(table, "LibTorch", software.libtorch);
  add(table, "Python", software.python);
  if (const auto& model = session.model) {
    add(table, model->attention ? "Attention" : "Model",
        model->model + " (" + model->implementation + ")");
    add(table, "Its arguments", model->arguments);
    add(table, "Loss", model->loss);
    add(table, "Optimizer", model->optimizer);
  }
  add(table, "Seed", std::to_string(session.seed));
  for (const auto& [variable, value] : session.environment) {
    add(table, variable, value.empty() ? "empty" : value);
  }
  add(table, "Command", join(session.argv, " "));
}

using Cells = std::vector<const Cell*>;

/// Distinct values of one parameter over all cells that have it, smallest first.
template <typename Get>
std::string distinct(const Cells& cells, Get get) {
  std::set<std::int64_t> values;
  for (const Cell* cell : cells) {
    if (const std::optional<std::int64_t> value = get(cell->spec)) values.insert(*value);
  }
  std::vector<std::string> words;
  for (const std::int64_t value : values) words.push_back(format_count(value));
  return join_words(words);
}

/// "FP32, TF32 off", on a CPU "FP32"; empty where no cell has a precision.
std::string precision_flags(const Cells& cells, bool gpu) {
  std::set<Precision> used;
  for (const Cell* cell : cells) {
    if (cell->spec.precision) used.insert(*cell->spec.precision);
  }
  if (used.empty()) return "";
  std::vector<std::string> words;
  for (const Precision precision : used) words.emplace_back(describe(precision));
  return join_words(words) + (used.contains(Precision::kTf32) || !gpu ? "" : ", TF32 off");
}

/// Removes flags with the value that `make` chooses by itself, and the number of a single GPU,
/// which changes no result.
Request without_defaults(Request request) {
  const auto reset = [](std::optional<std::string>& text, bool needless) {
    if (needless) text.reset();
  };
  reset(request.edition, request.edition == editions().front().name);
  reset(request.preset, request.preset != "quick" && request.preset != "demo");
  reset(request.gpus,
        request.gpus != "all" && request.gpus.value_or("").find(',') == std::string::npos);
  return request;
}

void add_parameter(Setting& setting, const std::string& what, const std::string& values) {
  if (!values.empty()) setting.emplace_back(what, what + " " + values);
}

}  // namespace

TableView environment(const RunView& view) {
  TableView table{
      "environment", "Environment", {{"What", "", Align::kLeft}, {"Value", "", Align::kLeft}}, {}};
  for (std::size_t i = 0; i < view.run().devices.size(); ++i) add_device(table, view.run(), i);
  for (const Session& session : view.run().sessions) add_session(table, session, view.on_gpu());
  return table;
}

std::string provenance(const RunView& view) {
  const Run& run = view.run();
  if (run.sessions.empty()) return "";
  std::vector<std::string> parts{"revision " + revision_words(run.sessions.front())};
  const auto add_version = [&](const std::string& what, const std::string& version) {
    if (!version.empty()) parts.push_back(what + " " + version);
  };
  const Software& software = run.sessions.back().software;
  if (std::ranges::count(run.devices, DeviceKind::kCuda, &Device::kind) > 0) {
    add_version("driver", software.driver);
    add_version("CUDA", software.cuda);
  }
  add_version("LibTorch", software.libtorch);
  add_version("Python", software.python);
  return join(parts, " · ");
}

Setting setting(const RunView& view, Cells cells) {
  if (cells.empty()) {
    for (const Cell& cell : view.run().cells) cells.push_back(&cell);
  }
  Setting setting;
  if (const Device* device = view.device()) {
    setting.emplace_back("device", device->name + ", " + memory_words(*device));
  }
  const std::string precisions = precision_flags(cells, view.on_gpu());
  if (!precisions.empty()) setting.emplace_back("precision", precisions);
  add_parameter(setting, "batch", distinct(cells, [](const CellSpec& spec) {
                  return spec.ranks ? std::nullopt : spec.batch;
                }));
  add_parameter(setting, "batch of each rank", distinct(cells, [](const CellSpec& spec) {
                  return spec.ranks ? spec.batch : std::nullopt;
                }));
  add_parameter(setting, "vocabulary", distinct(cells, [](const CellSpec& spec) {
                  return spec.model ? std::optional(spec.model->vocab) : std::nullopt;
                }));
  add_parameter(setting, "context",
                distinct(cells, [](const CellSpec& spec) { return spec.context; }));
  if (!precisions.empty()) setting.emplace_back("±", "± is the sample standard deviation (n − 1)");
  return setting;
}

std::string reproduce(const Run& run) {
  std::string checkout;
  if (!run.sessions.empty() && !run.sessions.front().revision.empty()) {
    const Session& session = run.sessions.front();
    checkout = "git checkout " + session.revision +
               (session.dirty ? "  # and the changes that were not committed" : "") + "\n";
  }
  return checkout + "make report" + makefile_arguments(given_flags(without_defaults(original_request(run))));
}

}  // namespace labreport::overview
