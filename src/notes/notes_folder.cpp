#include "notes/notes_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "notes/front_matter.h"
#include "notes/note.h"
#include "notes/note_markdown.h"
#include "notes/note_pictures.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestNote = 1u << 20;
constexpr const char* kEnding = ".md";
constexpr const char* kAuthor = "author";

std::string file_name(const fs::path& file) { return file.filename().string(); }

/// What editors leave behind, and what explains a folder to people.
bool is_no_note(const fs::path& file) {
  const std::string name = file_name(file);
  return file.extension() != kEnding || name.starts_with('.') || name.starts_with('#') ||
         lower(name) == "readme.md";
}

/// The file's text, or why it cannot be used.
struct NoteBytes {
  std::string text;
  std::string problem;
};

NoteBytes read_note_file(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(file, error);
  if (fs::is_symlink(status)) return {"", "is a link and is left out: put the file itself there"};
  if (!fs::is_regular_file(status)) return {"", "is no plain file and is left out"};
  if (fs::file_size(file, error) > kLargestNote) return {"", "is over 1 MiB and is left out"};
  try {
    std::string text = read_plain_file(file, kLargestNote);
    if (!is_utf8(text)) return {"", "is not UTF-8 and is left out: save it as UTF-8"};
    if (trimmed(clean_text(text)).empty()) return {"", "is empty: write into it or delete it"};
    return {std::move(text), ""};
  } catch (const Error& failure) {
    return {"", "is left out: " + std::string(failure.what())};
  }
}

class NotesReader {
 public:
  NotesReader(const fs::path& folder, const std::vector<std::string>& names)
      : names_(names), pictures_(folder) {
    notes_.folder = folder;
  }

  NotesFolder read() {
    for (const fs::path& file : files()) read(file);
    return std::move(notes_);
  }

 private:
  /// In the order of their names: the same folder gives the same words everywhere.
  std::set<fs::path> files() {
    std::set<fs::path> files;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(notes_.folder, error)) {
      if (!is_no_note(entry.path())) files.insert(entry.path());
    }
    if (error) complain(notes_.folder, "cannot be read: " + error.message());
    return files;
  }

  void read(const fs::path& file) {
    const std::string name = file.stem().string();
    const bool author = name == kAuthor;
    if (!author && std::ranges::find(names_, name) == names_.end()) {
      return complain(file, "belongs to no part; nearest: " + join(nearest(name, names_), ", "));
    }
    const NoteBytes bytes = read_note_file(file);
    if (!bytes.problem.empty()) return complain(file, bytes.problem);
    author ? read_author(file, bytes.text) : read_note(file, name, bytes.text);
  }

  void read_author(const fs::path& file, const std::string& text) {
    FrontMatterFile front = parse_front_matter(text);
    complain(file, front.problems);
    notes_.front = std::move(front.front);
  }

  void read_note(const fs::path& file, const std::string& name, const std::string& text) {
    NoteFile read =
        parse_note(text, [&](const std::string& target) { return pictures_.find(target); });
    complain(file, read.problems);
    std::vector<Attachment> pictures = pictures_.take();
    if (read.note) notes_.notes[name] = {std::move(*read.note), std::move(pictures)};
  }

  void complain(const fs::path& file, const std::vector<NoteProblem>& problems) {
    for (const NoteProblem& problem : problems) {
      const std::string where =
          problem.line == 0 ? file.string() : fmt::format("{}:{}", file.string(), problem.line);
      notes_.problems.push_back(where + ": " + problem.text);
    }
  }

  void complain(const fs::path& file, const std::string& text) {
    notes_.problems.push_back(file.string() + " " + text);
  }

  const std::vector<std::string>& names_;
  NotesFolder notes_;
  NotePictures pictures_;
};

}  // namespace

fs::path note_file(const fs::path& folder, const std::string& name) {
  return folder / (name + kEnding);
}

fs::path author_file(const fs::path& folder) { return note_file(folder, kAuthor); }

NotesFolder read_notes(const fs::path& folder, const std::vector<std::string>& names) {
  return NotesReader(folder, names).read();
}

std::vector<std::string> place_notes(const NotesFolder& notes, Document& document) {
  document.front = notes.front;
  std::set<std::string> missing;
  for (const auto& [name, placed] : notes.notes) missing.insert(name);
  for (Section& section : document.sections) {
    for (Part& part : section.parts) {
      const auto found = notes.notes.find(part.name());
      if (found == notes.notes.end()) continue;
      part.note = found->second.note;
      const auto& pictures = found->second.pictures;
      part.files.insert(part.files.end(), pictures.begin(), pictures.end());
      missing.erase(found->first);
    }
  }
  std::vector<std::string> problems;
  for (const std::string& name : missing) {
    problems.push_back(note_file(notes.folder, name).string() +
                       " is left out: this run has no such part");
  }
  return problems;
}

}  // namespace labreport
