// labreport doctor says what is installed, what is missing and what to do.
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

/// Collects findings, a line each. A missing thing that is needed makes `make report` fail.
class Findings {
 public:
  void here(const std::string& what, const std::string& words) { add("✓", what, words); }
  void missing(const std::string& what, const std::string& words) { add("–", what, words); }
  void needed(const std::string& what, const std::string& words) {
    add("✗", what, words);
    complete_ = false;
  }

  ExitStatus print() const {
    fmt::print("{}", lines_);
    if (complete_) return ExitStatus::kDone;
    fmt::print("nothing can be measured until the lines with ✗ are put right\n");
    return ExitStatus::kIncomplete;
  }

 private:
  void add(const char* mark, const std::string& what, const std::string& words) {
    lines_ += fmt::format("{} {:<12} {}\n", mark, what, words);
  }

  std::string lines_;
  bool complete_ = true;
};

CompletedProcess call(std::vector<std::string> argv) {
  Command command;
  command.argv = std::move(argv);
  command.keep_output = true;
  command.limit_seconds = kPatienceSeconds;
  try {
    return run_to_end(command);
  } catch (const InputError& error) {
    CompletedProcess absent;
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
  findings.here("labreport",
                fmt::format("{}, revision {}{}", build.version, build.revision.substr(0, 12),
                            build.dirty ? " with uncommitted changes" : ""));
  const CompletedProcess compiler = call({"g++", "--version"});
  if (compiler.ok()) return findings.here("compiler", first_line(compiler.output));
  findings.missing("compiler", "no g++: nothing can be built; install g++ 12 or newer");
}

void look_at_worker(Findings& findings) {
  WorkerInfo worker;
  try {
    worker = find_worker();
  } catch (const InputError& error) {
    return findings.needed("worker", error.what());
  }
  const std::string cuda = worker.cuda.empty() ? "without CUDA"
                                               : fmt::format("CUDA {}, for {}", worker.cuda,
                                                             join(worker.architectures, ", "));
  findings.here("torch", worker.torch.empty() ? "unknown: the worker has no description beside it"
                                              : worker.torch + ", " + cuda);
  const CompletedProcess started = call({worker.program.string(), "--version"});
  if (!started.ok()) {
    return findings.needed("worker", "does not start: " + last_lines(started.messages, 1) +
                                         "; build it again with `make report`");
  }
  findings.here("worker",
                fmt::format("{} starts in {}", worker.program.string(),
                            format_duration(static_cast<double>(started.wall_ns) * 1e-9)));
}

void look_at_model_worker(Findings& findings) try {
  const WorkerInfo worker = find_model_worker();
  const CompletedProcess started = call({worker.program.string(), "--version"});
  const char* compile = is_on_path("g++") ? "" : "; --compile needs g++";
  if (!started.ok()) return findings.missing("own models", last_lines(started.messages, 1));
  findings.here("own models",
                fmt::format("Python {}, torch {}{}", worker.python, worker.torch, compile));
} catch (const InputError& error) {
  findings.missing("own models", error.what());
}

/// Adds the result of a set-up script: its answer, and a line for everything it skips.
void look_by_script(Findings& findings, const std::string& what, std::vector<std::string> words) {
  const fs::path script = program_folder().parent_path().parent_path() / "setup" / words.front();
  if (!fs::exists(script)) return;
  words.front() = script.string();
  const CompletedProcess process = call(words);
  if (process.ok()) findings.here(what, first_line(process.output));
  for (const std::string& line : split(process.messages, '\n')) {
    if (!line.empty()) findings.missing(what, line);
  }
}

/// Adds the torch with which `make report` in this shell builds, and the one it installs if there
/// is none.
void look_at_choice(Findings& findings) {
  look_by_script(findings, "builds with", {"find-torch", "--words"});
  look_by_script(findings, "locked torch", {"choose-torch"});
}

/// Checks a GPU, which need not be the one to measure on.
void look_at_gpu(const Gpu& gpu, const GpuSurvey& survey, Findings& findings) {
  const std::string what = "GPU " + gpu.label();
  const std::string others =
      gpu.compute_processes
          ? format_plural(*gpu.compute_processes, "process uses it", "processes use it")
          : "the driver does not say who uses it";
  findings.here(
      what, fmt::format("{}, compute capability {}, {} of {} free, {}{}{}", gpu.name,
                        gpu.compute_capability(), bytes(gpu.free_bytes), bytes(gpu.memory_bytes),
                        others, gpu.is_exclusive ? ", exclusive compute mode" : "",
                        gpu.drives_display ? ", drives a display" : ""));
  if (const auto refusal = gpu.refusal()) findings.needed(what, *refusal);
  try {
    if (const auto refusal = worker_refusal(find_worker(), gpu, survey)) {
      findings.needed(what, *refusal);
    }
  } catch (const InputError&) {
    return;  // The worker has its own line already.
  }
}

void look_at_visible_gpus(const std::vector<Gpu>& gpus, Findings& findings) {
  const char* variable = std::getenv("CUDA_VISIBLE_DEVICES");
  if (variable == nullptr) return;
  const VisibleGpus visible = visible_gpus(gpus, variable);
  std::vector<std::string> numbers;
  for (const Gpu& gpu : visible.gpus) numbers.push_back(gpu.label());
  std::string words = numbers.empty() ? "hides all GPUs" : "leaves GPU " + join_words(numbers);
  if (visible.ignored_word && !visible.are_hidden_on_purpose()) {
    words += fmt::format("; '{}' names no {} here", *visible.ignored_word,
                         numbers.empty() ? "GPU, or several," : "other");
  }
  words = fmt::format("CUDA_VISIBLE_DEVICES={} {}", variable, words);
  visible.ignored_word ? findings.missing("visible", words) : findings.here("visible", words);
}

void look_at_gpus(Findings& findings) {
  const GpuSurvey survey = survey_gpus();
  try {
    refuse_broken_driver(survey);
  } catch (const InputError& error) {
    return findings.needed("GPU", error.what());
  }
  if (survey.gpus.empty()) {
    return findings.missing("GPU",
                            survey.problem + "; `make report` makes a demonstration on the CPU");
  }
  findings.here("driver", fmt::format("{}, for CUDA up to {}", survey.driver, survey.cuda));
  for (const Gpu& gpu : survey.gpus) look_at_gpu(gpu, survey, findings);
  look_at_visible_gpus(survey.gpus, findings);
}

void look_at_machine(Findings& findings) {
  findings.here(
      "CPU", fmt::format("{}, {}", cpu_model(),
                         format_plural(static_cast<std::int64_t>(usable_cores().size()), "core")));
  findings.here("memory", fmt::format("{} of {} free", bytes(available_memory_bytes()),
                                      bytes(memory_bytes())));
  const std::int64_t disk = free_disk_bytes(".");
  const std::string room = bytes(disk) + " free";
  disk < kComfortableDiskBytes ? findings.missing("disk", room + "; a new torch needs 6 GiB")
                               : findings.here("disk", room);
  for (const auto& [name, value] : result_changing_environment()) {
    findings.missing("environment",
                     fmt::format("{}={} changes results; {}", name, value,
                                 is_needed_by_machine(name) ? "it is recorded and kept"
                                                            : "it is cleared unless --keep-env"));
  }
}

void look_at_module(Findings& findings, const std::string& what, const std::string& module,
                    const std::string& without) {
  const HelperPython python(project_folder());
  if (python.program().empty()) return findings.missing(what, python.problem());
  const ScratchFolder scratch;
  const HelperLimits limits{.seconds = kPatienceSeconds};
  const bool here = python.run("import " + module, {}, scratch.path(), limits).ok();
  here ? findings.here(what, module + " in " + python.program().string())
       : findings.missing(what, without);
}

void look_at_tools(Findings& findings) {
  look_at_module(findings, "charts", "vl_convert",
                 "no vl_convert, so pages have no figures; run setup/install render");
  look_at_module(findings, "PDF", "typst",
                 "no typst, so there is no PDF; run setup/install render");
  look_at_module(
      findings, "pandoc", "pypandoc",
      "no pandoc, so there is no LaTeX, and notes show formulas as TeX; run setup/install render");
  const bool browser =
      is_on_path("chromium") || is_on_path("chromium-browser") || is_on_path("google-chrome");
  browser ? findings.here("browser", "for the tests")
          : findings.missing("browser", "no Chromium; only `make test` needs one, and installs it");
}

ExitStatus doctor() {
  Findings findings;
  for (const auto look : {look_at_program, look_at_worker, look_at_model_worker, look_at_choice,
                          look_at_gpus, look_at_machine, look_at_tools}) {
    look(findings);
  }
  return findings.print();
}

}  // namespace

void add_doctor(CLI::App& app, Invocation& invocation) {
  CLI::App* verb =
      app.add_subcommand("doctor", "show what this machine has and lacks, and what to do");
  verb->callback([&invocation] { invocation.call = doctor; });
}

}  // namespace labreport
