// The formats of a report, as `--format` names them.
#pragma once

#include <set>
#include <string>

namespace labreport {

enum class Format { kHtml, kMarkdown, kCsv, kLatex, kTypst, kPdf, kJson };
using Formats = std::set<Format>;

Formats all_formats();

/// "html,md": throws `InputError` with the nearest names.
Formats formats_named(const std::string& names);

/// The file that holds the report in this format: "report.md".
std::string format_file(Format format);

}  // namespace labreport
