// labreport doctor: what is here, what is missing, what to do.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "base/build_info.h"
#include "base/format.h"
#include "base/machine.h"
#include "base/text.h"
#include "cli/verbs.h"
#include "orchestrate/subprocess.h"
#include "orchestrate/worker_info.h"
#include "publish/helper_python.h"
#include "publish/scratch_folder.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr double kPatienceSeconds = 60;
constexpr std::int64_t kComfortableDiskBytes = 8LL << 30;

/// One line of the list. What is needed and missing makes `make report` fail.
struct Finding {
  enum Kind { kHere, kMissing, kNeeded } kind;
  std::string what;
  std::string words;
};
using Findings = std::vector<Finding>;

Ended call(std::vector<std::string> argv) {
  Command command;
  command.argv = std::move(argv);
  command.keep_output = true;
  command.limit_seconds = kPatienceSeconds;
  try {
    return run_to_end(command);
  } catch (const InputError& error) {
    Ended absent;
    absent.exit_status = 127;
    absent.messages = error.what();
    return absent;
  }
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string bytes(std::int64_t count) { return format_bytes(static_cast<double>(count)); }

bool is_on_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path == nullptr ? "" : path, ':')) {
    if (fs::exists(fs::path(folder) / name)) return true;
  }
  return false;
}

void look_at_program(Findings& findings) {
  const BuildInfo& build = build_info();
  findings.push_back({Finding::kHere, "labreport",
                      fmt::format("{}, revision {}{}", build.version, build.revision.substr(0, 12),
                                  build.dirty ? " with uncommitted changes" : "")});
  const Ended compiler = call({"g++", "--version"});
  findings.push_back(compiler.ok()
                         ? Finding{Finding::kHere, "compiler", first_line(compiler.output)}
                         : Finding{Finding::kMissing, "compiler",
                                   "no g++: nothing can be built anew; install g++ 12 or newer"});
}

void look_at_worker(Findings& findings) {
  WorkerInfo worker;
  try {
    worker = find_worker();
  } catch (const InputError& error) {
    findings.push_back({Finding::kNeeded, "worker", error.what()});
    return;
  }
  findings.push_back(
      {Finding::kHere, "torch",
       worker.torch.empty()
           ? "the worker's build left no description"
           : fmt::format("{}, {}", worker.torch,
                         worker.cuda.empty() ? "without CUDA"
                                             : fmt::format("CUDA {}, for {}", worker.cuda,
                                                           join(worker.architectures, ", ")))});
  const Ended started = call({worker.program.string(), "--version"});
  findings.push_back(
      started.ok()
          ? Finding{Finding::kHere, "worker",
                    fmt::format("{} starts in {}", worker.program.string(),
                                format_duration(static_cast<double>(started.wall_ns) * 1e-9))}
          : Finding{Finding::kNeeded, "worker",
                    "does not start: " + last_lines(started.messages, 1) +
                        "; build it again with `make report`"});
}

/// Only MODEL wants it.
void look_at_model_worker(Findings& findings) try {
  const WorkerInfo worker = find_model_worker();
  const Ended started = call({worker.program.string(), "--version"});
  const char* compile = is_on_path("g++") ? "" : "; --compile needs g++";
  findings.push_back(
      started.ok()
          ? Finding{Finding::kHere, "own models",
                    fmt::format("Python {}, torch {}{}", worker.python, worker.torch, compile)}
          : Finding{Finding::kMissing, "own models", last_lines(started.messages, 1)});
} catch (const InputError& error) {
  findings.push_back({Finding::kMissing, "own models", error.what()});
}

/// What a script of set-up finds: its answer, and a line for whatever it passes over.
void look_by_script(Findings& findings, const std::string& what, std::vector<std::string> words) {
  const fs::path script = program_folder().parent_path().parent_path() / "setup" / words.front();
  if (!fs::exists(script)) return;
  words.front() = script.string();
  const Ended ended = call(words);
  if (ended.ok()) findings.push_back({Finding::kHere, what, first_line(ended.output)});
  for (const std::string& line : split(ended.messages, '\n')) {
    if (!line.empty()) findings.push_back({Finding::kMissing, what, line});
  }
}

/// What `make report` in this shell builds with, and what it installs where no torch is.
void look_at_choice(Findings& findings) {
  look_by_script(findings, "builds with", {"find-torch", "--words"});
  look_by_script(findings, "locked torch", {"choose-torch"});
}

std::string gpu_words(const Gpu& gpu) {
  const std::string others =
      gpu.compute_processes
          ? format_plural(*gpu.compute_processes, "process uses it", "processes use it")
          : "the driver does not tell who uses it";
  return fmt::format("{}, compute capability {}, {} of {} free, {}{}{}", gpu.name,
                     gpu.compute_capability(), bytes(gpu.free_bytes), bytes(gpu.memory_bytes),
                     others, gpu.exclusive ? ", exclusive compute mode" : "",
                     gpu.display ? ", drives a display" : "");
}

/// Whether all is well with a GPU that need not be the one to measure on.
void look_at_gpu(const Gpu& gpu, const GpuSurvey& survey, Findings& findings) {
  const std::string what = "GPU " + gpu.number();
  findings.push_back({Finding::kHere, what, gpu_words(gpu)});
  if (const auto refusal = gpu.refusal()) findings.push_back({Finding::kNeeded, what, *refusal});
  try {
    if (const auto refusal = worker_refuses(find_worker(), gpu, survey)) {
      findings.push_back({Finding::kNeeded, what, *refusal});
    }
  } catch (const InputError&) {
    return;  // The worker has a line of its own already.
  }
}

void look_at_visible_gpus(const std::vector<Gpu>& gpus, Findings& findings) {
  const char* variable = std::getenv("CUDA_VISIBLE_DEVICES");
  if (variable == nullptr) return;
  const VisibleGpus visible = visible_gpus(gpus, variable);
  std::vector<std::string> numbers;
  for (const Gpu& gpu : visible.gpus) numbers.push_back(gpu.number());
  std::string words = numbers.empty() ? "hides all GPUs" : "leaves GPU " + join_words(numbers);
  if (visible.ignored && !visible.hidden_on_purpose()) {
    words += fmt::format("; '{}' names no {} here", *visible.ignored,
                         numbers.empty() ? "GPU, or several," : "other");
  }
  findings.push_back({visible.ignored ? Finding::kMissing : Finding::kHere, "visible",
                      fmt::format("CUDA_VISIBLE_DEVICES={} {}", variable, words)});
}

void look_at_gpus(Findings& findings) {
  const GpuSurvey survey = survey_gpus();
  try {
    refuse_broken_driver(survey);
  } catch (const InputError& error) {
    findings.push_back({Finding::kNeeded, "GPU", error.what()});
    return;
  }
  if (survey.gpus.empty()) {
    findings.push_back({Finding::kMissing, "GPU",
                        survey.problem + "; `make report` makes a demonstration on the CPU"});
    return;
  }
  findings.push_back(
      {Finding::kHere, "driver", fmt::format("{}, for CUDA up to {}", survey.driver, survey.cuda)});
  for (const Gpu& gpu : survey.gpus) look_at_gpu(gpu, survey, findings);
  look_at_visible_gpus(survey.gpus, findings);
}

void look_at_machine(Findings& findings) {
  findings.push_back(
      {Finding::kHere, "CPU",
       fmt::format("{}, {}", cpu_model(),
                   format_plural(static_cast<std::int64_t>(usable_cores().size()), "core"))});
  findings.push_back(
      {Finding::kHere, "memory",
       fmt::format("{} of {} free", bytes(available_memory_bytes()), bytes(memory_bytes()))});
  const std::int64_t disk = free_disk_bytes(".");
  findings.push_back({disk < kComfortableDiskBytes ? Finding::kMissing : Finding::kHere, "disk",
                      bytes(disk) + " free" +
                          (disk < kComfortableDiskBytes ? "; a new torch needs some 6 GiB" : "")});
  const auto variables = result_changing_environment();
  for (const auto& [name, value] : variables) {
    findings.push_back(
        {Finding::kMissing, "environment",
         fmt::format("{}={} changes results; {}", name, value,
                     is_needed_by_machine(name) ? "it is recorded and left as it is"
                                                : "it is cleared unless --keep-env")});
  }
}

void look_at_module(Findings& findings, const std::string& what, const std::string& module,
                    const std::string& without) {
  const HelperPython python(project_folder());
  if (python.program().empty()) {
    findings.push_back({Finding::kMissing, what, python.problem()});
    return;
  }
  const ScratchFolder scratch;
  const HelperLimits limits{.seconds = kPatienceSeconds};
  const bool here = python.run("import " + module, {}, scratch.path(), limits).ok();
  findings.push_back(
      here ? Finding{Finding::kHere, what, module + " in " + python.program().string()}
           : Finding{Finding::kMissing, what, without});
}

void look_at_tools(Findings& findings) {
  look_at_module(findings, "charts", "vl_convert",
                 "no vl_convert: pages without pictures; run setup/install render");
  look_at_module(findings, "PDF", "typst", "no typst: no PDF; run setup/install render");
  look_at_module(findings, "pandoc", "pypandoc",
                 "no pandoc: no LaTeX, and notes show formulas as TeX; run setup/install render");
  const bool browser =
      is_on_path("chromium") || is_on_path("chromium-browser") || is_on_path("google-chrome");
  findings.push_back(browser ? Finding{Finding::kHere, "browser", "for the tests"}
                             : Finding{Finding::kMissing, "browser",
                                       "no Chromium: only `make test` needs one, and installs it"});
}

ExitStatus doctor() {
  Findings findings;
  for (const auto look : {look_at_program, look_at_worker, look_at_model_worker, look_at_choice,
                          look_at_gpus, look_at_machine, look_at_tools}) {
    look(findings);
  }
  bool complete = true;
  for (const auto& [kind, what, words] : findings) {
    fmt::print("{} {:<12} {}\n", kind == Finding::kHere ? "✓" : "–", what, words);
    complete = complete && kind != Finding::kNeeded;
  }
  return complete ? ExitStatus::kDone : ExitStatus::kIncomplete;
}

}  // namespace

void add_doctor(CLI::App& app, Invocation& invocation) {
  CLI::App* verb = app.add_subcommand("doctor", "what is here, what is missing, what to do");
  verb->callback([&invocation] { invocation.call = doctor; });
}

}  // namespace labreport
