// Mustache tags checked against the facts before a template is filled: the library itself renders
// an unknown tag as nothing, which would leave holes in sentences.
#pragma once

#include <string_view>

#include "document/facts.h"

namespace labreport {

/// Throws `Error` naming `where` and the tag when a tag is not among the facts, is used as
/// something it is not (a flag as text, text as a section), or is a kind that words do not need
/// (partials, delimiters, {{{triple}}}). Sections that will not be shown are checked too; the body
/// of an empty list is checked as far as its items' names can be known: not at all.
void check_tags(std::string_view words, const Facts& facts, std::string_view where);

}  // namespace labreport
