#include "cli/course.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/clock.h"
#include "base/file_errors.h"
#include "base/files.h"
#include "base/lists.h"
#include "base/messages.h"
#include "base/text.h"
#include "cli/joined_run.h"
#include "cli/recorded_plan.h"
#include "experiments/users_code.h"
#include "orchestrate/model_source.h"
#include "orchestrate/resume.h"
#include "results/redaction.h"
#include "results/run_store.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

/// An implementation of the student's.
struct CoursePart {
  std::string flag;   ///< "--ddp"
  std::string value;  ///< "…/tests/adapters.py:get_ddp"
  std::optional<std::string> loss = {}, optimizer = {};
};

struct Course {
  std::string edition;               ///< Empty if the checkout does not tell.
  std::vector<CoursePart> parts;     ///< In the order in which they are measured.
  std::vector<std::string> missing;  ///< "get_fsdp raises NotImplementedError"
};

Course find_course(const std::string& folder) {
  const auto found = nlohmann::json::parse(describe_course(folder, find_model_worker()));
  Course course{.edition = found.at("edition"), .parts = {}, .missing = {}};
  for (const nlohmann::json& part : found.at("parts")) {
    const bool is_second = part.at("flag") == "--attention" && !course.parts.empty() &&
                           course.parts.back().flag == "--attention";
    if (is_second) {  // All attentions are measured in one run.
      course.parts.back().value += "," + part.at("value").get<std::string>();
      continue;
    }
    CoursePart& added = course.parts.emplace_back(CoursePart{part.at("flag"), part.at("value")});
    if (part.contains("loss")) added.loss = part.at("loss");
    if (part.contains("optimizer")) added.optimizer = part.at("optimizer");
  }
  for (const nlohmann::json& missing : found.at("missing"))
    course.missing.push_back(missing.at("reason"));
  return course;
}

/// Returns the folder's path so that it ends in the folder's name: "." has none.
std::string named_folder(const fs::path& folder) {
  const fs::path path = (folder / "").lexically_normal().parent_path();
  const bool is_named = path.has_filename() && path.filename() != "." && path.filename() != "..";
  return is_named ? path.string() : fs::weakly_canonical(folder).string();
}

/// Throws if the command names other code, too.
void refuse_code_beside_course(const Request& request) {
  for (const GivenFlag& given : given_flags(with_code({}, request))) {
    if (given.name == "--compile") continue;
    throw InputError(fmt::format("--course and {} are both given", given.name),
                     "leave one out; a checkout names all of its code");
  }
}

void print_course(const std::string& folder, const Course& course) {
  say("{}{}\n", folder, course.edition.empty() ? "" : ", " + course.edition + " edition");
  for (const CoursePart& part : course.parts) say("  {} {}\n", part.flag, part.value);
  for (const std::string& reason : course.missing) say("  not measured: {}\n", reason);
}

/// Returns the flags that measure the part in its problems; nothing if none of these is chosen.
std::optional<RunFlags> flags_for(const CoursePart& part, RunFlags flags) {
  const CodeFlag& code = *std::ranges::find(kCodeFlags, part.flag, &CodeFlag::flag);
  flags.*code.code = part.value;
  flags.loss = part.loss;
  flags.optimizer = part.optimizer;
  if (part.flag != "--model") {
    flags.second_network.reset();
    flags.compile = false;
  }
  return answers_chosen_problem(flags) ? std::optional(flags) : std::nullopt;
}

/// True if the run measures the code that the flags name. Recorded paths may lack the user's name.
bool measures(const Request& recorded, const Request& flags) {
  Session redacted;
  redacted.request = flags;
  redact(redacted, private_names());
  return std::ranges::all_of(kCodeFlags, [&](const CodeFlag& flag) {
    return recorded.*flag.code == flags.*flag.code ||
           recorded.*flag.code == redacted.request.*flag.code;
  });
}

/// Returns the part's newest run below `folder`, whether it is complete or not.
std::optional<fs::path> earlier_run(const RunFlags& flags, const fs::path& folder) {
  std::vector<fs::path> runs = list_runs(folder);
  std::ranges::reverse(runs);
  const auto is_parts = [&](const fs::path& run) {
    return matches_request(run, flags) && measures(original_request(RunStore(run).load()), flags);
  };
  const auto found = std::ranges::find_if(runs, is_parts);
  return found == runs.end() ? std::nullopt : std::optional(*found);
}

/// A part to measure.
struct PartRun {
  RunFlags flags;
  std::optional<fs::path> earlier = {};  ///< The run to resume.

  bool is_complete() const {
    return earlier && !fs::exists(RunStore(*earlier).cells_folder()) &&
           exit_status_of(RunStore(*earlier).load()) == ExitStatus::kDone;
  }
};

std::vector<PartRun> part_runs(const Course& course, const RunFlags& common) {
  std::vector<PartRun> parts;
  for (const CoursePart& part : course.parts) {
    if (auto flags = flags_for(part, common)) parts.push_back({std::move(*flags)});
  }
  return parts;
}

/// Returns the folder of the checkout's newest measurement below `root`. Sets `parts`, which get
/// the flags with which the first of them was begun. Throws `InputError` if there is none.
fs::path resumed_parts(const Course& course, const RunFlags& given, const fs::path& root,
                       std::vector<PartRun>& parts) {
  std::vector<fs::path> folders;
  if (fs::exists(root))
    std::ranges::copy(fs::directory_iterator(root), std::back_inserter(folders));
  std::ranges::sort(folders, std::greater());
  for (const fs::path& folder : folders) {
    for (const PartRun& part : part_runs(course, given)) {
      const auto earlier = earlier_run(part.flags, folder);
      if (!earlier) continue;
      RunFlags begun = recorded_flags(RunStore(*earlier).load(), part.flags);
      const bool compiles = begun.compile || given.compile;
      static_cast<Request&>(begun) = with_code(begun, {});
      begun.compile = compiles;
      parts = part_runs(course, begun);
      for (PartRun& begun_part : parts) begun_part.earlier = earlier_run(begun_part.flags, folder);
      return folder;
    }
  }
  refuse_nothing_to_resume(given, root);
}

/// Returns the run below `root` that joins earlier runs of the parts; nothing if there is none.
std::optional<fs::path> joined_run(const std::vector<PartRun>& parts, const fs::path& root) {
  std::vector<std::string> starts;
  for (const PartRun& part : parts) {
    if (part.earlier) starts.push_back(RunStore(*part.earlier).load().sessions.front().started_at);
  }
  for (const fs::path& folder : list_measured_runs(root)) {
    for (const Session& session : RunStore(folder).load().sessions) {
      if (session.request.course && std::ranges::count(starts, session.started_at)) return folder;
    }
  }
  return std::nullopt;
}

/// Measures a part, or what an earlier run of it lacks. If something has changed since, measures it
/// anew.
MeasureResult measure_part(PartRun part, const fs::path& folder,
                           const std::vector<std::string>& argv) {
  part.flags.resume = part.earlier.has_value();
  if (part.is_complete()) return {ExitStatus::kDone, *part.earlier};
  if (!part.earlier) return measure(part.flags, folder, argv);
  try {
    return measure(part.flags, *part.earlier, argv);
  } catch (const OtherSurroundings& other) {
    say("measured anew: {}\n", other.change);
    part.flags.resume = false;
    return measure(part.flags, folder, argv);
  }
}

/// Joins the runs of the parts. The last session is the first part's, a network's if there is one.
fs::path join_parts(const std::vector<fs::path>& folders, const fs::path& root) {
  Run joined;
  for (const fs::path& folder : std::vector(folders.rbegin(), folders.rend())) {
    const Run run = RunStore(folder).load();
    joined.edition = run.edition;
    joined.preset = run.preset;
    append_run(joined, run);
  }
  return write_joined(joined, folders, root.string());
}

}  // namespace

std::vector<std::string> missing_parts(const std::string& checkout) try {
  return each(find_course(checkout).missing,
              [](const std::string& reason) { return "missing: " + reason; });
} catch (const InputError& error) {
  return {"missing parts are not known: " + error_line(error)};
}

MeasureResult measure_course(RunFlags flags, const fs::path& out,
                             const std::vector<std::string>& argv) {
  refuse_code_beside_course(flags);
  flags.course = named_folder(*flags.course);
  const Course course = find_course(*flags.course);
  print_course(*flags.course, course);
  RunFlags common = flags;
  fs::path folder = out / "parts" / replaced(utc_now(), ":", "");
  std::vector<PartRun> parts;
  if (flags.resume) {
    folder = resumed_parts(course, flags, out / "parts", parts);
  } else {
    if (!common.edition && !course.edition.empty()) common.edition = course.edition;
    parts = part_runs(course, common);
  }
  const auto superseded = joined_run(parts, out / "runs");
  if (superseded && std::ranges::all_of(parts, &PartRun::is_complete))
    refuse_nothing_to_resume(flags, out / "parts");
  std::vector<fs::path> folders;
  MeasureResult result;
  for (const PartRun& part : parts) {
    const CodeFlag& code = *given_code(part.flags);
    say("\n{} {}\n", code.flag, *(part.flags.*code.code));
    try {
      const MeasureResult measured = measure_part(part, folder, argv);
      if (measured.status == ExitStatus::kInterrupted) return measured;
      if (measured.status != ExitStatus::kDone) result.status = measured.status;
      if (!measured.folder.empty()) folders.push_back(measured.folder);
      if (result.failures.empty() && !measured.failures.empty()) {
        result.failures =
            fmt::format("{} {}: {}; `labreport report --course {} --resume` repeats what failed",
                        code.flag, *(part.flags.*code.code),
                        measured.failures.substr(0, measured.failures.find("; `")), *flags.course);
      }
    } catch (const InputError& error) {
      say("{}\n", error_line(error));  // The other parts are measured.
      result.status = ExitStatus::kIncomplete;
    }
  }
  if (flags.dry_run) return {};
  if (folders.empty())
    throw InputError("nothing of " + *flags.course + " was measured", "the lines above say why");
  result.folder = join_parts(folders, out / "runs");
  if (superseded) remove_tree(*superseded);
  return result;
}

}  // namespace labreport
