// Writes the files that `labreport notes --init` creates for an author.
#pragma once

#include <string>
#include <string_view>

#include "document/document.h"

namespace labreport {

/// Returns a note that contains only a comment: the question, and the answer generated from `run`.
std::string note_template(const Part& part, const std::string& run);

/// Returns an author.md whose keys have no values yet.
std::string author_template();

/// Returns the `run` that note_template() wrote into this note; empty if there is none.
std::string run_named_in(std::string_view note);

}  // namespace labreport
