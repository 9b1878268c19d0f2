// labreport doctor says what is installed, what is missing and what to do.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "base/build_info.h"
#include "base/error.h"
#include "base/format.h"
#include "base/machine.h"
#include "base/text.h"
#include "cli/verbs.h"
#include "orchestrate/subprocess.h"
#include "orchestrate/worker_info.h"
#include "plan/editions.h"
#include "publish/helper_python.h"
#include "publish/scratch_folder.h"
#include "results/run_store.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr double kCheckLimitSeconds = 60;
constexpr std::int64_t kEnoughDiskBytes = 8LL << 30;

/// Collects findings, one line each. As long as there is an obstacle, nothing can be measured.
class Findings {
 public:
  void add_present(const std::string& subject, const std::string& words) {
    add("✓", subject, words);
  }
  void add_missing(const std::string& subject, const std::string& words) {
    add("–", subject, words);
  }
  void add_obstacle(const std::string& subject, const std::string& words) {
    add("✗", subject, words);
    is_complete_ = false;
  }

  ExitStatus print() const {
    fmt::print("{}", lines_);
    if (is_complete_) return ExitStatus::kDone;
    fmt::print("nothing can be measured until the lines with ✗ are put right\n");
    return ExitStatus::kIncomplete;
  }

 private:
  void add(const char* mark, const std::string& subject, const std::string& words) {
    lines_ += fmt::format("{} {:<12} {}\n", mark, subject, words);
  }

  std::string lines_;
  bool is_complete_ = true;
};

CompletedProcess run_program(std::vector<std::string> argv) {
  Command command;
  command.argv = std::move(argv);
  command.keep_output = true;
  command.limit_seconds = kCheckLimitSeconds;
  try {
    return run_to_end(command);
  } catch (const InputError& error) {
    CompletedProcess not_started;
    not_started.exit_status = 127;
    not_started.messages = error.what();
    return not_started;
  }
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string bytes_text(std::int64_t count) { return format_bytes(static_cast<double>(count)); }

bool is_on_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path == nullptr ? "" : path, ':')) {
    std::error_code ignored;  // A folder of PATH may belong to somebody else.
    if (fs::exists(fs::path(folder) / name, ignored)) return true;
  }
  return false;
}

void look_at_program(Findings& findings) {
  const BuildInfo& build = build_info();
  findings.add_present("labreport",
                       fmt::format("{}, revision {}{}", build.version, build.revision.substr(0, 12),
                                   build.dirty ? " with uncommitted changes" : ""));
  const CompletedProcess compiler = run_program({"g++", "--version"});
  if (compiler.ok()) return findings.add_present("compiler", first_line(compiler.output));
  findings.add_missing("compiler", "no g++: nothing can be built; install g++ 12 or newer");
}

void look_at_worker(Findings& findings) {
  WorkerInfo worker;
  try {
    worker = find_worker();
  } catch (const InputError& error) {
    return findings.add_obstacle("worker", error.what());
  }
  const std::string cuda = worker.cuda.empty() ? "without CUDA"
                                               : fmt::format("CUDA {}, for {}", worker.cuda,
                                                             join(worker.architectures, ", "));
  findings.add_present("torch", worker.torch.empty()
                                    ? "unknown: the worker has no description beside it"
                                    : worker.torch + ", " + cuda);
  const CompletedProcess process = run_program({worker.program.string(), "--version"});
  if (!process.ok()) {
    return findings.add_obstacle("worker", "does not start: " + last_lines(process.messages, 1) +
                                               "; build it again with `make report`");
  }
  findings.add_present("worker",
                       fmt::format("{} starts in {}", worker.program.string(),
                                   format_duration(static_cast<double>(process.wall_ns) * 1e-9)));
}

void look_at_model_worker(Findings& findings) try {
  const WorkerInfo worker = find_model_worker();
  const CompletedProcess process = run_program({worker.program.string(), "--version"});
  const char* compile_note = is_on_path("g++") ? "" : "; --compile needs g++";
  if (!process.ok()) return findings.add_missing("own models", last_lines(process.messages, 1));
  findings.add_present("own models", fmt::format("Python {}, torch {}{}", worker.python,
                                                 worker.torch, compile_note));
} catch (const InputError& error) {
  findings.add_missing("own models", error.what());
}

/// Runs a script of setup/. Adds the first line that it prints, and each line of its stderr as
/// missing.
void look_with_script(Findings& findings, const std::string& subject,
                      std::vector<std::string> argv) {
  const fs::path script = program_folder().parent_path().parent_path() / "setup" / argv.front();
  if (!fs::exists(script)) return;
  argv.front() = script.string();
  const CompletedProcess process = run_program(argv);
  if (process.ok()) findings.add_present(subject, first_line(process.output));
  for (const std::string& line : split(process.messages, '\n')) {
    if (!line.empty()) findings.add_missing(subject, line);
  }
}

/// Adds the torch with which `make report` builds here, and the torch that it would install.
void look_at_torch(Findings& findings) {
  look_with_script(findings, "builds with", {"find-torch", "--words"});
  look_with_script(findings, "locked torch", {"choose-torch"});
}

/// Checks one of the machine's GPUs, whether or not a run would use it.
void look_at_gpu(const Gpu& gpu, const GpuSurvey& survey, Findings& findings) {
  const std::string subject = "GPU " + gpu.label();
  const std::string process_words =
      gpu.compute_process_count
          ? format_plural(*gpu.compute_process_count, "process uses it", "processes use it")
          : "the driver does not say who uses it";
  findings.add_present(subject,
                       fmt::format("{}, compute capability {}, {} of {} free, {}{}{}", gpu.name,
                                   gpu.compute_capability(), bytes_text(gpu.free_bytes),
                                   bytes_text(gpu.memory_bytes), process_words,
                                   gpu.is_exclusive ? ", exclusive compute mode" : "",
                                   gpu.drives_display ? ", drives a display" : ""));
  if (const auto refusal = gpu.refusal()) findings.add_obstacle(subject, *refusal);
  try {
    if (const auto refusal = worker_refusal(find_worker(), gpu, survey)) {
      findings.add_obstacle(subject, *refusal);
    }
  } catch (const InputError&) {
    return;  // look_at_worker() reports a missing worker.
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
  visible.ignored_word ? findings.add_missing("visible", words)
                       : findings.add_present("visible", words);
}

void look_at_gpus(Findings& findings) {
  const GpuSurvey survey = survey_gpus();
  try {
    refuse_broken_driver(survey);
  } catch (const InputError& error) {
    return findings.add_obstacle("GPU", error.what());
  }
  if (survey.gpus.empty()) {
    return findings.add_missing(
        "GPU", survey.problem + "; `make report` makes a demonstration on the CPU");
  }
  findings.add_present("driver", fmt::format("{}, for CUDA up to {}", survey.driver, survey.cuda));
  for (const Gpu& gpu : survey.gpus) look_at_gpu(gpu, survey, findings);
  look_at_visible_gpus(survey.gpus, findings);
}

void look_at_machine(Findings& findings) {
  findings.add_present(
      "CPU", fmt::format("{}, {}", cpu_model(),
                         format_plural(static_cast<std::int64_t>(usable_cores().size()), "core")));
  findings.add_present("memory", fmt::format("{} of {} free", bytes_text(available_memory_bytes()),
                                             bytes_text(memory_bytes())));
  const std::int64_t disk = free_disk_bytes(".");
  const std::string free_words = bytes_text(disk) + " free";
  disk < kEnoughDiskBytes ? findings.add_missing("disk", free_words + "; a new torch needs 6 GiB")
                          : findings.add_present("disk", free_words);
  for (const auto& [name, value] : result_changing_environment()) {
    findings.add_missing(
        "environment", fmt::format("{}={} changes results; {}", name, value,
                                   is_needed_by_machine(name) ? "it is recorded and kept"
                                                              : "it is cleared unless --keep-env"));
  }
}

void look_at_module(Findings& findings, const std::string& subject, const std::string& module,
                    const std::string& advice_if_missing) try {
  const HelperPython python(project_folder());
  if (!python.problem().empty()) return findings.add_missing(subject, python.problem());
  const ScratchFolder scratch;
  const HelperLimits limits{.seconds = kCheckLimitSeconds};
  const bool is_importable = python.run("import " + module, {}, scratch.path(), limits).ok();
  is_importable ? findings.add_present(subject, module + " in " + python.program().string())
                : findings.add_missing(subject, advice_if_missing);
} catch (const Error& error) {
  findings.add_missing(subject, error.what());
}

void look_at_tools(Findings& findings) {
  look_at_module(findings, "charts", "vl_convert",
                 "no vl_convert, so pages have no figures; run setup/install render");
  look_at_module(findings, "PDF", "typst",
                 "no typst, so there is no PDF; run setup/install render");
  look_at_module(
      findings, "pandoc", "pypandoc",
      "no pandoc, so there is no LaTeX, and notes show formulas as TeX; run setup/install render");
  const bool has_browser =
      is_on_path("chromium") || is_on_path("chromium-browser") || is_on_path("google-chrome");
  has_browser
      ? findings.add_present("browser", "for the tests")
      : findings.add_missing("browser", "no Chromium; only `make test` needs one, and installs it");
}

/// Says which edition is measured if a command names none, and which the newest run is of.
void look_at_edition(Findings& findings) {
  std::string words = editions().front().name + " unless --edition names another, " +
                      "or --course a checkout of another";
  std::vector<fs::path> runs = list_measured_runs("site/runs");
  std::erase_if(runs, [](const fs::path& run) { return RunStore(run).is_reference(); });
  try {
    if (!runs.empty()) words += "; your newest run is of " + RunStore(runs.back()).load().edition;
  } catch (const InputError&) {  // `labreport list runs` tells why it cannot be read.
  }
  findings.add_present("edition", words);
}

ExitStatus doctor() {
  Findings findings;
  for (const auto look : {look_at_program, look_at_worker, look_at_model_worker, look_at_torch,
                          look_at_gpus, look_at_machine, look_at_tools, look_at_edition}) {
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
