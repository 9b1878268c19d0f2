#include "cli/recorded_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/messages.h"
#include "base/text.h"
#include "cli/hints.h"
#include "experiments/users_code.h"
#include "orchestrate/resume.h"
#include "publish/rendering.h"
#include "results/run_labels.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMeasureAnew = "measure anew without --resume";

/// True for flags that need no comparison: --gpus and --timeout do not change the plan, and flags
/// of the user's code change its implementation's name, which `first_difference` compares.
bool may_differ(const std::string& flag) {
  return flag == "--gpus" || flag == "--timeout" || flag == "--course" ||
         std::ranges::find(kCodeFlags, flag, &CodeFlag::flag) != std::end(kCodeFlags) ||
         std::ranges::find(kCodeDetails, flag, &CodeDetail::flag) != std::end(kCodeDetails);
}

/// The parts of a request that decide on results. --gpus and --timeout are not among them.
struct PlanChoices {
  std::string edition;
  Preset preset;
  Selection selection;
  bool keep_env, nvtx;
  std::optional<std::string> shard;
  bool operator==(const PlanChoices&) const = default;
};

PlanChoices plan_choices(const Request& request) {
  const PlanInput input =
      plan_input(request, parse_name<Preset>(request.preset.value_or("full")), DeviceKind::kCuda);
  return {input.edition.name, input.preset, input.selection,
          request.keep_env,   request.nvtx, request.shard};
}

/// True if the recorded plan stays the same when this flag is taken from `given`.
bool keeps_plan(const Request& recorded, const std::string& flag, const Request& given) {
  if (may_differ(flag)) return true;
  const PlanChoices recorded_choices = plan_choices(recorded);
  try {
    return plan_choices(with_flag(recorded, flag, given)) == recorded_choices;
  } catch (const InputError&) {
    return false;  // The flag contradicts the others.
  }
}

/// Throws unless the command names the recorded model again. A model is code, and a folder that
/// somebody sent must not make this program run it.
void refuse_unnamed_model(const Request& recorded, const Request& given) {
  for (const CodeFlag& code : kCodeFlags) {
    if (!code.is_given(recorded) || code.is_given(given)) continue;
    const Request flag = with_flag(Request(), std::string(code.flag), recorded);
    throw InputError("this run measures your own code, which is run only if the command names it",
                     "add " + join(words_of(flag), " "));
  }
}

/// Returns the run in `root`, which may also be its run.json, or else the newest interrupted one
/// below it.
fs::path interrupted_run(const fs::path& named, const Request& given) {
  const fs::path root = run_folder(named);
  if (RunStore(root).exists()) return root;
  std::vector<fs::path> folders = list_runs(root);
  std::ranges::reverse(folders);
  for (const fs::path& folder : folders) {
    if (fs::exists(RunStore(folder).cells_folder()) && matches_request(folder, given))
      return folder;
  }
  refuse_nothing_to_resume(given, root);
}

/// Returns "8 of 40 launches".
std::string kept_launches(const Run& run, const std::vector<PlannedCell>& wanted) {
  std::size_t kept = 0;
  std::int64_t all = 0;
  for (const PlannedCell& cell : wanted) {
    const Cell* known = run.find(cell_id(cell.spec));
    const std::size_t launches = known == nullptr ? 0 : known->launches.size();
    kept += std::min(launches,
                     static_cast<std::size_t>(cell.launches));  // A repeated launch does not count.
    all += cell.launches;
  }
  return fmt::format("{} of {} launches", kept, all);
}

}  // namespace

void refuse_nothing_to_resume(const Request& given, const fs::path& root) {
  const Request shown{.edition = given.edition,
                      .preset = given.preset,
                      .course = given.course,
                      .shard = given.shard};
  const std::string selection = command_line(words_of(shown));
  throw InputError("no interrupted run" + (selection.empty() ? "" : " of " + selection) +
                       " below " + fs::absolute(root).string() +
                       (fs::exists(root) ? "" : ", which is not there"),
                   kMeasureAnew);
}

bool matches_request(const fs::path& folder, const Request& given) try {
  if (RunStore(folder).is_imported()) return false;
  const Run run = RunStore(folder).load();
  const Request recorded = original_request(run);
  const auto matches = [&](std::optional<std::string> Request::* flag) {
    return !(given.*flag) || given.*flag == recorded.*flag;
  };
  return run.source == kSourceMeasured && matches(&Request::edition) && matches(&Request::preset) &&
         matches(&Request::shard);
} catch (const Error& error) {
  say("left out: {}\n", error.what());
  return false;
}

std::string plan_flags(const Run& run) {
  std::vector<std::string> words;
  for (const GivenFlag& flag : given_flags(original_request(run))) {
    if (!may_differ(flag.name)) std::ranges::copy(flag.words(), std::back_inserter(words));
  }
  return command_line(words);
}

RunFlags recorded_flags(const Run& run, const RunFlags& given) {
  const Request recorded = original_request(run);
  try {
    plan_choices(recorded);
  } catch (const InputError&) {
    throw InputError("this run cannot be resumed: what it was begun with cannot be read",
                     kMeasureAnew);
  }
  refuse_unnamed_model(recorded, given);
  RunFlags flags = given;
  static_cast<Request&>(flags) = recorded;
  std::vector<std::string> conflicting;
  for (const GivenFlag& flag : given_flags(given)) {
    if (!keeps_plan(recorded, flag.name, given)) conflicting.push_back(flag.name);
    static_cast<Request&>(flags) = with_flag(flags, flag.name, given);
  }
  for (const Session& session : run.sessions) flags.keep_host |= !session.host.empty();
  if (conflicting.empty()) return flags;
  throw InputError(
      fmt::format("{} {} not what this run was begun with", join_words(conflicting),
                  conflicting.size() == 1 ? "is" : "are"),
      fmt::format("leave {} out, or {}", conflicting.size() == 1 ? "it" : "them", kMeasureAnew));
}

ResumedRun run_to_resume(const fs::path& root, const RunFlags& given) {
  const fs::path folder = interrupted_run(root, given);
  const Run run = RunStore(folder).load();
  if (run.source == kSourceMeasured && !RunStore(folder).is_imported()) {
    return {folder, recorded_flags(run, given)};
  }
  throw InputError(folder.string() + " holds numbers that were imported, not measured",
                   "name a measured run's folder with --out, or " + std::string(kMeasureAnew));
}

void say_how_to_resume(const Run& run, const std::vector<PlannedCell>& wanted,
                       const fs::path& folder, std::vector<std::string> argv) {
  if (std::ranges::find(argv, "--resume") == argv.end()) argv.emplace_back("--resume");
  say("interrupted: {} are kept in {}\n", kept_launches(run, wanted), folder.string());
  say("{}\n", in_callers_form("resume it with `" + command_line(argv) + "`"));
}

void throw_with_kept_launches(const Error& error, const RunStore& store, const PlanCells& plan) {
  std::string kept;
  try {
    const Run run = store.load();
    if (has_launches(run)) kept = kept_launches(run, plan(run));
  } catch (const std::exception&) {
    throw InputError(error.what());  // The folder is gone or cannot be read.
  }
  if (kept.empty()) throw InputError(error.what());
  throw InputError(error.what(), fmt::format("{} are kept in {}: resume it with --resume", kept,
                                             store.folder().string()));
}

}  // namespace labreport
