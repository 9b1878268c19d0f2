// Loads a run into the tables of query_schema().
#pragma once

#include <string>
#include <vector>

#include "query/fit_table.h"
#include "results/run.h"

struct sqlite3;

namespace labreport {

/// Inserts the run under a name that no other run in the database has. Throws `Error` if a table
/// refuses a row.
void load(sqlite3* database, const Run& run, const std::string& name);

/// Inserts rows into the table `fits`.
void load(sqlite3* database, const std::vector<FitRow>& rows);

}  // namespace labreport
