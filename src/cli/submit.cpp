// labreport submit writes one report of the user's runs, and the code that they measured, as files
// to hand in.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <functional>
#include <iterator>

#include "base/error.h"
#include "base/files.h"
#include "base/lists.h"
#include "cli/course.h"
#include "cli/hints.h"
#include "cli/output_flags.h"
#include "cli/run_choice.h"
#include "cli/verbs.h"
#include "document/view.h"
#include "experiments/users_code.h"
#include "orchestrate/capture.h"
#include "orchestrate/resume.h"
#include "orchestrate/subprocess_interrupts.h"
#include "publish/hand_in_list.h"
#include "publish/rendering.h"
#include "publish/run_notes.h"
#include "publish/submission_files.h"
#include "publish/submission_folder.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

struct SubmitFlags {
  std::vector<std::string> runs;
  std::string edition;
  std::string course;
  std::string out = "submission";
  OutputFlags output;
};

/// Moves the page's folder, without the files that only a site needs. The page becomes report.html.
void take_report(const fs::path& page, const fs::path& made) {
  fs::rename(page.parent_path(), made);
  for (const char* site_file : {"index.html", "summary.json", "charts/specs.js"})
    remove_tree(made / site_file);
  fs::rename(made / page.filename(), made / "report.html");
}

/// Returns the write-up's report with the author's notes.
Document noted_report(const WriteUp& write_up, const RenderOptions& options) {
  std::vector<std::string> left_out;  // Rendering reports these parts.
  RunNotes notes({write_up}, options.notes);
  return site_run(write_up, notes, left_out).document;
}

/// Writes the submission, and replaces an earlier one. Sets `lines`, which say what it has and
/// lacks; the last one is the table of the edition's problems. Throws and changes nothing if it
/// fails or is interrupted before all of it is written, or if an earlier write-up has no successor.
Rendered write_submission(const WriteUp& write_up, const Document& document, RenderOptions options,
                          const fs::path& checkout, std::vector<std::string>& lines) {
  const HeldInterrupts held;
  SubmissionFolder submission(options.out);
  options.out = submission.made().string() + ".site";
  Rendered rendered = render_write_up(write_up, options);
  take_report(rendered.page_of(write_up.runs.front().folder), submission.made());
  const bool has_pdf = fs::exists(submission.made() / "report.pdf");
  const fs::path earlier = submission.out().parent_path() / SubmissionFolder::kWriteUp;
  if (!has_pdf && fs::exists(submission.out()) && fs::exists(earlier)) {
    rendered.print_messages();
    throw InputError("writeup.pdf cannot be made, so the earlier " + earlier.string() + " stays",
                     "mend what is said above, or choose another folder with --out");
  }
  rendered.lacks_format = rendered.lacks_format || !has_pdf;
  const HandInList hand_in(document, options.answers, measured_by(write_up), has_pdf);
  write_atomically(submission.made() / "README.md", hand_in.markdown());
  lines = pack(submission,
               each(write_up.folders(), [](const fs::path& folder) { return RunStore(folder); }),
               checkout);
  lines.push_back("\n" + hand_in.text());
  HeldInterrupts::throw_if_interrupted();
  submission.commit();
  return rendered;
}

/// Returns one line for each thing that a grader would miss beside the listed problems.
std::vector<std::string> missing_lines(const WriteUp& write_up, const Document& document) {
  std::vector<std::string> lines;
  if (document.front.author.empty())
    lines.emplace_back(
        "missing: your name; write it into notes/author.md, which `labreport notes --init` begins");
  std::int64_t failed = 0, measurements = 0;
  bool has_reference = false;
  for (const fs::path& folder : write_up.folders()) {
    const RunStore store(folder);
    for (const Cell& cell : store.load().cells) {
      ++measurements;
      failed += ok_launch(cell) == nullptr;
    }
    has_reference = has_reference || store.is_reference();
  }
  if (failed > 0) {
    lines.push_back(
        fmt::format("missing: {} of {} measurements; the report’s “What ran” has the reasons",
                    failed, measurements));
  }
  if (has_reference) {
    lines.emplace_back(write_up.joins_runs()
                           ? "missing: runs of your own alone: one of these ships with labreport"
                           : "missing: a run of your own: this one ships with labreport");
  }
  return lines;
}

/// Returns the write-up of the checkout's newest edition. Problems that ask for the student's own
/// code are left out if only labreport's was measured.
WriteUp write_up_of_course(const SubmitFlags& flags) {
  const std::string name = fs::weakly_canonical(flags.course).filename().string();
  std::string edition = flags.edition;
  bool is_measured = false;
  for (const fs::path& folder : list_measured_runs("site/runs")) {
    const Run run = RunStore(folder).load();
    if (course_name(run) != name || (!flags.edition.empty() && run.edition != edition)) continue;
    edition = run.edition;
    is_measured = true;
  }
  if (!is_measured)
    throw InputError("no run of " + flags.course,
                     "`labreport report --course " + flags.course + "` makes one");
  WriteUp write_up = write_up_of(flags.runs, edition, "site/runs");
  for (WriteUpRun& run : write_up.runs) {
    std::erase_if(run.problems, [&](const std::string& problem) {
      return is_asked_of_students(problem) && !run.own_code.contains(problem);
    });
  }
  std::erase_if(write_up.runs, [](const WriteUpRun& run) { return run.problems.empty(); });
  if (write_up.runs.empty())
    throw InputError("no run measures code of " + flags.course, "name one that does");
  return write_up;
}

ExitStatus submit(const SubmitFlags& flags) {
  // The path ends without a slash, so that OUT.zip lies beside the folder.
  const fs::path out = fs::path(flags.out + "/").lexically_normal().parent_path();
  WriteUp write_up = flags.course.empty() ? write_up_of(flags.runs, flags.edition, "site/runs")
                                          : write_up_of_course(flags);
  for (const WriteUpRun& run : write_up.runs)
    write_up.left_to_notes.merge(parts_on_design(run.own_code));
  std::deque<RunLock> locks;
  for (const fs::path& folder : write_up.folders()) locks.emplace_back(folder, RunUse::kRead);
  RenderOptions options = flags.output.options(flags.out);
  options.single_file = options.user_named_runs = true;
  const Document document = noted_report(write_up, options);
  std::vector<std::string> lines;
  const Rendered rendered = keep_if_interrupted(
      out, [&] { return write_submission(write_up, document, options, flags.course, lines); });
  std::ranges::copy(missing_lines(write_up, document), std::back_inserter(lines));
  if (!flags.course.empty())
    std::ranges::copy(missing_parts(flags.course), std::back_inserter(lines));
  if (flags.edition.empty() && flags.course.empty())
    lines.push_back(edition_hint(write_up.edition, "hands in runs of the other"));
  for (const std::string& line : lines) fmt::print("{}\n", in_callers_form(line));
  rendered.print_messages();
  return rendered.status();
}

}  // namespace

void add_submit(CLI::App& app, Invocation& invocation) {
  const auto [verb, flags] = add_verb<SubmitFlags>(
      app, invocation, "submit", "write a report of your runs as files to hand in", submit);
  verb->add_option(
      "runs", flags->runs,
      "RUN…: folders, GPUs, latest or previous (default: your best run of each problem)");
  verb->add_option("--edition", flags->edition, "2025 or 2026 (your newest run's)");
  verb->add_option("--course", flags->course,
                   "FOLDER of a course checkout: hand in its code, and no other in its place");
  verb->add_option(
      "--out", flags->out,
      "folder to write; FOLDER.zip, writeup.pdf and code.zip stand beside it (submission)");
  verb->add_option("--answers", flags->output.answers, "generated answers: full (default) or none");
  verb->add_option("--paper", flags->output.paper, "the PDF's paper: a4 (default) or letter");
  verb->add_option("--notes", flags->output.notes, "folder of your notes (notes)");
}

}  // namespace labreport
