// labreport notes manages an author's own words, part by part.
#include <fmt/format.h>

#include <filesystem>

#include "base/files.h"
#include "base/messages.h"
#include "cli/hints.h"
#include "cli/run_choice.h"
#include "cli/verbs.h"
#include "experiments/catalog.h"
#include "notes/note_template.h"
#include "publish/rendering.h"
#include "publish/run_notes.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

struct NotesFlags {
  std::string run;
  std::string notes;
  bool init = false;
};

struct NotedRun {
  fs::path run;    ///< The run's folder.
  fs::path notes;  ///< The folder of its notes.
};

/// Without --notes, the newest run's notes are in kNotesFolder unless it has a folder of its own.
NotedRun choose_noted_run(const NotesFlags& flags) {
  const fs::path newest = newest_run(list_measured_runs("site/runs"));
  if (flags.run.empty() && newest.empty())
    recorded_runs("site/runs");  // It throws and says what to do.
  NotedRun noted_run{flags.run.empty() ? newest : choose_folder(flags.run, "site/runs"),
                     flags.notes};
  if (!noted_run.notes.empty()) return noted_run;
  const fs::path run_notes_folder = RunStore(noted_run.run).notes_folder();
  std::error_code error;
  const bool is_newest = !newest.empty() && fs::equivalent(noted_run.run, newest, error);
  noted_run.notes = is_newest && !fs::is_directory(run_notes_folder, error) ? fs::path(kNotesFolder)
                                                                            : run_notes_folder;
  return noted_run;
}

std::vector<const Part*> asked_parts(const Document& document) {
  std::vector<const Part*> parts;
  for (const Section& section : document.sections) {
    for (const Part& part : section.parts) {
      if (!part.question.empty()) parts.push_back(&part);
    }
  }
  return parts;
}

void write_if_absent(const fs::path& file, const std::string& text) {
  if (fs::exists(fs::symlink_status(file))) {
    fmt::print("kept     {}\n", file.string());
  } else {
    write_atomically(file, text);
    fmt::print("written  {}\n", file.string());
  }
}

ExitStatus init_notes(const NotedRun& noted_run, const Document& document) {
  const bool is_in_run = noted_run.notes == RunStore(noted_run.run).notes_folder();
  if (is_in_run && fs::is_symlink(fs::symlink_status(noted_run.notes))) {
    throw InputError(noted_run.notes.string() + " is a link", "put the folder itself there");
  }
  make_writable_folder(noted_run.notes);
  write_if_absent(author_file(noted_run.notes), author_template());
  for (const Part* part : asked_parts(document)) {
    write_if_absent(note_file(noted_run.notes, part->name()),
                    note_template(*part, noted_run.run.lexically_normal().string()));
  }
  return ExitStatus::kDone;
}

std::string note_state(const NotesFolder& notes, const Part& part) {
  const std::string name = part.name();
  const auto found = notes.notes.find(name);
  if (found != notes.notes.end()) {
    return found->second.note.replaces_answer ? "replaces the answer" : "follows the answer";
  }
  return fs::exists(fs::symlink_status(note_file(notes.folder, name))) ? "says nothing yet" : "–";
}

ExitStatus list_notes(const NotedRun& noted_run, const Document& document) {
  const bool has_folder = fs::is_directory(noted_run.notes);
  const NotesFolder notes = has_folder ? read_notes(noted_run.notes, part_names())
                                       : NotesFolder{noted_run.notes, {}, {}, {}};
  fmt::print("{}\nnotes in {}\n\n", noted_run.run.string(), noted_run.notes.string());
  if (!has_folder)
    say("{}\n", in_callers_form("no notes yet; `labreport notes --init` writes empty ones"));
  for (const Part* part : asked_parts(document)) {
    fmt::print("{:<32} {}\n", part->name(), note_state(notes, *part));
  }
  for (const std::string& problem : notes.problems) say("{}\n", problem);
  return notes.problems.empty() ? ExitStatus::kDone : ExitStatus::kIncomplete;
}

ExitStatus notes(const NotesFlags& flags) {
  const NotedRun noted_run = choose_noted_run(flags);
  const RunStore store(noted_run.run);
  std::vector<std::string> left_out;
  const Document document = report_of(store, load_measured(store), left_out);
  if (!flags.init && !flags.notes.empty())
    chosen_notes_folder(flags.notes);  // It throws if the folder does not exist.
  const ExitStatus status =
      flags.init ? init_notes(noted_run, document) : list_notes(noted_run, document);
  for (const std::string& line : left_out) say("{}\n", line);
  return left_out.empty() ? status : ExitStatus::kIncomplete;
}

}  // namespace

void add_notes(CLI::App& app, Invocation& invocation) {
  const auto [verb, flags] = add_verb<NotesFlags>(
      app, invocation, "notes", "list your notes, or write empty ones with --init", notes);
  verb->add_option("run", flags->run,
                   "RUN: a folder, a GPU, latest or previous (default: your newest run)");
  verb->add_flag("--init", flags->init, "write an empty note for each part that has none");
  verb->add_option("--notes", flags->notes, "folder of your notes (notes)");
}

}  // namespace labreport
