// A run in which everything that comes from data is hostile.
#pragma once

#include <string>

#include "document/document.h"

namespace labreport {

/// Markup, script, Mustache tags, Markdown, right-to-left marks and control characters.
std::string hostile_words();

/// A word of 10,000 letters.
std::string endless_word();

Document hostile_page();

}  // namespace labreport
