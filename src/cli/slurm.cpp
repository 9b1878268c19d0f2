// labreport slurm: a job array whose tasks share one plan, printed or submitted.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "base/machine.h"
#include "base/text.h"
#include "cli/flags.h"
#include "cli/plan_table.h"
#include "cli/shard.h"
#include "cli/verbs.h"
#include "experiments/catalog.h"
#include "orchestrate/capture.h"
#include "orchestrate/subprocess.h"
#include "results/session_store.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr double kPatience = 120;  // seconds for an answer of Slurm's

struct SlurmFlags : RunFlags {
  std::string partition, array, gpus_per_task = "1", cpus_per_task, time = "01:00:00", more;
  bool submit = false;
  const CLI::App* verb = nullptr;  ///< Which of them were given.
};

/// Flags of ours that `labreport run` does not get, or not as they are.
bool is_slurms(const std::string& flag) {
  constexpr std::array<std::string_view, 10> kOwn{
      "--partition", "--array",  "--gpus-per-task", "--cpus-per-task", "--time",
      "--sbatch",    "--submit", "--out",           "--preset",        "--help"};
  return std::ranges::find(kOwn, flag) != kOwn.end();
}

std::vector<std::string> flags_of_run(const CLI::App& verb) {
  std::vector<std::string> words;
  for (const CLI::Option* option : verb.get_options()) {
    const std::string flag = flag_name(*option);
    if (option->count() == 0 || is_slurms(flag)) continue;
    const bool takes_value = option->get_expected_min() > 0;
    for (const std::string& value : option->results()) {
      words.push_back(flag);
      if (takes_value) words.push_back(value);
    }
  }
  return words;
}

void refuse_line_ends(const SlurmFlags& flags) {
  for (const std::string* text :
       {&flags.partition, &flags.cpus_per_task, &flags.time, &flags.more, &flags.out}) {
    if (text->find_first_of("\n\r\"") == text->npos) continue;
    throw InputError("'" + *text + "' holds a quote or the end of a line", "give it without");
  }
}

std::int64_t gpus(const SlurmFlags& flags) {
  return whole_number("--gpus-per-task", flags.gpus_per_task, 0, 1);
}

std::string preset(const SlurmFlags& flags) {
  return flags.preset.value_or(gpus(flags) == 0 ? "demo" : "full");
}

std::int64_t tasks(const SlurmFlags& flags) {
  if (flags.array.empty()) throw InputError("slurm needs --array N, how many tasks share the plan");
  const std::int64_t tasks = whole_number("--array", flags.array, 1);
  const DeviceKind device = gpus(flags) == 0 ? DeviceKind::kCpu : DeviceKind::kCuda;
  refuse_idle_tasks(tasks,
                    checked_plan(plan_input(flags, parse_preset(preset(flags)), device), Run()));
  return tasks;
}

fs::path shared_folder(const SlurmFlags& flags) {
  const fs::path folder = fs::absolute(flags.out);
  fs::path there = folder;
  while (!fs::exists(there)) there = there.parent_path();
  if (!flags.submit || !is_in_memory(there)) {
    make_writable_folder(folder);
    refuse_other_runs(folder);
    return folder;
  }
  throw InputError(
      folder.string() + " lies in this machine's memory, where other nodes cannot see it",
      "choose a folder that all nodes share with --out");
}

std::string script(const SlurmFlags& flags, const fs::path& folder,
                   const std::vector<std::string>& of_run) {
  const std::int64_t count = tasks(flags);
  std::string text = "#!/bin/bash\n";
  const auto add = [&](const std::string& line) { text += "#SBATCH " + line + "\n"; };
  add("--job-name=labreport");
  if (!flags.partition.empty()) add("--partition=" + flags.partition);
  add(fmt::format("--array=1-{}", count));
  add("--ntasks=1");
  if (gpus(flags) > 0) add("--gpus-per-task=1");
  if (!flags.cpus_per_task.empty()) add("--cpus-per-task=" + flags.cpus_per_task);
  add("--time=" + flags.time);
  add("--requeue");
  add("--open-mode=append");
  add(fmt::format("--output=\"{}\"", (folder / "slurm-%A_%a.log").string()));
  if (!flags.more.empty()) add(flags.more);
  std::vector<std::string> words{"--out", folder.string(), "--preset", preset(flags)};
  words.insert(words.end(), of_run.begin(), of_run.end());
  const std::string program = fs::read_symlink("/proc/self/exe").string();
  text += fmt::format("exec srun {} run --shard \"$SLURM_ARRAY_TASK_ID/{}\" {}\n",
                      command_line(std::vector{program}), count, command_line(words));
  return text;
}

/// "sbatch: error: Batch job submission failed: Invalid partition name specified" → what it says.
std::string refusal(const Ended& ended) {
  std::string words(trimmed(last_lines(ended.messages, 1)));
  for (const std::string_view begin : {"sbatch: error: ", "sbatch: fatal: "}) {
    if (words.starts_with(begin)) words.erase(0, begin.size());
  }
  return words.empty() ? "sbatch gave no reason" : words;
}

Ended asked(const Command& command) try {
  return run_to_end(command);
} catch (const InputError& error) {
  throw InputError(error.what(), "submit on a machine that has Slurm, or leave --submit out");
}

/// The job's number.
std::string submit(const std::string& script, const fs::path& folder) {
  const fs::path file = folder / "slurm.sh";
  write_atomically(file, script);
  Command command;
  command.argv = {"sbatch", "--parsable", file.string()};
  command.keep_output = true;
  command.limit_seconds = kPatience;
  const Ended ended = asked(command);
  if (ended.ok()) return std::string(trimmed(ended.output));
  throw InputError("Slurm refuses the job: " + refusal(ended),
                   "change the flags; `sinfo` lists partitions, nodes and time limits");
}

ExitStatus slurm(const SlurmFlags& flags) {
  refuse_line_ends(flags);
  if (flags.out.empty()) {
    throw InputError("slurm needs --out FOLDER, which all nodes share", "name one");
  }
  tasks(flags);
  const fs::path folder = shared_folder(flags);
  const std::string text = script(flags, folder, flags_of_run(*flags.verb));
  fmt::print("{}", flags.submit ? submit(text, folder) + "\n" : text);
  return ExitStatus::kDone;
}

}  // namespace

void add_slurm(CLI::App& app, Invocation& invocation) {
  const auto [verb, flags] = add_verb<SlurmFlags>(
      app, invocation, "slurm", "a Slurm job array whose tasks share one plan", slurm);
  flags->verb = verb;
  verb->add_option("--partition", flags->partition, "of the cluster (its default)");
  verb->add_option("--array", flags->array, "N: how many tasks share the plan");
  verb->add_option("--gpus-per-task", flags->gpus_per_task, "1 (default), or 0: the CPU");
  verb->add_option("--cpus-per-task", flags->cpus_per_task,
                   "cores of a task (the cluster's default)");
  verb->add_option("--time", flags->time, "limit of a task, as Slurm writes it (01:00:00)");
  verb->add_option("--sbatch", flags->more, "more flags of sbatch's, as --sbatch='--account=lab'");
  verb->add_flag("--submit", flags->submit, "submit the script; prints the job's number");
  add_run_flags(*verb, *flags, "FOLDER: shared by all nodes, for this plan alone");
  // An array goes on with what its folder holds, and Slurm chooses the GPUs.
  for (const char* flag : {"--resume", "--dry-run", "--gpus"}) {
    verb->remove_option(verb->get_option(flag));
  }
}

}  // namespace labreport
