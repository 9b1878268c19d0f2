// A table of the report with booktabs.
#pragma once

#include <string>

#include "document/document.h"

namespace labreport {

/// With its title as a numbered caption and `label` to refer to; `placement` is a float's ("H",
/// "htbp"), `line` the line's length as a share of the report's own. What is longer than a page is
/// a longtable. No row is cut in two.
std::string table_latex(const TableView& table, const std::string& label,
                        const std::string& placement, double line = 1);

}  // namespace labreport
