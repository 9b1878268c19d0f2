// The formats of a report, as `--format` names them.
#pragma once

#include <set>
#include <string>

namespace labreport {

enum class Format { kHtml, kMarkdown, kCsv, kLatex, kTypst, kPdf, kJson };
using Formats = std::set<Format>;

Formats all_formats();

/// Parses a list such as "html,md". Throws `InputError` with similar names for an unknown one.
Formats parse_formats(const std::string& names);

/// Returns the name of the file that holds the report in this format: "report.md".
std::string format_file_name(Format format);

}  // namespace labreport
