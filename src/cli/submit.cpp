// labreport submit writes one run's report as a folder and a zip file to hand in.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>

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
#include "publish/hand_in_list.h"
#include "publish/helper_python.h"
#include "publish/rendering.h"
#include "publish/run_notes.h"
#include "publish/scratch_folder.h"
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

/// Lists what is handed in, whose PDF is in the folder.
using ListHandIn = std::function<HandInList(const fs::path& folder)>;

/// Writes the submission OUT and OUT.zip, and replaces an earlier one. Throws and changes neither
/// if it fails or is interrupted before all of it is written.
Rendered write_submission(const fs::path& run_folder, RenderOptions options,
                          const ListHandIn& list_hand_in) {
  const HeldInterrupts held;
  SubmissionFolder submission(options.out);
  options.out = submission.made().string() + ".site";
  const Rendered rendered = render_runs({run_folder}, options);
  take_report(rendered.page_of(run_folder), submission.made());
  write_atomically(submission.made() / "README.md", list_hand_in(submission.made()).markdown());
  submission.take_authors_files();
  write_zip(submission.made(), submission.made_zip());
  HeldInterrupts::throw_if_interrupted();
  submission.commit();
  return rendered;
}

/// Returns one line for each thing that a grader would miss beside the listed problems.
std::vector<std::string> missing_lines(const RunStore& store, const Run& run,
                                       const Document& document) {
  std::vector<std::string> lines;
  if (document.front.author.empty()) lines.emplace_back("no author: fill in notes/author.md");
  const auto failed =
      std::ranges::count_if(run.cells, [](const Cell& cell) { return ok_launch(cell) == nullptr; });
  if (failed > 0) {
    lines.push_back(fmt::format("{} of {} measurements; the report’s “What ran” has the reasons",
                                failed, run.cells.size()));
  }
  if (store.is_reference()) lines.emplace_back("a run of your own: this one ships with labreport");
  return lines;
}

/// Returns the run's report with the author's notes.
Document noted_report(const RunStore& store, const Run& run, const RenderOptions& options) {
  std::vector<std::string> left_out;  // Rendering reports these parts.
  Document document = report_of(store, run, left_out);
  RunNotes({store.folder()}, options.notes).place(store, document);
  return document;
}

ExitStatus submit(const SubmitFlags& flags) {
  // The path ends without a slash, so that OUT.zip lies beside the folder.
  const fs::path out = fs::path(flags.out + "/").lexically_normal().parent_path();
  const fs::path folder = flags.run.empty() ? newest_run(recorded_runs("site/runs"))
                                            : choose_folder(flags.run, "site/runs");
  const RunLock lock(folder);
  RenderOptions options = flags.output.options(flags.out);
  options.single_file = options.user_named_runs = true;
  const RunStore store(folder);
  const Run run = load_measured(store);
  const Document document = noted_report(store, run, options);
  const auto list_hand_in = [&, sources = measured_by(run)](const fs::path& listed) {
    return HandInList(document, options.answers, sources, listed / "report.pdf");
  };
  const Rendered rendered =
      keep_if_interrupted(out, [&] { return write_submission(folder, options, list_hand_in); });
  std::vector<std::string> reports;
  for (const char* name : {"report.pdf", "report.md", "report.tex", "report.html"}) {
    if (fs::exists(out / name)) reports.emplace_back(name);
  }
  fmt::print("{0}: {1} as {2}, with figures, CSV and run.json\n{0}.zip: the same, for Gradescope\n",
             out.string(), folder.lexically_normal().string(), join_words(reports));
  fmt::print("\n{}\n", in_callers_form(list_hand_in(out).text()));
  for (const std::string& line : missing_lines(store, run, document))
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
  verb->add_option("--out", flags->out, "folder to write, with FOLDER.zip beside it (submission)");
  verb->add_option("--answers", flags->output.answers, "generated answers: full (default) or none");
  verb->add_option("--paper", flags->output.paper, "the PDF's paper: a4 (default) or letter");
  verb->add_option("--notes", flags->output.notes, "folder of your notes (notes)");
}

}  // namespace labreport
