// What a diff says in sentences.
#pragma once

#include <string>
#include <vector>

#include "document/comparison/diff_parts.h"

namespace labreport {

/// Plain text, a line each: how the runs are related and what must be known before any number.
std::vector<std::string> notices_of(const Comparison& comparison);

std::vector<KeyNumber> key_numbers_of(const Comparison& comparison);

/// Plain text: what the rows come to.
std::string part_words(const DiffRows& rows, Relation relation);

/// Plain text with a space before it: how many of the rows' numbers a side does not have; empty
/// where none is missing.
std::string unrecorded_words(const std::vector<const ComparedRow*>& rows);

/// Markdown: how ratios, intervals, predictions and verdicts come about, as far as they are here.
std::string method_of(const Comparison& comparison);

}  // namespace labreport
