// TeX math cut out of Markdown before Markdown's own parser can take its `_`, `*` and `\` for
// marks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace labreport {

struct MathSpan {
  std::string tex;
  bool display = false;  ///< `$$…$$`, a line of its own; else `$…$`.

  std::string source() const;  ///< As it was written, dollars included.
};

/// Markdown with a mark in place of each span; marks are letters to Markdown.
struct CutMarkdown {
  std::string markdown;
  std::vector<MathSpan> spans;
};

/// A piece of text between marks, or a mark.
struct CutPiece {
  std::string text;
  const MathSpan* span = nullptr;  ///< Set: the piece is this span.
};

/// Pandoc's rule: the opening `$` stands before, the closing `$` after something that is no space,
/// and no digit follows; nothing spans a blank line. `\$` is a dollar, and code keeps its dollars.
CutMarkdown cut_math(std::string_view markdown);

/// A text of the parsed Markdown taken apart at its marks.
std::vector<CutPiece> at_marks(std::string_view text, const std::vector<MathSpan>& spans);

/// The text with every span as it was written, dollars included.
std::string with_math_source(std::string_view text, const std::vector<MathSpan>& spans);

}  // namespace labreport
