// Writes the files that `labreport notes --init` gives an author to begin with.
#pragma once

#include <string>
#include <string_view>

#include "document/document.h"

namespace labreport {

/// A note without words: its comment holds the question and the answer generated from `run`.
std::string empty_note(const Part& part, const std::string& run);

/// Returns an author.md whose keys have no values yet.
std::string empty_author();

/// The run that `empty_note` named in this note; empty if the note names none.
std::string run_named_in(std::string_view note);

}  // namespace labreport
