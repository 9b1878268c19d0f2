// labreport submit writes one run's report and the code that it measured as files to hand in.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "cli/hints.h"
#include "cli/output_flags.h"
#include "cli/run_choice.h"
#include "cli/verbs.h"
#include "document/view.h"
#include "orchestrate/capture.h"
#include "orchestrate/resume.h"
#include "orchestrate/subprocess_interrupts.h"
#include "publish/rendering.h"
#include "publish/run_notes.h"
#include "publish/submission_files.h"
#include "publish/submission_folder.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

struct SubmitFlags {
  std::string run;
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

/// Writes the submission, and replaces an earlier one. Sets `lines`, which say what it
/// has and lacks. Throws and changes nothing if it fails or is interrupted before all of it is
/// written.
Rendered write_submission(const fs::path& run_folder, RenderOptions options,
                          std::vector<std::string>& lines) {
  const HeldInterrupts held;
  SubmissionFolder submission(options.out);
  options.out = submission.made().string() + ".site";
  const Rendered rendered = render_runs({run_folder}, options);
  take_report(rendered.page_of(run_folder), submission.made());
  lines = pack(submission, {RunStore(run_folder)});
  HeldInterrupts::throw_if_interrupted();
  submission.commit();
  return rendered;
}

/// Returns one line for each thing that a grader would miss.
std::vector<std::string> missing_lines(const RunStore& store, const RenderOptions& options) {
  const Run run = load_measured(store);
  std::vector<std::string> left_out;  // Rendering has reported these parts.
  Document document = report_of(store, run, left_out);
  RunNotes run_notes({store.folder()}, options.notes);
  run_notes.place(store, document);
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
  const auto failed =
      std::ranges::count_if(run.cells, [](const Cell& cell) { return ok_launch(cell) == nullptr; });
  if (failed > 0) {
    lines.push_back(fmt::format("{} of {} measurements; the report’s “What ran” has the reasons",
                                failed, run.cells.size()));
  }
  if (document.demonstration) lines.emplace_back("a GPU: this is a demonstration on a CPU");
  if (store.is_reference()) lines.emplace_back("a run of your own: this one ships with labreport");
  return lines;
}

ExitStatus submit(const SubmitFlags& flags) {
  // The path ends without a slash, so that OUT.zip lies beside the folder.
  const fs::path out = fs::path(flags.out + "/").lexically_normal().parent_path();
  const fs::path folder = flags.run.empty() ? newest_run(recorded_runs("site/runs"))
                                            : choose_folder(flags.run, "site/runs");
  const RunLock lock(folder);
  RenderOptions options = flags.output.options(flags.out);
  options.single_file = options.user_named_runs = true;
  std::vector<std::string> lines;
  const Rendered rendered =
      keep_if_interrupted(out, [&] { return write_submission(folder, options, lines); });
  for (const std::string& line : lines) fmt::print("{}\n", in_callers_form(line));
  for (const std::string& line : missing_lines(RunStore(folder), options))
    fmt::print("{}\n", in_callers_form("missing: " + line));
  rendered.print_messages();
  return rendered.status();
}

}  // namespace

void add_submit(CLI::App& app, Invocation& invocation) {
  const auto [verb, flags] =
      add_verb<SubmitFlags>(app, invocation, "submit",
                            "write a run's report as a folder and a zip file to hand in", submit);
  verb->add_option("run", flags->run,
                   "RUN: a folder, a GPU, latest or previous (default: your newest run)");
  verb->add_option(
      "--out", flags->out,
      "folder to write; FOLDER.zip, writeup.pdf and code.zip stand beside it (submission)");
  verb->add_option("--answers", flags->output.answers, "generated answers: full (default) or none");
  verb->add_option("--paper", flags->output.paper, "the PDF's paper: a4 (default) or letter");
  verb->add_option("--notes", flags->output.notes, "folder of your notes (notes)");
}

}  // namespace labreport
