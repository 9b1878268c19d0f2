#include "query/fit_table.h"

namespace labreport {
namespace {

template <typename Value>
SqlValue sql_value(const std::optional<Value>& value) {
  return value ? SqlValue(*value) : SqlValue();
}

SqlValue text_value(const std::string& text) { return text.empty() ? SqlValue() : SqlValue(text); }

}  // namespace

const std::vector<FitColumn>& fit_columns() {
  static const std::vector<FitColumn> columns{
      {"size", "text not null", "'small', '2.7B', or a size of one's own",
       [](const FitRow& row) -> SqlValue { return row.step.size; }},
      {"d_model", "integer not null", "",
       [](const FitRow& row) -> SqlValue { return row.step.model->d_model; }},
      {"d_ff", "integer not null", "",
       [](const FitRow& row) -> SqlValue { return row.step.model->d_ff; }},
      {"layers", "integer not null", "",
       [](const FitRow& row) -> SqlValue { return row.step.model->layers; }},
      {"heads", "integer not null", "",
       [](const FitRow& row) -> SqlValue { return row.step.model->heads; }},
      {"vocab", "integer not null", "",
       [](const FitRow& row) -> SqlValue { return row.step.model->vocab; }},
      {"batch", "integer not null", "sequences; with ranks, of each rank",
       [](const FitRow& row) { return sql_value(row.step.batch); }},
      {"context", "integer not null", "tokens",
       [](const FitRow& row) { return sql_value(row.step.context); }},
      {"precision", "text not null", "'fp32', 'bf16'; FP16 needs as much as BF16",
       [](const FitRow& row) -> SqlValue { return std::string(name(*row.step.precision)); }},
      {"mode", "text not null", "'inference', 'forward', 'forward_backward', 'train_step'",
       [](const FitRow& row) -> SqlValue { return std::string(name(*row.step.mode)); }},
      {"checkpoint_group", "integer", "blocks that share one checkpoint; NULL: none",
       [](const FitRow& row) { return sql_value(row.step.blocks_per_checkpoint); }},
      {"ranks", "integer", "GPUs that share AdamW's state; NULL: one GPU",
       [](const FitRow& row) {
         return row.step.ranks ? SqlValue(row.step.ranks->count) : SqlValue();
       }},
      {"gpu", "text not null", "'NVIDIA H200'; it need not be here",
       [](const FitRow& row) -> SqlValue { return row.gpu; }},
      {"gpu_bytes", "integer not null", "its memory, as recorded or by its data sheet",
       [](const FitRow& row) -> SqlValue { return row.gpu_bytes; }},
      {"peak_bytes", "integer not null", "the step's peak by formula",
       [](const FitRow& row) -> SqlValue { return row.peak_bytes; }},
      {"phase", "text not null", "in which it peaks: 'backward'",
       [](const FitRow& row) -> SqlValue { return row.phase; }},
      {"fits", "integer not null", "1: as measured, or else by formula",
       [](const FitRow& row) -> SqlValue { return std::int64_t{row.fits}; }},
      {"basis", "text not null", "'measured', 'formula', 'extrapolated', 'unchecked'",
       [](const FitRow& row) -> SqlValue { return row.basis; }},
      {"measured_bytes", "real", "the measured peak; NULL: none, or out of memory",
       [](const FitRow& row) { return sql_value(row.measured_bytes); }},
      {"peaks", "integer", "measured peaks that confirm the formula",
       [](const FitRow& row) { return sql_value(row.peaks); }},
      {"error", "real", "of the worst: predicted / measured - 1",
       [](const FitRow& row) { return sql_value(row.error); }},
      {"evidence_gpu", "text", "which GPU measured",
       [](const FitRow& row) { return text_value(row.evidence_gpu); }},
      {"evidence_run", "text", "which run did, or most of it",
       [](const FitRow& row) { return text_value(row.evidence_run); }}};
  return columns;
}

QueryResult fit_table(const std::vector<FitRow>& rows) {
  QueryResult result;
  for (const FitColumn& column : fit_columns()) result.columns.emplace_back(column.name);
  for (const FitRow& row : rows) {
    auto& values = result.rows.emplace_back();
    for (const FitColumn& column : fit_columns()) values.push_back(column.value(row));
  }
  return result;
}

}  // namespace labreport
