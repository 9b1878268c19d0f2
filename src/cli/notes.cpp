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
  fs::path run;
  fs::path folder;
};

NotedRun subject(const NotesFlags& flags) {
  const fs::path noted = newest_run(list_measured_runs("site/runs"));
  if (flags.run.empty() && noted.empty()) recorded_runs("site/runs");  // its error says what to do
  NotedRun subject{flags.run.empty() ? noted : choose_folder(flags.run, "site/runs"), flags.notes};
  if (!subject.folder.empty()) return subject;
  const fs::path own = RunStore(subject.run).notes_folder();
  std::error_code error;
  const bool is_noted = !noted.empty() && fs::equivalent(subject.run, noted, error);
  subject.folder = is_noted && !fs::is_directory(own, error) ? fs::path(kNotesFolder) : own;
  return subject;
}

std::vector<const Part*> parts_of(const Document& document) {
  std::vector<const Part*> parts;
  for (const Section& section : document.sections) {
    for (const Part& part : section.parts) {
      if (!part.question.empty()) parts.push_back(&part);
    }
  }
  return parts;
}

/// Writes a file that does not exist yet; never changes one that does.
void write_new(const fs::path& file, const std::string& text) {
  if (fs::exists(fs::symlink_status(file))) {
    fmt::print("kept     {}\n", file.string());
  } else {
    write_atomically(file, text);
    fmt::print("written  {}\n", file.string());
  }
}

ExitStatus init(const NotedRun& subject, const Document& document) {
  const bool of_run = subject.folder == RunStore(subject.run).notes_folder();
  if (of_run && fs::is_symlink(fs::symlink_status(subject.folder))) {
    throw InputError(subject.folder.string() + " is a link", "put the folder itself there");
  }
  make_writable_folder(subject.folder);
  write_new(author_file(subject.folder), empty_author());
  for (const Part* part : parts_of(document)) {
    write_new(note_file(subject.folder, part->name()),
              empty_note(*part, subject.run.lexically_normal().string()));
  }
  return ExitStatus::kDone;
}

std::string state(const NotesFolder& notes, const Part& part) {
  const std::string name = part.name();
  const auto found = notes.notes.find(name);
  if (found != notes.notes.end()) {
    return found->second.note.replaces_answer ? "replaces the answer" : "follows the answer";
  }
  return fs::exists(fs::symlink_status(note_file(notes.folder, name))) ? "says nothing yet" : "–";
}

ExitStatus show(const NotedRun& subject, const Document& document) {
  const bool there = fs::is_directory(subject.folder);
  const NotesFolder notes =
      there ? read_notes(subject.folder, part_names()) : NotesFolder{subject.folder, {}, {}, {}};
  fmt::print("{}\nnotes in {}\n\n", subject.run.string(), subject.folder.string());
  if (!there)
    say("{}\n", in_callers_form("no notes yet; `labreport notes --init` writes empty ones"));
  for (const Part* part : parts_of(document)) {
    fmt::print("{:<32} {}\n", part->name(), state(notes, *part));
  }
  for (const std::string& problem : notes.problems) say("{}\n", problem);
  return notes.problems.empty() ? ExitStatus::kDone : ExitStatus::kIncomplete;
}

ExitStatus notes(const NotesFlags& flags) {
  const NotedRun chosen = subject(flags);
  const RunStore store(chosen.run);
  const Document document = build_document(load_measured(store), store.is_reference());
  if (flags.init) return init(chosen, document);
  if (!flags.notes.empty()) author_folder(flags.notes);  // throws if the folder does not exist
  return show(chosen, document);
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
