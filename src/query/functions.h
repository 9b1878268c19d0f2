// SQL functions that SQLite lacks, or computes differently from version to version.
#pragma once

struct sqlite3;

namespace labreport {

/// Aggregates ignore NULL and are NULL without a value: `mean`, `median`, `stddev` (n − 1; NULL of
/// a single value), `quantile(x, p)` with p in [0, 1] and `sum_of`, all as base/statistics.h
/// computes them. `parameters(d_model, d_ff, layers, vocab)` and `forward_flops(d_model, d_ff,
/// layers, vocab, batch, context)` are those of plan/arithmetic.h for labreport's network; NULL if
/// an argument is.
void add_functions(sqlite3* database);

}  // namespace labreport
