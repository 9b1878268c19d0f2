#include "publish/run_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <tuple>

#include "base/error.h"
#include "base/text.h"
#include "experiments/answered_problems.h"
#include "experiments/catalog.h"
#include "publish/rendering.h"
#include "results/run_labels.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

/// Returns false for a link: in a run from elsewhere it could publish any file of the user's.
bool has_own_notes(const RunStore& store) {
  std::error_code error;
  return fs::is_directory(fs::symlink_status(store.notes_folder(), error));
}

std::vector<AuthorNote*> notes_of(SiteRun& run) {
  std::vector<AuthorNote*> notes;
  for (Section& section : run.document.sections) {
    for (Part& part : section.parts) {
      if (part.note) notes.push_back(&*part.note);
    }
  }
  return notes;
}

/// A run's edition, whether it is the demonstration, and the class of the user's model. The first
/// two decide the network's sizes. The model's files do not count: they may have changed since.
using Network = std::tuple<std::string, bool, std::string>;

Network network_of(const Run& run) {
  const ModelSource* model = measured_model(run);
  const std::string file_and_class = model == nullptr ? "" : model->model;
  return {run.edition, run.preset == kPresetDemo,
          file_and_class.substr(file_and_class.rfind(':') + 1)};
}

/// A run to which notes may belong.
struct NoteCandidate {
  fs::path folder;
  Network network;
  std::set<std::string> parts;
};

/// Returns nothing for a run that mostly failed or is unreadable; rendering reports the latter. If
/// there are `problems`, the candidate has their parts alone.
std::optional<NoteCandidate> note_candidate(const fs::path& folder,
                                            const std::set<std::string>& problems) try {
  const Run run = load_measured(RunStore(folder));
  if (mostly_failed(run)) return {};
  NoteCandidate candidate{folder, network_of(run), {}};
  std::vector<std::string> left_out;  // Rendering reports these parts.
  for (const Section& section : build_document_of(problems, run, false, left_out).sections) {
    for (const Part& part : section.parts) candidate.parts.insert(part.name());
  }
  return candidate;
} catch (const std::exception&) {
  return {};
}

/// Returns the network of the run for which a note was begun; nothing if the run cannot be read.
std::optional<Network> network_begun_for(const std::string& run) try {
  if (run.empty() || !fs::is_directory(run)) return {};
  return network_of(RunStore(run).load());
} catch (const std::exception&) {
  return {};
}

std::string normal_path(const fs::path& run) { return run.lexically_normal().string(); }

}  // namespace

fs::path chosen_notes_folder(const std::string& flag) {
  std::error_code error;
  if (flag.empty()) return fs::is_directory(kNotesFolder, error) ? kNotesFolder : "";
  if (!fs::is_directory(flag, error)) {
    throw InputError("no folder of notes " + flag, "`labreport notes --init` writes one");
  }
  return flag;
}

RunNotes::RunNotes(const std::vector<WriteUp>& reports, const fs::path& folder) : folder_(folder) {
  if (folder.empty()) return;
  author_notes_ = read_notes(folder, part_names());
  problems_ = author_notes_.problems;
  missing_pictures_ = author_notes_.missing_pictures;
  if (!author_notes_.notes.empty()) assign(reports);
}

void RunNotes::assign(std::vector<WriteUp> reports) {
  // If there are reports with runs of the user's, only these count.
  const auto is_shipped = [](const WriteUp& report) {
    return std::ranges::all_of(
        report.runs, [](const WriteUpRun& run) { return RunStore(run.folder).is_reference(); });
  };
  if (!std::ranges::all_of(reports, is_shipped)) std::erase_if(reports, is_shipped);
  std::vector<NoteCandidate> candidates;  // The oldest comes first.
  for (const WriteUp& report : reports) {
    for (const WriteUpRun& run : report.runs) {
      const std::set<std::string> all_problems;
      auto candidate =
          note_candidate(run.folder, report.joins_runs() ? run.problems : all_problems);
      if (candidate) candidates.push_back(std::move(*candidate));
    }
  }
  std::ranges::stable_sort(candidates, {},
                           [](const NoteCandidate& run) { return folder_name(run.folder); });
  for (const auto& [part_name, note] : author_notes_.notes) {
    std::optional<Network> network = network_begun_for(note.generated_from);
    const NoteCandidate* newest = nullptr;
    for (const NoteCandidate& run : candidates) {
      if (!run.parts.contains(part_name)) continue;
      if (!network) network = run.network;
      if (run.network == *network) newest = &run;
    }
    if (newest != nullptr) note_names_[newest->folder].insert(part_name);
  }
}

const std::set<std::string>& RunNotes::names_for(const RunStore& store) const {
  static const std::set<std::string> none;
  const auto found = note_names_.find(store.folder());
  return found == note_names_.end() ? none : found->second;
}

void RunNotes::place(const RunStore& store, Document& document) {
  if (!store.is_reference()) document.front = author_notes_.front;
  std::error_code error;
  if (fs::is_symlink(fs::symlink_status(store.notes_folder(), error))) {
    add_problem(store.notes_folder().string() +
                " is a link and is left out: put the folder itself there");
  }
  if (!has_own_notes(store)) {
    NotesFolder chosen = author_notes_;
    std::erase_if(chosen.notes,
                  [&](const auto& note) { return !names_for(store).contains(note.first); });
    if (!chosen.notes.empty()) place_notes(chosen, document);
    return;
  }
  NotesFolder notes = read_notes(store.notes_folder(), part_names());
  std::ranges::copy(notes.problems, std::back_inserter(problems_));
  std::ranges::copy(notes.missing_pictures, std::back_inserter(missing_pictures_));
  if (!fs::exists(author_file(store.notes_folder()))) notes.front = document.front;
  place_notes(notes, document);
}

std::string RunNotes::placement(const std::vector<fs::path>& rendered) const {
  std::vector<std::string> places;
  std::size_t placed_count = 0;
  for (const auto& [run, names] : note_names_) {
    placed_count += names.size();
    if (std::ranges::find(rendered, run) == rendered.end()) continue;
    const bool has_own = has_own_notes(RunStore(run));
    places.push_back(has_own ? fmt::format("none with {}, which has its own", normal_path(run))
                             : fmt::format("{} with {}", names.size(), normal_path(run)));
  }
  const std::size_t unplaced_count = author_notes_.notes.size() - placed_count;
  if (unplaced_count > 0) places.push_back(fmt::format("{} for no run here", unplaced_count));
  if (places.empty()) return "";
  return fmt::format("notes from {}: {}", normal_path(folder_), join(places, ", "));
}

ConvertedFormulas convert_note_formulas(std::vector<SiteRun>& runs, ChartTool& tool) {
  ConvertedFormulas result;
  std::set<std::string> sources;
  for (SiteRun& run : runs) {
    for (const AuthorNote* note : notes_of(run)) {
      for (const MathSpan& span : cut_math(note->markdown).spans) {
        if (find_formula(span, {}) == nullptr) sources.insert(span.source());
      }
    }
  }
  if (sources.empty()) return result;
  Formulas formulas;
  try {
    formulas = tool.convert_formulas(sources);
  } catch (const Error& error) {
    result.failure = std::string("formulas of notes are shown as TeX: ") + error.what();
    return result;
  }
  for (SiteRun& run : runs) {
    for (AuthorNote* note : notes_of(run)) {
      note->formulas = formulas;
      for (const auto& [source, place] : note->formula_places) {
        if (!sources.contains(source)) continue;
        const auto formula = formulas.find(source);
        if (formula != formulas.end() && !formula->second.typst.empty()) continue;
        result.refusals.push_back(fmt::format("{}: {} cannot be typeset and is shown as code{}",
                                              place, source,
                                              formula == formulas.end() ? "" : " in report.pdf"));
        result.affected_runs.insert(run.folder());
      }
    }
  }
  return result;
}

}  // namespace labreport
