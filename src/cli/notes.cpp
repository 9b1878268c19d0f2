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
#include "publish/write_up.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

struct NotesFlags {
  std::string run;
  std::string notes;
  bool init = false;
};

/// A part with a question, and the folder of the run that answers it.
struct AskedPart {
  Part part;
  fs::path run;
};

/// The notes of one run, or of the write-up that joins the user's runs.
struct Noted {
  std::vector<fs::path> runs;
  fs::path notes;          ///< The folder of the notes.
  bool is_in_run = false;  ///< True if `notes` is inside the only run's folder.
  std::vector<AskedPart> parts = {};
  std::vector<std::string> left_out = {};  ///< See `report_of`.
};

/// Without --notes, they are in kNotesFolder, but those of a single run are in its own folder if it
/// has one or if it is not the newest.
fs::path notes_folder(const NotesFlags& flags, const std::vector<fs::path>& runs) {
  if (!flags.notes.empty()) return flags.notes;
  if (runs.size() > 1) return kNotesFolder;
  const fs::path own_folder = RunStore(runs.front()).notes_folder();
  const fs::path newest = newest_run(list_measured_runs("site/runs"));
  std::error_code error;
  const bool is_newest =
      flags.run.empty() || (!newest.empty() && fs::equivalent(runs.front(), newest, error));
  return is_newest && !fs::is_directory(own_folder, error) ? fs::path(kNotesFolder) : own_folder;
}

Noted choose_noted(const NotesFlags& flags) {
  const WriteUp write_up = flags.run.empty()
                               ? choose_users_write_up(recorded_runs("site/runs"), "")
                               : choose_write_up({choose_folder(flags.run, "site/runs")}, "");
  Noted noted{write_up.folders(), notes_folder(flags, write_up.folders())};
  noted.is_in_run = noted.notes == RunStore(noted.runs.front()).notes_folder();
  for (const WriteUpRun& taken : write_up.runs) {
    const RunStore store(taken.folder);
    const Document document = report_of(store, load_measured(store), noted.left_out);
    for (const Section& section : document.sections) {
      for (const Part& part : section.parts) {
        const bool is_taken = !write_up.joins_runs() || taken.problems.contains(part.problem);
        if (is_taken && !part.question.empty()) noted.parts.push_back({part, taken.folder});
      }
    }
  }
  return noted;
}

void write_if_absent(const fs::path& file, const std::string& text) {
  if (fs::exists(fs::symlink_status(file))) {
    fmt::print("kept     {}\n", file.string());
  } else {
    write_atomically(file, text);
    fmt::print("written  {}\n", file.string());
  }
}

ExitStatus init_notes(const Noted& noted) {
  if (noted.is_in_run && fs::is_symlink(fs::symlink_status(noted.notes))) {
    throw InputError(noted.notes.string() + " is a link", "put the folder itself there");
  }
  make_writable_folder(noted.notes, "--notes");
  write_if_absent(author_file(noted.notes), author_template());
  for (const auto& [part, run] : noted.parts) {
    write_if_absent(note_file(noted.notes, part.name()),
                    note_template(part, run.lexically_normal().string()));
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

ExitStatus list_notes(const Noted& noted) {
  const bool has_folder = fs::is_directory(noted.notes);
  NotesFolder notes;
  notes.folder = noted.notes;
  if (has_folder) notes = read_notes(noted.notes, part_names());
  for (const fs::path& run : noted.runs) fmt::print("{}\n", run.string());
  fmt::print("notes in {}\n\n", noted.notes.string());
  if (!has_folder)
    say("{}\n", in_callers_form("no notes yet; `labreport notes --init` writes empty ones"));
  for (const AskedPart& asked : noted.parts)
    fmt::print("{:<32} {}\n", asked.part.name(), note_state(notes, asked.part));
  for (const auto* lines : {&notes.problems, &notes.missing_pictures})
    for (const std::string& line : *lines) say("{}\n", line);
  return notes.problems.empty() ? ExitStatus::kDone : ExitStatus::kIncomplete;
}

ExitStatus notes(const NotesFlags& flags) {
  const Noted noted = choose_noted(flags);
  if (!flags.init && !flags.notes.empty())
    chosen_notes_folder(flags.notes);  // It throws if the folder does not exist.
  const ExitStatus status = flags.init ? init_notes(noted) : list_notes(noted);
  for (const std::string& line : noted.left_out) say("{}\n", line);
  return noted.left_out.empty() ? status : ExitStatus::kIncomplete;
}

}  // namespace

void add_notes(CLI::App& app, Invocation& invocation) {
  const auto [verb, flags] = add_verb<NotesFlags>(
      app, invocation, "notes", "list your notes, or write empty ones with --init", notes);
  verb->add_option("run", flags->run,
                   "RUN: a folder, a GPU, latest or previous (default: your write-up's runs)");
  verb->add_flag("--init", flags->init, "write an empty note for each part that has none");
  verb->add_option("--notes", flags->notes, "folder of your notes (notes)");
}

}  // namespace labreport
