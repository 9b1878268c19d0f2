#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "experiments/common/timing.h"
#include "experiments/overview/overview.h"
#include "experiments/users_code.h"
#include "plan/editions.h"
#include "plan/planner.h"
#include "results/makefile_arguments.h"
#include "results/run_labels.h"

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

/// Names and words of the environment.
using NamedWords = std::vector<std::pair<std::string, std::string>>;

void add_row(NamedWords& facts, const std::string& name, const std::string& value) {
  if (!value.empty()) facts.emplace_back(name, value);
}

std::string on_or_off(const std::optional<bool>& value) {
  return !value ? "" : *value ? "on" : "off";
}

/// Names the cells that ran on the device: "limits, timing small 512, kernels small".
std::string cells_measured_on(const Run& run, std::int64_t device) {
  std::vector<std::string> all;
  for (const Cell& cell : run.cells) {
    const bool ran_on_device = std::ranges::any_of(
        cell.launches, [&](const Launch& launch) { return launch.device == device; });
    std::string words(name(cell.spec.kind));
    if (cell.spec.model) words += " " + cell.spec.size;
    if (cell.spec.kind == CellKind::kTiming)
      words += fmt::format(" {}", cell.spec.context.value_or(0));
    if (ran_on_device && std::ranges::find(all, words) == all.end()) all.push_back(words);
  }
  return join(all, ", ");
}

void add_device(NamedWords& facts, const Run& run, const Device& device) {
  const bool gpu = device.kind == DeviceKind::kCuda;
  add_row(facts, gpu ? "GPU" : "CPU", device_words(run, device) + ", " + memory_words(device));
  add_row(facts, "Compute capability", device.compute_capability);
  if (device.multiprocessors > 0 && gpu)
    add_row(facts, "SMs", format_count(device.multiprocessors));
  if (device.max_sm_clock_mhz > 0) {
    add_row(facts, "Clocks",
            fmt::format("up to {} MHz, memory {} MHz", format_count(device.max_sm_clock_mhz),
                        format_count(device.max_memory_clock_mhz)));
  }
  if (device.power_limit_mw > 0)
    add_row(facts, "Power limit", format_count(device.power_limit_mw / 1000) + " W");
  add_row(facts, "ECC", on_or_off(device.ecc));
  add_row(facts, "MIG", on_or_off(device.mig));
}

void add_host(NamedWords& facts, const Session& session, bool gpu) {
  const Software& software = session.software;
  add_row(facts, "Host CPU",
          fmt::format("{}, {}", session.cpu, format_plural(session.cores, "core")));
  if (gpu) {  // A demonstration on a CPU uses none of these.
    add_row(facts, "Driver", software.driver);
    add_row(facts, "CUDA", software.cuda);
    add_row(facts, "cuBLAS", software.cublas);
    add_row(facts, "CUPTI", software.cupti);
  }
  add_row(facts, "LibTorch", software.libtorch);
  add_row(facts, "Python", software.python);
}

void add_session(NamedWords& facts, const Session& session, bool gpu) {
  add_row(facts, "Started", session.started_at);
  add_row(facts, "Revision", revision_words(session));
  add_row(facts, "Host", session.host);
  add_host(facts, session, gpu);
  for (const ModelSource* code : code_of(session)) {
    add_row(facts,
            code->attention ? "Attention"
            : code->part    ? "Part of the step"
            : code->step    ? "Step"
                            : "Model",
            code->model + " (" + code->implementation + ")");
    add_row(facts, "Its arguments", code->arguments);
    add_row(facts, "Loss", code->loss);
    add_row(facts, "Optimizer", code->optimizer);
  }
  add_row(facts, "Seed", std::to_string(session.seed));
  for (const auto& [variable, value] : session.environment) {
    add_row(facts, variable, value.empty() ? "empty" : value);
  }
  add_row(facts, "Command", join(session.argv, " "));
}

using Cells = std::vector<const Cell*>;

/// Lists the distinct values of one parameter over all cells that have it, smallest first.
template <typename Get>
std::string distinct_values(const Cells& cells, Get get) {
  std::set<std::int64_t> values;
  for (const Cell* cell : cells) {
    if (const std::optional<std::int64_t> value = get(cell->spec)) values.insert(*value);
  }
  std::vector<std::string> words;
  for (const std::int64_t value : values) words.push_back(format_count(value));
  return join_words(words);
}

/// Returns "FP32 and BF16, TF32 off", without TF32 on a CPU; empty if no cell has a precision.
std::string precision_words(const Cells& cells, bool gpu) {
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
  if (request.course) request = with_code(request, {.compile = request.compile});
  if (request.edition == editions().front().name) request.edition.reset();
  if (request.preset != kPresetQuick && request.preset != kPresetDemo) request.preset.reset();
  const bool names_several_gpus =
      request.gpus == "all" || request.gpus.value_or("").find(',') != std::string::npos;
  if (!names_several_gpus) request.gpus.reset();
  return request;
}

void add_parameter(Settings& settings, const std::string& name, const std::string& values) {
  if (!values.empty()) settings.emplace_back(name, name + " " + values);
}

/// Says what other editions call the networks of the run, where they use other words: "2.7B is xl
/// in the 2026 edition".
std::string words_of_other_editions(const RunView& view) {
  std::vector<std::string> words;
  for (const Size& size : view.edition().sizes) {
    const auto has_size = [&](const Cell& cell) {
      return cell.spec.size == size.name && cell.spec.model == size.shape;
    };
    if (std::ranges::none_of(view.run().cells, has_size)) continue;
    for (const Edition& other : editions()) {
      for (const Size& same : other.sizes) {
        if (same.shape == size.shape && same.name != size.name)
          words.push_back(size.name + " is " + same.name + " in the " + other.name + " edition");
      }
    }
  }
  return join_words(words);
}

}  // namespace

TableView environment_table(const RunView& view) {
  const Run& run = view.run();
  NamedWords facts;
  for (std::size_t i = 0; i < run.devices.size(); ++i) {
    add_device(facts, run, run.devices[i]);
    if (run.devices.size() > 1)
      add_row(facts, "Measured on it", cells_measured_on(run, static_cast<std::int64_t>(i)));
  }
  for (const Session& session : run.sessions) add_session(facts, session, view.on_gpu());
  TableView table{
      "environment", "Environment", {{"What", "", Align::kLeft}, {"Value", "", Align::kLeft}}, {}};
  for (const auto& [name, value] : facts) table.rows.push_back({{name, value}, {}});
  return table;
}

NamedWords machine_facts(const RunView& view) {
  NamedWords facts;
  if (view.device() != nullptr) add_device(facts, view.run(), *view.device());
  if (!view.run().sessions.empty()) add_host(facts, view.run().sessions.back(), view.on_gpu());
  return facts;
}

std::string provenance(const RunView& view) {
  const Run& run = view.run();
  if (run.sessions.empty()) return "";
  std::vector<std::string> parts{"revision " + revision_words(run.sessions.front())};
  const auto add_version = [&](const std::string& name, const std::string& version) {
    if (!version.empty()) parts.push_back(name + " " + version);
  };
  const Software& software = run.sessions.back().software;
  if (std::ranges::count(run.devices, DeviceKind::kCuda, &Device::kind) > 0) {
    add_version("driver", software.driver);
    add_version("CUDA", software.cuda);
  }
  add_version("LibTorch", software.libtorch);
  add_version("Python", software.python);
  const std::string other_words = words_of_other_editions(view);
  if (!other_words.empty()) parts.push_back(other_words);
  return join(parts, " · ");
}

Settings settings_of(const RunView& view, Cells cells) {
  if (cells.empty()) {
    for (const Cell& cell : view.run().cells) cells.push_back(&cell);
  }
  Settings settings;
  if (const Device* device = view.device()) {
    settings.emplace_back("device", device->name + ", " + memory_words(*device));
  }
  const std::string precisions = precision_words(cells, view.on_gpu());
  if (!precisions.empty()) settings.emplace_back("precision", precisions);
  add_parameter(settings, "batch", distinct_values(cells, [](const CellSpec& spec) {
                  return spec.ranks ? std::nullopt : spec.batch;
                }));
  add_parameter(settings, "batch of each rank", distinct_values(cells, [](const CellSpec& spec) {
                  return spec.ranks ? spec.batch : std::nullopt;
                }));
  add_parameter(settings, "vocabulary", distinct_values(cells, [](const CellSpec& spec) {
                  return spec.model ? std::optional(spec.model->vocab) : std::nullopt;
                }));
  add_parameter(settings, "context",
                distinct_values(cells, [](const CellSpec& spec) { return spec.context; }));
  if (!precisions.empty()) settings.emplace_back("±", "± is the sample standard deviation (n − 1)");
  return settings;
}

std::string repeating_commands(const Run& run) {
  std::string checkout;
  if (!run.sessions.empty() && !run.sessions.front().revision.empty()) {
    const Session& session = run.sessions.front();
    checkout = "git checkout " + session.revision +
               (session.dirty ? "  # and the changes that were not committed" : "") + "\n";
  }
  const bool is_course = !run.sessions.empty() && run.sessions.back().request.course;
  const Request request = is_course ? run.sessions.back().request : original_request(run);
  return checkout + "make report" + makefile_arguments(given_flags(without_defaults(request)));
}

}  // namespace labreport::overview
