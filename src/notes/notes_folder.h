// Reads a folder of an author's notes, which this program never changes:
//
//   author.md              name, course, repository (notes/note.h)
//   <problem>.<part>.md    the note for a part; <problem>.md if the problem has only one part
//   other files            pictures that the notes show; all others are ignored
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "document/document.h"

namespace labreport {

inline constexpr const char* kNotesFolder = "notes";

struct NoteWithPictures {
  AuthorNote note;
  std::vector<Attachment> pictures;
  std::string generated_from = {};  ///< See run_named_in().
};

struct NotesFolder {
  std::filesystem::path folder;
  FrontMatter front;
  std::map<std::string, NoteWithPictures> notes;  ///< By the part's name: "benchmarking_script.b".
  std::vector<std::string> problems;  ///< Lines that name a file and content that cannot be used.
  std::vector<std::string> missing_pictures;  ///< Lines, too; the notes show where each would be.
};

/// Returns the path of the note for a part.
std::filesystem::path note_file(const std::filesystem::path& folder, const std::string& part_name);
std::filesystem::path author_file(const std::filesystem::path& folder);

/// Reads the notes for the given parts. Never throws because of the folder's content, but collects
/// problems.
NotesFolder read_notes(const std::filesystem::path& folder,
                       const std::vector<std::string>& part_names);

/// Puts each note into its part of the report, if the report has it, and sets the front matter.
void place_notes(const NotesFolder& notes, Document& document);

}  // namespace labreport
