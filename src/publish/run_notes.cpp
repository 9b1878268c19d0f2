#include "publish/run_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/error.h"
#include "base/messages.h"
#include "base/text.h"
#include "experiments/catalog.h"
#include "publish/rendering.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNamed = 2;

/// A link in a run from elsewhere could show any words of the reader's: it counts for nothing.
bool has_own_notes(const RunStore& store) {
  std::error_code error;
  return fs::is_directory(fs::symlink_status(store.notes_folder(), error));
}

bool has_linked_notes(const RunStore& store) {
  std::error_code error;
  return fs::is_symlink(fs::symlink_status(store.notes_folder(), error));
}

/// "a, b and 3 more", the newest first.
std::string listed(const std::vector<fs::path>& runs) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kMostNamed, runs.size()); ++i) {
    names.push_back(runs[i].lexically_normal().string());
  }
  const std::string all = join(names, ", ");
  return runs.size() <= kMostNamed ? all
                                   : fmt::format("{} and {} more", all, runs.size() - kMostNamed);
}

std::vector<AuthorNote*> notes_of(std::vector<SiteRun>& runs) {
  std::vector<AuthorNote*> notes;
  for (SiteRun& run : runs) {
    for (Section& section : run.document.sections) {
      for (Part& part : section.parts) {
        if (part.note) notes.push_back(&*part.note);
      }
    }
  }
  return notes;
}

}  // namespace

fs::path author_folder(const std::string& flag) {
  std::error_code error;
  if (flag.empty()) return fs::is_directory(kNotesFolder, error) ? kNotesFolder : "";
  if (!fs::is_directory(flag, error)) {
    throw InputError("no folder of notes " + flag, "`labreport notes --init` writes one");
  }
  return flag;
}

RunNotes::RunNotes(const std::vector<fs::path>& runs, const fs::path& folder) {
  if (folder.empty()) return;
  noted_ = newest_run(runs);
  folder_ = folder;
  shared_ = read_notes(folder, part_names());
  placed_ = shared_.notes.size();
  tell(shared_.problems);
}

void RunNotes::place(const RunStore& store, Document& document) {
  if (!store.is_reference()) document.front = shared_.front;
  if (has_linked_notes(store)) {
    tell({store.notes_folder().string() +
          " is a link and is left out: put the folder itself there"});
  }
  if (!has_own_notes(store)) {
    if (belongs_to(store)) place_shared(document);
    return;
  }
  NotesFolder own = read_notes(store.notes_folder(), part_names());
  tell(own.problems);
  if (!fs::exists(author_file(store.notes_folder()))) own.front = document.front;
  tell(place_notes(own, document));
}

void RunNotes::place_shared(Document& document) {
  const std::vector<std::string> problems = place_notes(shared_, document);
  placed_ = shared_.notes.size() - problems.size();
  tell(problems);
}

std::string RunNotes::where(const std::vector<fs::path>& rendered) const {
  if (shared_.notes.empty() || std::ranges::find(rendered, noted_) == rendered.end()) return "";
  const RunStore noted(noted_);
  const std::string folder = folder_.lexically_normal().string();
  if (has_own_notes(noted)) {
    return fmt::format("notes: none from {}: {} has words of its own in {}", folder,
                       noted_.string(), noted.notes_folder().string());
  }
  std::vector<fs::path> others;
  for (const fs::path& run : rendered) {
    const RunStore store(run);
    const bool same_author = store.is_reference() == noted.is_reference();
    if (run != noted_ && same_author && !has_own_notes(store)) others.push_back(run);
  }
  std::ranges::sort(others, std::greater(), [](const fs::path& run) { return run.filename(); });
  const std::string line =
      fmt::format("notes: {} from {}, shown with {}", placed_, folder, noted_.string());
  return others.empty() ? line
                        : line + "; not with " + listed(others) +
                              ": words for one run go into its own folder notes";
}

void RunNotes::tell(const std::vector<std::string>& problems) {
  for (const std::string& problem : problems) say("{}\n", problem);
  problems_.insert(problems_.end(), problems.begin(), problems.end());
}

std::string convert_note_formulas(std::vector<SiteRun>& runs, ChartTool& tool) {
  std::set<std::string> sources;
  for (const AuthorNote* note : notes_of(runs)) {
    for (const MathSpan& span : cut_math(note->markdown).spans) {
      if (find_formula(span, {}) == nullptr) sources.insert(span.source());
    }
  }
  if (sources.empty()) return "";
  try {
    const Formulas formulas = tool.convert(sources);
    for (AuthorNote* note : notes_of(runs)) note->formulas = formulas;
    return "";
  } catch (const Error& error) {
    return std::string("formulas of notes are shown as TeX: ") + error.what();
  }
}

}  // namespace labreport
