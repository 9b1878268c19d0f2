// SQL functions that SQLite lacks, or computes differently from version to version.
#pragma once

struct sqlite3;

namespace labreport {

/// Adds the aggregates `mean`, `median`, `stddev` (n − 1), `quantile(x, p)` with p in [0, 1], as
/// base/statistics.h computes them, and `sum_of`. They ignore NULL, and are NULL without a value,
/// as `stddev` is for one value. Adds `parameters(d_model, d_ff, layers, vocab)` and
/// `forward_flops(d_model, d_ff, layers, vocab, batch, context)`, which count as parameter_count()
/// and forward_flops() do, and are NULL unless all arguments are from 1 to 10^6.
void add_functions(sqlite3* database);

}  // namespace labreport
