// How writers name the author of a report and of its notes.
#pragma once

#include <string>

#include "document/document.h"

namespace labreport {

/// "In the words of Ada Lovelace"; without a name "In the author’s own words".
std::string own_words(const FrontMatter& front);

/// The same as the line below a note.
std::string note_mark(const FrontMatter& front);

/// The repository as it is read, without scheme and closing slash; there must be one.
std::string shown_address(const FrontMatter& front);

/// "Ada Lovelace · CS336 · github.com/ada/assignment2"; empty where nothing is known.
std::string byline_markdown(const FrontMatter& front);

}  // namespace labreport
