// Decides where the remarks on a table's row stand: in a narrow column beside it or below it.
#pragma once

#include "document/document.h"

namespace labreport {

/// A column of remarks takes about so many letters, because remarks wrap.
inline constexpr std::size_t kRemarksColumnLetters = 16;

/// True for short remarks of short words. Longer ones would make a narrow, high column, so they
/// stand below the row in HTML, PDF and LaTeX. Markdown has no cells across columns: there all
/// remarks stand beside their rows.
bool has_remark_beside(const RowView& row);

/// True if the row has remarks that stand below it.
bool has_remark_below(const RowView& row);

/// True if a row of the table has a remark beside it.
bool needs_remarks_column(const TableView& table);

}  // namespace labreport
