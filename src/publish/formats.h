// The formats of a report, as `--format` names them.
#pragma once

#include <set>
#include <string>

namespace labreport {

enum class Format { kHtml, kMarkdown, kCsv, kLatex, kTypst, kPdf, kJson };
using Formats = std::set<Format>;

Formats all_formats();

/// Parses a list such as "html,md". Throws `InputError` with similar names for an unknown one.
Formats formats_named(const std::string& names);

/// The file that holds the report in this format: "report.md".
std::string format_file(Format format);

}  // namespace labreport
