// Reads a folder of an author's notes:
//
//   author.md              name, course, repository (notes/note.h)
//   <problem>.<part>.md    the words of a part; <problem>.md where a problem has one part
//   anything else          pictures that the notes show; other files are ignored
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

struct PlacedNote {
  AuthorNote note;
  std::vector<Attachment> pictures;
  std::string run = {};  ///< The run that `empty_note` named in the note; else empty.
};

struct NotesFolder {
  std::filesystem::path folder;
  FrontMatter front;
  std::map<std::string, PlacedNote> notes;  ///< Notes by the part's name: "benchmarking_script.b"
  std::vector<std::string> problems;        ///< Unusable content, one line each, with file.
};

/// The path of the note for the part called `name`.
std::filesystem::path note_file(const std::filesystem::path& folder, const std::string& name);
std::filesystem::path author_file(const std::filesystem::path& folder);

/// Reads what can be read; never fails because of the folder's content. `names`: the parts that a
/// note may belong to.
NotesFolder read_notes(const std::filesystem::path& folder, const std::vector<std::string>& names);

/// Puts each note into its part, if the report has that part, and the author into the front matter.
void place_notes(const NotesFolder& notes, Document& document);

}  // namespace labreport
