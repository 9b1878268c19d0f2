// Reads a folder of an author's notes:
//
//   author.md              name, course, repository (notes/note.h)
//   <problem>.<part>.md    the words of a part; <problem>.md where a problem has one part
//   anything else          pictures that the notes show, and what is nobody's business
//
// This program reads these files and never changes one.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "document/document.h"

namespace labreport {

inline constexpr const char* kNotesFolder = "notes";

/// A note as it is placed in a report.
struct PlacedNote {
  AuthorNote note;
  std::vector<Attachment> pictures;
  std::string run = {};  ///< The run that `empty_note` wrote it for; empty if nothing says so.
};

struct NotesFolder {
  std::filesystem::path folder;
  FrontMatter front;
  std::map<std::string, PlacedNote> notes;  ///< Notes by the part's name: "benchmarking_script.b"
  std::vector<std::string> problems;        ///< Unusable content, one line each, with file.
};

/// The file of a part's note.
std::filesystem::path note_file(const std::filesystem::path& folder, const std::string& name);
std::filesystem::path author_file(const std::filesystem::path& folder);

/// Reads what can be read; never fails because of the folder's content. `names`: the parts that a
/// note may belong to.
NotesFolder read_notes(const std::filesystem::path& folder, const std::vector<std::string>& names);

/// Puts the notes into their parts, as far as the report has these, and the author above.
void place_notes(const NotesFolder& notes, Document& document);

}  // namespace labreport
