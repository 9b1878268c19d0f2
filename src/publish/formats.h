// The formats of a report, as `--format` names them.
#pragma once

#include <string>
#include <vector>

namespace labreport {

enum class Format { kHtml, kMarkdown, kCsv, kLatex, kTypst, kPdf, kJson };

/// A set of formats; all of them until chosen.
class Formats {
 public:
  /// "html,md": throws `InputError` with the nearest names.
  static Formats named(const std::string& names);

  bool has(Format format) const { return (bits_ & bit(format)) != 0; }
  Format first() const;  ///< In the order of `Format`.
  std::vector<Format> list() const;
  bool all() const { return bits_ == kAll; }
  unsigned bits() const { return bits_; }  ///< One a format: equal sets, equal bits.

 private:
  static constexpr unsigned bit(Format format) { return 1u << static_cast<unsigned>(format); }
  static constexpr unsigned kAll = (1u << (static_cast<unsigned>(Format::kJson) + 1)) - 1;

  unsigned bits_ = kAll;
};

/// The file that holds the report in this format: "report.md".
std::string format_file(Format format);

}  // namespace labreport
