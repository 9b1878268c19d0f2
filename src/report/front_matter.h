// Whose report it is: notes/author.md, and how writers show it.
//
//   name: Ada Lovelace
//   course: CS336
//   repository: https://github.com/ada/assignment2
//
// Comments (<!-- … -->) and empty lines may stand anywhere; a value may stay empty.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/document.h"

namespace labreport {

/// What is wrong in an author's file, and how it was understood: one line, to be shown behind the
/// file's name.
struct NoteProblem {
  int line = 0;  ///< From 1; 0: the file as a whole.
  std::string text;
};

struct FrontMatterFile {
  FrontMatter front;
  std::vector<NoteProblem> problems;  ///< What was left out, and why.
};

/// Never fails: what cannot be used is left out.
FrontMatterFile parse_front_matter(std::string_view text);

/// "In the words of Ada Lovelace"; without a name "In the author’s own words".
std::string own_words(const FrontMatter& front);

/// The same as the line below a note.
std::string note_mark(const FrontMatter& front);

/// "Ada Lovelace · CS336 · github.com/ada/assignment2"; empty where nothing is known.
std::string front_markdown(const FrontMatter& front);
std::string front_html(const FrontMatter& front);

}  // namespace labreport
