// A report in which every string that data can reach tries to be markup.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"

namespace labreport {

/// Markup, script, Mustache tags, Markdown, right-to-left marks and control characters.
std::string hostile_words();

/// Texts that each format would take for a command: Typst, LaTeX, Markdown, HTML, Mustache, control
/// characters, marks that turn the direction, far scripts, and 10,000 letters without a space.
const std::vector<std::string>& hostile_texts();

Document hostile_document();

}  // namespace labreport
