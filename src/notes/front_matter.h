// Whose report it is: notes/author.md.
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

#include "document/document.h"

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

}  // namespace labreport
