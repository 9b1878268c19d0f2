#include "cli/recorded_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string_view>

#include "base/messages.h"
#include "base/text.h"
#include "cli/hints.h"
#include "orchestrate/resume.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAnew = "measure anew without --resume";

/// True for flags that need not be as they were begun with: --gpus and --timeout do not change the
/// plan, and changes of a model's flags show in the name of its implementation.
bool is_free(const std::string& flag) {
  constexpr std::array<std::string_view, 8> kFree{"--gpus",       "--timeout",  "--model",
                                                  "--model-args", "--loss",     "--optimizer",
                                                  "--compile",    "--attention"};
  return std::ranges::find(kFree, flag) != kFree.end();
}

/// Members of a request that decide on results.
struct PlanChoices {
  std::string edition;
  Preset preset;
  Selection selection;
  bool keep_env, nvtx;
  std::optional<std::string> shard;
  bool operator==(const PlanChoices&) const = default;
};

PlanChoices choices(const Request& request) {
  const PlanInput input =
      plan_input(request, parse_preset(request.preset.value_or("full")), DeviceKind::kCuda);
  return {input.edition.name, input.preset, input.selection,
          request.keep_env,   request.nvtx, request.shard};
}

/// True if taking this flag from `given` leaves the plan that was begun unchanged.
bool agrees(const Request& begun, const std::string& flag, const Request& given) {
  if (is_free(flag)) return true;
  const PlanChoices as_begun = choices(begun);
  try {
    return choices(with_flag(begun, flag, given)) == as_begun;
  } catch (const InputError&) {
    return false;  // the flag contradicts the others
  }
}

/// Throws unless the command names the model again: a model is code, and a folder that somebody
/// sent must not make it run.
void refuse_unnamed_model(const Request& begun, const Request& given) {
  for (const GivenFlag& flag : given_flags(begun)) {
    const bool code = flag.name == "--model" || flag.name == "--attention";
    if (!code || (flag.name == "--model" ? given.model : given.attention)) continue;
    throw InputError("this run measures your own code, which is run only if the command names it",
                     "add " + join(flag.words(), " "));
  }
}

fs::path interrupted_run(const fs::path& root, const Request& given) {
  if (RunStore(root).exists()) return root;
  std::vector<fs::path> folders = list_runs(root);
  std::ranges::reverse(folders);
  for (const fs::path& folder : folders) {
    if (fs::exists(RunStore(folder).cells_folder()) && is_asked_for(folder, given)) return folder;
  }
  const Request named{.edition = given.edition, .preset = given.preset, .shard = given.shard};
  const std::string which = command_line(words_of(named));
  throw InputError(
      "no interrupted run" + (which.empty() ? "" : " of " + which) + " under " + root.string(),
      kAnew);
}

/// "8 of 40 launches"
std::string kept_launches(const Run& run, const std::vector<PlannedCell>& wanted) {
  std::size_t kept = 0;
  std::int64_t all = 0;
  for (const PlannedCell& cell : wanted) {
    const Cell* known = run.find(cell_id(cell.spec));
    const std::size_t launches = known == nullptr ? 0 : known->launches.size();
    kept += std::min(launches, static_cast<std::size_t>(cell.launches));  // without repeats
    all += cell.launches;
  }
  return fmt::format("{} of {} launches", kept, all);
}

}  // namespace

bool is_asked_for(const fs::path& folder, const Request& given) try {
  if (RunStore(folder).is_imported()) return false;
  const Run run = RunStore(folder).load();
  const Request begun = original_request(run);
  const auto same = [&](std::optional<std::string> Request::* flag) {
    return !(given.*flag) || given.*flag == begun.*flag;
  };
  return run.source == "measured" && same(&Request::edition) && same(&Request::preset) &&
         same(&Request::shard);
} catch (const Error& error) {
  say("left out: {}\n", error.what());
  return false;
}

std::string plan_words(const Run& run) {
  std::vector<std::string> all;
  for (const GivenFlag& flag : given_flags(original_request(run))) {
    if (!is_free(flag.name)) std::ranges::copy(flag.words(), std::back_inserter(all));
  }
  return command_line(all);
}

RunFlags recorded_flags(const Run& run, const RunFlags& given) {
  const Request begun = original_request(run);
  try {
    choices(begun);
  } catch (const InputError&) {
    throw InputError("this run cannot be resumed: what it was begun with cannot be read", kAnew);
  }
  refuse_unnamed_model(begun, given);
  RunFlags flags = given;
  static_cast<Request&>(flags) = begun;
  std::vector<std::string> other;
  for (const GivenFlag& flag : given_flags(given)) {
    if (!agrees(begun, flag.name, given)) other.push_back(flag.name);
    static_cast<Request&>(flags) = with_flag(flags, flag.name, given);
  }
  for (const Session& session : run.sessions) flags.keep_host |= !session.host.empty();
  if (other.empty()) return flags;
  throw InputError(fmt::format("{} {} not what this run was begun with", join_words(other),
                               other.size() == 1 ? "is" : "are"),
                   fmt::format("leave {} out, or {}", other.size() == 1 ? "it" : "them", kAnew));
}

ResumedRun run_to_resume(const fs::path& root, const RunFlags& given) {
  const fs::path folder = interrupted_run(root, given);
  const Run run = RunStore(folder).load();
  if (run.source == "measured" && !RunStore(folder).is_imported()) {
    return {folder, recorded_flags(run, given)};
  }
  throw InputError(folder.string() + " holds numbers that were imported, not measured",
                   "name a measured run's folder with --out, or " + std::string(kAnew));
}

void say_how_to_resume(const Run& run, const std::vector<PlannedCell>& wanted,
                       const fs::path& folder, std::vector<std::string> argv) {
  if (std::ranges::find(argv, "--resume") == argv.end()) argv.emplace_back("--resume");
  say("interrupted: {} are kept in {}\n", kept_launches(run, wanted), folder.string());
  say("{}\n", in_callers_form("resume it with `" + command_line(argv) + "`"));
}

void throw_with_kept_launches(const Error& error, const RunStore& store,
                              const std::vector<PlannedCell>& wanted) {
  std::string kept;
  try {
    const Run run = store.load();
    if (has_launches(run)) kept = kept_launches(run, wanted);
  } catch (const std::exception&) {
    throw InputError(error.what());  // the folder is gone or cannot be read either
  }
  if (kept.empty()) throw InputError(error.what());
  throw InputError(error.what(), fmt::format("{} are kept in {}: resume it with --resume", kept,
                                             store.folder().string()));
}

}  // namespace labreport
