// How much of a sheet's width a table takes.
#pragma once

#include "document/document.h"

namespace labreport {

/// Whether the table, in the small type of evidence, needs more than half a sheet's width.
bool is_wide_on_paper(const TableView& table);

}  // namespace labreport
