#include "experiments/benchmarking_mixed_precision/norm_rows.h"

#include <algorithm>

#include "results/measured_table.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

std::int64_t whole(const MeasuredRow& row, std::string_view column) {
  return static_cast<std::int64_t>(row.number(column).value_or(0));
}

NormRow read(const MeasuredRow& row) {
  return {row.text("format"),
          row.text("method"),
          whole(row, "width"),
          whole(row, "scale_log2"),
          row.number("mean_error"),
          row.number("square_error"),
          row.number("variance_error"),
          row.number("rstd_error"),
          row.number("output_error"),
          row.number("input_overflow").value_or(0),
          row.number("square_overflow").value_or(0),
          row.number("sum_overflow").value_or(0),
          row.number("underflow").value_or(0)};
}

}  // namespace

std::vector<NormRow> norm_rows(const Launch& launch) {
  std::vector<NormRow> rows;
  const Table* table = find_table(launch, metric::kLayerNorm);
  if (table == nullptr) return rows;
  for (std::size_t i = 0; i < table->rows.size(); ++i) rows.push_back(read({*table, i}));
  return rows;
}

std::vector<NormRow> curve(const std::vector<NormRow>& rows, std::string_view format,
                           std::string_view method, std::int64_t width) {
  std::vector<NormRow> found;
  std::ranges::copy_if(rows, std::back_inserter(found), [&](const NormRow& row) {
    return row.format == format && row.method == method && row.width == width;
  });
  std::ranges::sort(found, {}, &NormRow::scale_log2);
  return found;
}

const NormRow* find(const std::vector<NormRow>& rows, std::string_view format,
                    std::string_view method, std::int64_t width, std::int64_t scale_log2) {
  const auto found = std::ranges::find_if(rows, [&](const NormRow& row) {
    return row.format == format && row.method == method && row.width == width &&
           row.scale_log2 == scale_log2;
  });
  return found == rows.end() ? nullptr : &*found;
}

std::vector<std::int64_t> widths(const std::vector<NormRow>& rows) {
  std::vector<std::int64_t> found;
  for (const NormRow& row : rows) {
    if (std::ranges::find(found, row.width) == found.end()) found.push_back(row.width);
  }
  std::ranges::sort(found);
  return found;
}

std::optional<std::int64_t> first_scale(const std::vector<NormRow>& curve,
                                        double NormRow::* count) {
  for (const NormRow& row : curve) {
    if (row.*count > 0) return row.scale_log2;
  }
  return std::nullopt;
}

std::optional<std::int64_t> last_scale(const std::vector<NormRow>& curve, double NormRow::* count) {
  for (auto row = curve.rbegin(); row != curve.rend(); ++row) {
    if ((*row).*count > 0) return row->scale_log2;
  }
  return std::nullopt;
}

}  // namespace labreport::benchmarking_mixed_precision
