// A report in which every string that data can reach tries to be markup.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"
#include "document/summary.h"

namespace labreport {

/// Returns markup, a script, Mustache tags, Markdown, right-to-left marks and control characters.
std::string hostile_words();

/// Returns texts that some format would take for a command, control characters, marks that change
/// the direction of text, letters that fonts may lack, and 10,000 letters without a space.
const std::vector<std::string>& hostile_texts();

Document hostile_document();

/// Summarizes the run of that report.
RunSummary hostile_summary(const Document& report, const std::string& folder);

}  // namespace labreport
