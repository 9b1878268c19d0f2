// Adds SQL functions that SQLite lacks or that differ between its versions.
#pragma once

struct sqlite3;

namespace labreport {

/// Adds these functions to the database:
/// - The aggregates `mean`, `median`, `stddev` (n − 1) and `quantile(x, p)` with p in [0, 1] return
///   what base/statistics.h computes; `sum_of` adds. They ignore NULL. The result is NULL if there
///   is no value, and `stddev` is NULL for one value.
/// - `parameters(d_model, d_ff, layers, vocab)` and `forward_flops(d_model, d_ff, layers, vocab,
///   batch, context)` return what parameter_count() and forward_flops() return, or NULL unless all
///   arguments are from 1 to 10^6.
void add_functions(sqlite3* database);

}  // namespace labreport
