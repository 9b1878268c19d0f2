// labreport submit writes one run's report as a folder and a zip file to hand in.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/text.h"
#include "cli/hints.h"
#include "cli/output_flags.h"
#include "cli/run_choice.h"
#include "cli/verbs.h"
#include "document/view.h"
#include "experiments/catalog.h"
#include "orchestrate/resume.h"
#include "orchestrate/worker_info.h"
#include "publish/helper_python.h"
#include "publish/rendering.h"
#include "publish/run_notes.h"
#include "publish/scratch_folder.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

struct SubmitFlags {
  std::string run;
  std::string out = "submission";
  std::string paper = "a4";
  std::string notes;
};

/// Copies the page's folder without the files that only a site needs. The page becomes report.html.
void copy_report(const fs::path& page, const fs::path& out) {
  fs::remove_all(out);
  fs::create_directories(out.parent_path().empty() ? "." : out.parent_path());
  fs::copy(page.parent_path(), out, fs::copy_options::recursive);
  for (const char* site_file : {"index.html", "summary.json", "charts/narrow", "charts/specs.js"})
    fs::remove_all(out / site_file);
  fs::rename(out / page.filename(), out / "report.html");
}

void write_zip(const fs::path& out, const fs::path& scratch) {
  const fs::path absolute_out = fs::absolute(out).lexically_normal();
  constexpr const char* kCode =
      "import shutil, sys\nshutil.make_archive(sys.argv[1], 'zip', sys.argv[2], sys.argv[3])\n";
  const HelperPython python(project_folder());
  const CompletedProcess process =
      python.run(kCode,
                 {absolute_out.string(), absolute_out.parent_path().string(),
                  absolute_out.filename().string()},
                 scratch, {.seconds = 60});
  if (!process.ok()) throw Error("cannot write " + absolute_out.string() + ".zip");
}

/// Returns one line for each thing that a grader would miss.
std::vector<std::string> missing_lines(const RunStore& store, const fs::path& notes) {
  const Run run = load_measured(store);
  Document document = build_document(run, store.is_reference());
  RunNotes run_notes({store.folder()}, notes);
  run_notes.place(store, document);
  std::int64_t questions = 0, generated = 0;
  for (const Section& section : document.sections) {
    for (const Part& part : section.parts) {
      if (part.question.empty()) continue;
      ++questions;
      generated += !part.note.has_value();
    }
  }
  std::vector<std::string> lines;
  if (generated > 0) {
    lines.push_back(
        fmt::format("{} of {} answers are generated; `labreport notes --init` begins your own",
                    generated, questions));
  }
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

ExitStatus submit(const SubmitFlags& flags) {
  // The path ends without a slash, so that OUT.zip lies beside the folder.
  const fs::path out = fs::path(flags.out + "/").lexically_normal().parent_path();
  const bool is_free = !fs::exists(out) || (fs::is_directory(out) && fs::is_empty(out));
  if (!is_free && (!fs::exists(out / "run.json") || !fs::exists(out / "report.md")))
    throw InputError(out.string() + " holds no earlier submission", "choose another --out");
  const fs::path folder = flags.run.empty() ? newest_run(recorded_runs("site/runs"))
                                            : choose_folder(flags.run, "site/runs");
  const RunLock lock(folder);
  const ScratchFolder scratch;
  OutputFlags output;
  output.paper = flags.paper;
  output.notes = flags.notes;
  RenderOptions options = output.options(scratch.path() / "site");
  options.single_file = options.user_named_runs = true;
  const Rendered rendered = render_runs({folder}, options);
  copy_report(rendered.page_of(folder), out);
  write_zip(out, scratch.path());
  std::vector<std::string> reports;
  for (const char* name : {"report.pdf", "report.md", "report.tex", "report.html"}) {
    if (fs::exists(out / name)) reports.emplace_back(name);
  }
  fmt::print("{0}: {1} as {2}, with figures, CSV and run.json\n{0}.zip: the same, for Gradescope\n",
             out.string(), folder.lexically_normal().string(), join_words(reports));
  for (const std::string& line : missing_lines(RunStore(folder), options.notes))
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
  verb->add_option("--paper", flags->paper, "the PDF's paper: a4 (default) or letter");
  verb->add_option("--notes", flags->notes, "folder of your notes (notes)");
}

}  // namespace labreport
