// labreport slurm writes or submits a job array of shards and the job that merges them.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/error.h"
#include "base/files.h"
#include "base/format.h"
#include "base/machine.h"
#include "base/messages.h"
#include "base/text.h"
#include "cli/flags.h"
#include "cli/measure.h"
#include "cli/shard.h"
#include "cli/verbs.h"
#include "orchestrate/capture.h"
#include "orchestrate/subprocess.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr double kSbatchLimitSeconds = 120;

struct SlurmFlags : RunFlags {
  std::string partition, array, gpus_per_task = "1", cpus_per_task, time = "01:00:00", sbatch_flags;
  bool submit = false;
};

void refuse_unquotable(const SlurmFlags& flags) {
  for (const std::string* text :
       {&flags.partition, &flags.cpus_per_task, &flags.time, &flags.sbatch_flags, &flags.out}) {
    if (text->find_first_of("\n\r\"") == text->npos) continue;
    throw InputError("'" + *text + "' holds a quote or the end of a line", "leave that out");
  }
}

std::int64_t gpus_per_task_of(const SlurmFlags& flags) {
  return whole_number("--gpus-per-task", flags.gpus_per_task, 0, 1);
}

std::string preset_of(const SlurmFlags& flags) {
  return flags.preset.value_or(gpus_per_task_of(flags) == 0 ? "demo" : "full");
}

/// Returns the number of tasks and prints the speedup of the array.
std::int64_t parse_task_count(const SlurmFlags& flags) {
  if (flags.array.empty())
    throw InputError("slurm needs --array N, the number of tasks", "give one");
  const std::int64_t tasks = whole_number("--array", flags.array, 1);
  const DeviceKind device = gpus_per_task_of(flags) == 0 ? DeviceKind::kCpu : DeviceKind::kCuda;
  const Shards shards =
      shards_of(plan_input(flags, parse_name<Preset>(preset_of(flags)), device), tasks);
  say("with {} the plan is done about {:.1f} times as fast as with one; with any number at most "
      "{:.1f} times, because its longest group of cells stays together\n",
      format_plural(tasks, "task"), shards.speedup(), shards.max_speedup());
  return tasks;
}

fs::path shared_folder(const SlurmFlags& flags) {
  const fs::path folder = fs::absolute(flags.out);
  fs::path existing = folder;
  while (!fs::exists(existing)) existing = existing.parent_path();
  if (flags.submit && is_in_memory(existing)) {
    throw InputError(
        folder.string() + " lies in this machine's memory, where other nodes cannot see it",
        "choose a folder that all nodes share with --out");
  }
  make_writable_folder(folder);
  return folder;
}

std::string script_start(const SlurmFlags& flags, const fs::path& log) {
  std::string text = "#!/bin/bash\n#SBATCH --job-name=labreport\n#SBATCH --ntasks=1\n";
  if (!flags.partition.empty()) text += "#SBATCH --partition=" + flags.partition + "\n";
  text += fmt::format("#SBATCH --output=\"{}\"\n", log.string());
  if (!flags.sbatch_flags.empty()) text += "#SBATCH " + flags.sbatch_flags + "\n";
  return text;
}

std::string program_word() {
  return command_line(std::vector{fs::read_symlink("/proc/self/exe").string()});
}

/// Returns the script of the job array. A user may submit it again to resume its tasks' runs.
std::string array_script(const SlurmFlags& flags, const fs::path& folder, std::int64_t task_count) {
  std::string text = script_start(flags, folder / "slurm-%A_%a.log");
  const auto add = [&](const std::string& line) { text += "#SBATCH " + line + "\n"; };
  add(fmt::format("--array=1-{}", task_count));
  if (gpus_per_task_of(flags) > 0) add("--gpus-per-task=1");
  if (!flags.cpus_per_task.empty()) add("--cpus-per-task=" + flags.cpus_per_task);
  add("--time=" + flags.time);
  add("--requeue");
  add("--open-mode=append");
  std::vector<std::string> words{"--out", folder.string()};
  if (flags.keep_host) words.emplace_back("--keep-host");
  Request request = flags;
  request.preset = preset_of(flags);
  std::ranges::copy(words_of(request), std::back_inserter(words));
  return text + fmt::format("exec srun {} run --shard \"$SLURM_ARRAY_TASK_ID/{}\" --resume {}\n",
                            program_word(), task_count, command_line(words));
}

std::string merge_script(const SlurmFlags& flags, const fs::path& folder) {
  const std::vector<std::string> words{folder.string(), "--out",
                                       fs::absolute("site/runs").string()};
  return script_start(flags, folder / "slurm-%j-merge.log") +
         fmt::format("exec {} merge {}\n", program_word(), command_line(words));
}

/// Returns sbatch's last line without its prefix: "Batch job submission failed: Invalid …".
std::string slurm_refusal(const CompletedProcess& process) {
  std::string words(trimmed(last_lines(process.messages, 1)));
  for (const std::string_view prefix : {"sbatch: error: ", "sbatch: fatal: "}) {
    if (words.starts_with(prefix)) words.erase(0, prefix.size());
  }
  return words.empty() ? "sbatch gave no reason" : words;
}

CompletedProcess run_sbatch(const Command& command) try {
  return run_to_end(command);
} catch (const InputError& error) {
  throw InputError(error.what(), "submit on a machine that has Slurm, or leave --submit out");
}

/// Submits a job with this command and returns the job's number.
std::string submit_job(const std::vector<std::string>& argv) {
  Command command;
  command.argv = argv;
  command.keep_output = true;
  command.limit_seconds = kSbatchLimitSeconds;
  const CompletedProcess process = run_sbatch(command);
  if (process.ok()) return std::string(trimmed(process.output));
  throw InputError("Slurm refuses the job: " + slurm_refusal(process),
                   "change the flags; `sinfo` lists partitions, nodes and time limits");
}

/// The merge job begins when all tasks have ended, successfully or not, and names missing shards.
ExitStatus slurm(const SlurmFlags& flags) {
  refuse_unquotable(flags);
  if (flags.out.empty()) {
    throw InputError("slurm needs --out FOLDER", "name a folder that all nodes share");
  }
  const std::int64_t task_count = parse_task_count(flags);
  const fs::path folder = shared_folder(flags);
  const std::string array_file = (folder / "array.sh").string();
  const std::string merge_file = (folder / "merge.sh").string();
  write_atomically(array_file, array_script(flags, folder, task_count));
  write_atomically(merge_file, merge_script(flags, folder));
  if (!flags.submit) {
    fmt::print("job=$(sbatch --parsable {})\nsbatch --dependency=afterany:$job {}\n",
               command_line(std::vector{array_file}), command_line(std::vector{merge_file}));
    return ExitStatus::kDone;
  }
  const std::string job = submit_job({"sbatch", "--parsable", array_file});
  fmt::print("{}\n", job);
  fmt::print("{}\n",
             submit_job({"sbatch", "--parsable", "--dependency=afterany:" + job, merge_file}));
  return ExitStatus::kDone;
}

}  // namespace

void add_slurm(CLI::App& app, Invocation& invocation) {
  const auto [verb, flags] = add_verb<SlurmFlags>(
      app, invocation, "slurm",
      "write or submit a Slurm job array of shards, and the job that merges them", slurm);
  verb->add_option("--partition", flags->partition, "partition of the cluster (its default)");
  verb->add_option("--array", flags->array,
                   "N: the number of tasks, one for each shard of the plan");
  verb->add_option("--gpus-per-task", flags->gpus_per_task, "1 (default), or 0 for the CPU");
  verb->add_option("--cpus-per-task", flags->cpus_per_task,
                   "cores of a task (the cluster's default)");
  verb->add_option("--time", flags->time, "time limit of a task, in Slurm's form (01:00:00)");
  verb->add_option("--sbatch", flags->sbatch_flags,
                   "more flags for sbatch: --sbatch='--account=lab'");
  verb->add_flag("--submit", flags->submit, "submit both jobs and print their numbers");
  add_run_flags(*verb, *flags, "FOLDER for the shards and their logs, shared by all nodes");
  // The array script sets these flags or leaves them to Slurm, which chooses the GPUs.
  for (const char* flag : {"--resume", "--dry-run", "--gpus", "--shard"}) {
    verb->remove_option(verb->get_option(flag));
  }
}

}  // namespace labreport
