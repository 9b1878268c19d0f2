// labreport submit writes one report of the user's runs as a folder and a zip file to hand in.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/hints.h"
#include "cli/output_flags.h"
#include "cli/run_choice.h"
#include "cli/verbs.h"
#include "document/view.h"
#include "orchestrate/capture.h"
#include "orchestrate/resume.h"
#include "orchestrate/subprocess_interrupts.h"
#include "orchestrate/worker_info.h"
#include "publish/helper_python.h"
#include "publish/rendering.h"
#include "publish/run_notes.h"
#include "publish/scratch_folder.h"
#include "publish/submission_folder.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

struct SubmitFlags {
  std::vector<std::string> runs;
  std::string edition;
  std::string out = "submission";
  OutputFlags output;
};

/// Moves the page's folder, without the files that only a site needs. The page becomes report.html.
void take_report(const fs::path& page, const fs::path& made) {
  fs::rename(page.parent_path(), made);
  for (const char* site_file : {"index.html", "summary.json", "charts/narrow", "charts/specs.js"})
    remove_tree(made / site_file);
  fs::rename(made / page.filename(), made / "report.html");
}

/// Packs a folder into the file `zip`, in which all paths begin with the folder's name.
void write_zip(const fs::path& folder, const fs::path& zip) {
  constexpr const char* kCode =
      "import shutil, sys\n"
      "try:\n"
      "    shutil.make_archive(sys.argv[1], 'zip', sys.argv[2], sys.argv[3])\n"
      "except OSError as error:\n"
      "    sys.exit(error.strerror)\n";
  const fs::path absolute_path = fs::absolute(folder);
  const ScratchFolder scratch;
  const HelperPython python(project_folder());
  const CompletedProcess process =
      python.run(kCode,
                 {fs::absolute(zip).replace_extension().string(),
                  absolute_path.parent_path().string(), absolute_path.filename().string()},
                 scratch.path(), {.seconds = 60});
  if (process.ok()) return;
  throw Error(fmt::format("cannot write {}: {}", zip.string(), last_lines(process.messages, 1)),
              "free some space, or choose another --out");
}

/// Writes the submission OUT and OUT.zip, and replaces an earlier one. Throws and changes neither
/// if it fails or is interrupted before all of it is written.
Rendered write_submission(const WriteUp& write_up, RenderOptions options) {
  const HeldInterrupts held;
  SubmissionFolder submission(options.out);
  options.out = submission.made().string() + ".site";
  const Rendered rendered = render_write_up(write_up, options);
  take_report(rendered.page_of(write_up.runs.front().folder), submission.made());
  submission.take_authors_files();
  write_zip(submission.made(), submission.made_zip());
  HeldInterrupts::throw_if_interrupted();
  submission.commit();
  return rendered;
}

/// Returns one line for each thing that a grader would miss.
std::vector<std::string> missing_lines(const WriteUp& write_up, const RenderOptions& options) {
  std::vector<std::string> left_out;  // Rendering has reported these parts.
  RunNotes run_notes({write_up}, options.notes);
  const Document document = site_run(write_up, run_notes, left_out).document;
  std::int64_t questions = 0, without_note = 0;
  for (const Section& section : document.sections) {
    for (const Part& part : section.parts) {
      if (part.question.empty()) continue;
      ++questions;
      without_note += !part.note.has_value();
    }
  }
  std::vector<std::string> lines;
  if (without_note > 0) {
    lines.push_back(fmt::format("{} of {} answers are {}; `labreport notes --init` begins your own",
                                without_note, questions,
                                options.answers == Answers::kFull ? "generated" : "empty"));
  }
  if (document.front.author.empty()) lines.emplace_back("no author: fill in notes/author.md");
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
    lines.push_back(fmt::format("{} of {} measurements; the report’s “What ran” has the reasons",
                                failed, measurements));
  }
  if (document.demonstration) lines.emplace_back("a GPU: this is a demonstration on a CPU");
  if (has_reference) {
    lines.emplace_back(write_up.joins_runs()
                           ? "runs of your own alone: one of these ships with labreport"
                           : "a run of your own: this one ships with labreport");
  }
  return lines;
}

ExitStatus submit(const SubmitFlags& flags) {
  // The path ends without a slash, so that OUT.zip lies beside the folder.
  const fs::path out = fs::path(flags.out + "/").lexically_normal().parent_path();
  const WriteUp write_up = write_up_of(flags.runs, flags.edition, "site/runs");
  std::deque<RunLock> locks;
  std::vector<std::string> runs;
  for (const fs::path& folder : write_up.folders()) {
    locks.emplace_back(folder);
    runs.push_back(folder.lexically_normal().string());
  }
  RenderOptions options = flags.output.options(flags.out);
  options.single_file = options.user_named_runs = true;
  const Rendered rendered =
      keep_if_interrupted(out, [&] { return write_submission(write_up, options); });
  std::vector<std::string> reports;
  for (const char* name : {"report.pdf", "report.md", "report.tex", "report.html"}) {
    if (fs::exists(out / name)) reports.emplace_back(name);
  }
  fmt::print("{0}: {1} as {2}, with figures, CSV and {3}\n{0}.zip: the same, for Gradescope\n",
             out.string(), join_words(runs), join_words(reports),
             write_up.joins_runs() ? "runs/" : "run.json");
  if (!fs::exists(out / "report.pdf")) fmt::print("missing: report.pdf, for the reason below\n");
  for (const std::string& line : missing_lines(write_up, options))
    fmt::print("{}\n", in_callers_form("missing: " + line));
  rendered.print_messages();
  return rendered.status();
}

}  // namespace

void add_submit(CLI::App& app, Invocation& invocation) {
  const auto [verb, flags] = add_verb<SubmitFlags>(
      app, invocation, "submit", "write a report as a folder and a zip file to hand in", submit);
  verb->add_option(
      "runs", flags->runs,
      "RUN…: folders, GPUs, latest or previous (default: your best run of each problem)");
  verb->add_option("--edition", flags->edition, "2025 or 2026 (your newest run's)");
  verb->add_option("--out", flags->out, "folder to write, with FOLDER.zip beside it (submission)");
  verb->add_option("--answers", flags->output.answers, "generated answers: full (default) or none");
  verb->add_option("--paper", flags->output.paper, "the PDF's paper: a4 (default) or letter");
  verb->add_option("--notes", flags->output.notes, "folder of your notes (notes)");
}

}  // namespace labreport
