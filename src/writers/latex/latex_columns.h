// How wide a table's columns are on paper: estimated from letters, before TeX measures them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "document/document.h"
#include "document/rich_text.h"

namespace labreport {

/// What a column asks for, in letters.
struct ColumnNeed {
  std::size_t widest = 0;   ///< Of its cells and its head's longest line.
  std::size_t longest = 0;  ///< Of its words: it cannot be narrower.
  bool right = false;
  bool wraps = false;  ///< Holds words, which may go on in a second line.
};

/// One stretch of columns that fits the line.
struct ColumnGroup {
  std::string size;                  ///< "\\small"
  std::vector<std::size_t> columns;  ///< Indices; the first column opens every group.
  std::vector<std::string> formats;  ///< One a column: "l", "r", "p{…}"
  std::vector<std::size_t> widths;   ///< In letters.
  std::size_t capacity = 0;          ///< Letters of the whole line.
};

/// At least one group; the larger letters where they serve. A table too wide for the smallest is
/// cut into several.
/// `line`: the line's length as a share of the report's own.
std::vector<ColumnGroup> fit_columns(const std::vector<ColumnNeed>& needs, double line = 1);

/// A column that wraps at so many letters of a line's `capacity`.
std::string wrapping_format(std::size_t letters, std::size_t capacity);

/// A head in lines of about `width` letters, one upon the other.
std::vector<std::string> head_lines(const std::string& title, std::size_t width);

/// A table of an author's own: without title or number.
std::string rich_table(const Block& table);

}  // namespace labreport
