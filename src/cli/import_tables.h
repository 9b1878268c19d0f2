// Which tables of a file are imported.
#pragma once

#include <string>
#include <vector>

#include "cli/import_flags.h"
#include "imports/column.h"

namespace labreport {

/// The file's only table of measurements, or those that --table names. Throws `InputError`: too
/// large, no UTF-8 (with the line), none or several of them, rows that do not fit their header.
std::vector<UnderstoodTable> choose_tables(const ImportFlags& flags, const std::string& file);

}  // namespace labreport
