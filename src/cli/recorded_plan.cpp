#include "cli/recorded_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "base/messages.h"
#include "base/text.h"
#include "cli/flags.h"
#include "cli/output_flags.h"
#include "cli/shard.h"
#include "orchestrate/resume.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAnew = "measure anew without --resume";

/// The values of each flag that a command gives; "true" for one that takes none.
using GivenFlags = std::map<std::string, std::vector<std::string>>;

struct ResumeParser {
  ResumeParser() {
    verb.set_help_flag();
    add_run_flags(verb, flags, "");
    add_shard_flags(verb, flags);
    add_output_flags(verb, output);
  }
  CLI::App verb;
  RunFlags flags;
  OutputFlags output;
};

GivenFlags given_flags(const std::vector<std::string>& argv) {
  ResumeParser parser;
  parser.verb.parse(std::vector<std::string>(argv.rbegin(), argv.rend() - 2));
  GivenFlags given;
  for (const CLI::Option* option : std::as_const(parser.verb).get_options()) {
    if (option->count() > 0) given[flag_name(*option)] = option->results();
  }
  return given;
}

std::vector<std::string> words_of(const std::string& flag, const std::vector<std::string>& values) {
  const bool takes_value = ResumeParser().verb.get_option(flag)->get_expected_min() > 0;
  if (!takes_value) return {flag};
  std::vector<std::string> words;
  for (const std::string& value : values) words.insert(words.end(), {flag, value});
  return words;
}

RunFlags parsed(const GivenFlags& given) {
  std::vector<std::string> words;
  for (const auto& [flag, values] : given) {
    std::ranges::copy(words_of(flag, values), std::back_inserter(words));
  }
  ResumeParser parser;
  parser.verb.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  return parser.flags;
}

/// Of the flags that stay with a run: what it measures, and where its workers live.
bool stays(const std::string& flag) {
  constexpr std::array<std::string_view, 4> kOfWorkers{"--keep-env", "--nvtx", "--keep-host",
                                                       "--timeout"};
  return is_measure_flag(flag) || std::ranges::find(kOfWorkers, flag) != kOfWorkers.end();
}

/// Of those, the ones that change neither which cells there are nor what they say.
bool is_free(const std::string& flag) {
  constexpr std::array<std::string_view, 3> kFree{"--gpus", "--timeout", "--keep-host"};
  // A model's implementation says whether these are as they were.
  constexpr std::array<std::string_view, 6> kOfModels{"--model",     "--model-args", "--loss",
                                                      "--optimizer", "--compile",    "--attention"};
  return std::ranges::find(kFree, flag) != kFree.end() ||
         std::ranges::find(kOfModels, flag) != kOfModels.end();
}

GivenFlags with(GivenFlags flags, const GivenFlags& more) {
  for (const auto& [flag, values] : more) flags[flag] = values;
  return flags;
}

/// What of the flags decides on results.
struct PlanChoices {
  std::string edition;
  Preset preset;
  Selection selection;
  bool keep_env, nvtx;
  bool operator==(const PlanChoices&) const = default;
};

PlanChoices choices(const GivenFlags& given) {
  const RunFlags flags = parsed(given);
  const PlanInput input =
      plan_input(flags, parse_preset(flags.preset.value_or("full")), DeviceKind::kCuda);
  return {input.edition.name, input.preset, input.selection, flags.keep_env, flags.nvtx};
}

/// Whether the command leaves the plan as it is recorded, at least in this flag.
bool agrees(const GivenFlags& recorded, const std::string& flag,
            const std::vector<std::string>& values) {
  if (!stays(flag) || is_free(flag)) return true;
  const PlanChoices as_begun = choices(recorded);
  try {
    return choices(with(recorded, {{flag, values}})) == as_begun;
  } catch (const InputError&) {
    return false;  // it does not even fit the other flags
  }
}

GivenFlags recorded_words(const Run& run) {
  GivenFlags recorded;
  try {
    if (run.sessions.empty() || run.sessions.front().argv.size() < 2) throw InputError("");
    recorded = given_flags(run.sessions.front().argv);
    std::erase_if(recorded, [](const auto& item) { return !stays(item.first); });
    recorded["--edition"] = {run.edition};
    recorded["--preset"] = {run.preset};
    choices(recorded);
  } catch (const std::exception&) {  // the parser's own and ours
    throw InputError("this run cannot be resumed: the command that began it cannot be read", kAnew);
  }
  return recorded;
}

[[noreturn]] void refuse_other_plan(const std::vector<std::string>& argv, const GivenFlags& given,
                                    const std::vector<std::string>& other) {
  std::vector<std::string> fits{"labreport", argv.at(1)};
  for (const auto& [flag, values] : given) {
    if (std::ranges::find(other, flag) != other.end()) continue;
    std::ranges::copy(words_of(flag, values), std::back_inserter(fits));
  }
  throw InputError(
      fmt::format("{} {} not what this run was begun with", join_words(other),
                  other.size() == 1 ? "is" : "are"),
      fmt::format("go on with its own plan by `{}`, or {}", command_line(fits), kAnew));
}

/// A model is code: a folder that somebody sent must not have it run.
void refuse_unnamed_model(const GivenFlags& recorded, const GivenFlags& given) {
  for (const char* flag : {"--model", "--attention"}) {
    const auto code = recorded.find(flag);
    if (code == recorded.end() || given.contains(flag)) continue;
    throw InputError(
        "this run measures code of its user, which runs only where the command names it",
        fmt::format("name it again: {} {}", flag, code->second.front()));
  }
}

/// Throws where the folder holds no run that can be measured into.
Run load_measured_here(const fs::path& folder) {
  Run run = RunStore(folder).load();
  if (RunStore(folder).is_shared()) {
    throw InputError("the tasks of several shards measure into " + folder.string(),
                     "start them again, or join what they wrote by `labreport merge`");
  }
  if (run.source == "measured" && !RunStore(folder).is_imported()) return run;
  throw InputError(folder.string() + " holds numbers that were imported, not measured",
                   "name a measured run's folder with --out, or " + std::string(kAnew));
}

bool is_asked_for(const Run& run, const GivenFlags& given) {
  const auto same = [&](const char* flag, const std::string& value) {
    const auto found = given.find(flag);
    return found == given.end() || found->second == std::vector<std::string>{value};
  };
  return run.source == "measured" && same("--edition", run.edition) && same("--preset", run.preset);
}

/// One that cannot be read is told, and stands in no other's way.
bool can_go_on(const fs::path& folder, const GivenFlags& given) {
  const RunStore store(folder);
  if (!fs::exists(store.cells_folder()) || store.is_imported() || store.is_shared()) return false;
  try {
    return is_asked_for(store.load(), given);
  } catch (const Error& error) {
    say("left out: {}\n", error.what());
    return false;
  }
}

fs::path interrupted_run(const fs::path& root, const GivenFlags& given) {
  if (RunStore(root).exists()) return root;
  std::vector<fs::path> folders = list_runs(root);
  std::reverse(folders.begin(), folders.end());
  for (const fs::path& folder : folders) {
    if (can_go_on(folder, given)) return folder;
  }
  std::string which;
  for (const char* flag : {"--edition", "--preset"}) {
    if (given.contains(flag)) which += fmt::format(" {} {}", flag, given.at(flag).front());
  }
  throw InputError(
      "no interrupted run" + (which.empty() ? "" : " of" + which) + " under " + root.string(),
      kAnew);
}

/// Whether `make report RESUME=1` by itself looks where this command keeps its runs, and may go on.
bool made_by_make(const std::vector<std::string>& argv) {
  const bool otherwise = std::ranges::any_of(argv, [](const std::string& word) {
    const std::string flag = word.substr(0, word.find('='));
    return flag == "--out" || flag == "--model" || flag == "--attention";
  });
  return argv.size() > 1 && argv[1] == "report" && !otherwise;
}

}  // namespace

RunFlags begun_with(const Run& run) { return parsed(recorded_words(run)); }

std::string plan_words(const Run& run) {
  std::vector<std::string> all;
  for (const auto& [flag, values] : recorded_words(run)) {
    if (!is_free(flag)) std::ranges::copy(words_of(flag, values), std::back_inserter(all));
  }
  return command_line(all);
}

RunFlags recorded_flags(const Run& run, const std::vector<std::string>& argv) {
  const GivenFlags given = given_flags(argv);
  const GivenFlags recorded = recorded_words(run);
  refuse_unnamed_model(recorded, given);
  std::vector<std::string> other;
  for (const auto& [flag, values] : given) {
    if (!agrees(recorded, flag, values)) other.push_back(flag);
  }
  if (!other.empty()) refuse_other_plan(argv, given, other);
  return parsed(with(recorded, given));
}

GoneOn gone_on_run(const fs::path& root, const std::vector<std::string>& argv) {
  const fs::path folder = interrupted_run(root, given_flags(argv));
  return {folder, recorded_flags(load_measured_here(folder), argv)};
}

namespace fs = std::filesystem;

std::string kept_words(const Run& run, const std::vector<PlannedCell>& wanted) {
  std::size_t kept = 0;
  std::int64_t all = 0;
  for (const PlannedCell& cell : wanted) {
    const Cell* known = run.find(cell_id(cell.spec));
    const std::size_t launches = known == nullptr ? 0 : known->launches.size();
    kept += std::min(launches, static_cast<std::size_t>(cell.launches));  // one may be repeated
    all += cell.launches;
  }
  return fmt::format("{} of {} launches", kept, all);
}

void say_how_to_go_on(const std::string& kept, const fs::path& folder,
                      std::vector<std::string> argv) {
  if (std::find(argv.begin(), argv.end(), "--resume") == argv.end()) argv.push_back("--resume");
  say("interrupted: {} are kept in {}\n", kept, folder.string());
  say("go on with {}`{}`\n", made_by_make(argv) ? "`make report RESUME=1` or " : "",
      command_line(argv));
}

void fail_with_kept(const Error& error, const RunStore& store,
                    const std::vector<PlannedCell>& wanted) {
  std::string kept;
  try {
    const Run run = store.load();
    if (has_launches(run)) kept = kept_words(run, wanted);
  } catch (const std::exception&) {
    throw InputError(error.what());  // the folder is gone or cannot be read either
  }
  if (kept.empty()) throw InputError(error.what());
  throw InputError(error.what(), fmt::format("{} are kept in {}: go on with --resume", kept,
                                             store.folder().string()));
}

}  // namespace labreport
