#include "publish/rendering.h"

#include <algorithm>
#include <functional>

#include "base/descriptor.h"
#include "base/files.h"
#include "base/lists.h"
#include "base/messages.h"
#include "base/table.h"
#include "base/text.h"
#include "document/joined_report.h"
#include "experiments/answered_problems.h"
#include "experiments/catalog.h"
#include "experiments/overview/overview.h"
#include "experiments/users_code.h"
#include "publish/run_notes.h"
#include "results/run_json.h"
#include "results/run_labels.h"
#include "writers/csv/cells_csv.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostPublishedBytes = 10u << 20;

/// Reads the file's bytes if it is an artifact of at most `kMostPublishedBytes`. Does not follow
/// links, because a run may come from anywhere. The folder stays open, so that no link can take its
/// place meanwhile.
void publish_artifact(Attachment& file, const fs::path& artifacts) {
  if (file.artifact.empty()) return;
  const Descriptor folder(artifacts, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  const fs::path path =
      fs::path("/proc/self/fd") / std::to_string(folder.get()) / fs::path(file.artifact).filename();
  std::error_code error;
  if (!folder.is_open() || !fs::is_regular_file(fs::symlink_status(path, error))) return;
  if (fs::file_size(path, error) > kMostPublishedBytes) return;
  file = {file.name, read_plain_file(path, kMostPublishedBytes), {}};
}

/// Returns true also for an unreadable run, because rendering reports its problem.
bool worked(const fs::path& run) try {
  return !mostly_failed(RunStore(run).load());
} catch (const std::exception&) {
  return true;
}

/// Returns the file and the name of the user's code that answers the problem: "my_model.py:Model".
std::string users_code(const Run& run, const std::string& problem) {
  std::vector<std::string> answering, others;
  for (const Session& session : run.sessions) {
    for (const ModelSource* code : code_of(session)) {
      const std::string_view only_problem = flag_of(*code).problem;
      const bool answers = only_problem == problem ||
                           (only_problem.empty() && find_experiment(problem).in_profiling_half);
      (answers ? answering : others).push_back(code->model.substr(code->model.rfind('/') + 1));
    }
  }
  return join_words(distinct(answering.empty() ? others : answering));
}

bool is_full(const fs::path& run) try {
  const Run loaded = RunStore(run).load();
  return loaded.preset == kPresetFull && has_timing_cells(loaded) && !mostly_failed(loaded);
} catch (const std::exception&) {
  return false;
}

}  // namespace

Run load_measured(const RunStore& store) {
  Run run = store.load();
  if (run.source == kSourceImported) {
    throw InputError(store.folder().string() + " holds imported numbers",
                     "only a measured run has a report");
  }
  return run;
}

Document report_of(const RunStore& store, const Run& run, std::vector<std::string>& left_out,
                   const std::set<std::string>& problems) {
  std::vector<std::string> parts;
  Document document = build_document_of(problems, run, store.is_reference(), parts);
  for (const std::string& part : parts)
    left_out.push_back("left out of " + store.folder().lexically_normal().string() + ": " + part);
  return document;
}

SiteRun site_run(const WriteUp& write_up, RunNotes& notes, std::vector<std::string>& left_out) {
  std::vector<RunReport> reports;
  std::vector<RunSummary> summaries;
  for (const WriteUpRun& taken : write_up.runs) {
    const RunStore store(taken.folder);
    const Run run = load_measured(store);
    if (run.sessions.empty()) throw InputError(store.run_file().string() + " has no session");
    const std::set<std::string> all_problems;
    Document document =
        report_of(store, run, left_out, write_up.joins_runs() ? taken.problems : all_problems);
    for (Section& section : document.sections) {
      for (Part& part : section.parts) {
        for (Attachment& file : part.attachments) publish_artifact(file, store.artifacts_folder());
        if (write_up.left_to_notes.contains(part.name())) part.answer.clear();
      }
    }
    summaries.push_back(overview::run_summary(run, &document));
    summaries.back().folder = new_run_path("", run).string();
    notes.place(store, document);
    RunReport& report =
        reports.emplace_back(RunReport{std::move(document), {}, to_json(run), cells_csv(run)});
    for (const std::string& problem : taken.problems)
      report.code[problem] = taken.own_code.contains(problem) ? users_code(run, problem) : "";
  }
  RunSummary& summary = summaries.front();
  if (!write_up.joins_runs()) {
    RunReport& report = reports.front();
    return {std::move(summary), std::move(report.report), std::move(report.run_json),
            std::move(report.cells_csv)};
  }
  std::vector<std::string> problems;
  for (const Experiment& experiment : catalog()) problems.emplace_back(experiment.name);
  Document document = joined_report(std::move(reports), problems);
  static_cast<RunDescription&>(summary) = document;
  summary.folder = "write-up/" + write_up.edition;
  return {std::move(summary), std::move(document), "", ""};
}

Answers parse_answers(const std::string& text) {
  constexpr Names<Answers, 2> kNames{{{Answers::kNone, "none"}, {Answers::kFull, "full"}}};
  return parse_name(kNames, "--answers", text);
}

fs::path run_folder(const fs::path& path) {
  return fs::is_regular_file(path) ? path.parent_path() : path;
}

std::vector<fs::path> recorded_runs(const fs::path& root) {
  std::vector<fs::path> folders = list_measured_runs(root);
  if (folders.empty()) {
    throw InputError("no recorded run below " + fs::absolute(root).string(),
                     "go to the project's folder, or make a run with `make report`");
  }
  return folders;
}

std::string folder_name(const fs::path& run) {
  const fs::path folder = run.has_filename() ? run : run.parent_path();
  return folder.filename().string();
}

fs::path newest_run(std::vector<fs::path> runs) {
  std::ranges::sort(runs, std::greater(), folder_name);
  const auto is_users_and_worked = [](const fs::path& run) {
    return !RunStore(run).is_reference() && worked(run);
  };
  const std::function<bool(const fs::path&)> preferences[] = {is_users_and_worked, is_full, worked};
  for (const auto& is_preferred : preferences) {
    const auto found = std::ranges::find_if(runs, is_preferred);
    if (found != runs.end()) return *found;
  }
  return runs.empty() ? fs::path() : runs.front();
}

ExitStatus Rendered::status() const {
  return problems.empty() && !lacks_format ? ExitStatus::kDone : ExitStatus::kIncomplete;
}

void Rendered::print_messages() const {
  std::fflush(stdout);
  for (const std::string& line : {note_placement, notice}) {
    if (!line.empty()) say("{}\n", line);
  }
  for (const std::string& problem : problems) say("{}\n", problem);
}

const fs::path& Rendered::page_of(const fs::path& run_folder) const {
  const auto found = pages.find(run_folder);
  return found == pages.end() ? index : found->second;
}

}  // namespace labreport
