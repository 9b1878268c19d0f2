#include "experiments/benchmarking_mixed_precision/norm_tables.h"

#include <array>

#include "base/format.h"
#include "base/text.h"
#include "experiments/common/table_cells.h"
#include "experiments/common/timing.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

CellView error_cell(std::optional<double> error) {
  return error ? number_cell(error_percent(error), *error) : text_cell("overflow");
}

/// One row for each format and method: `fill` adds its cells.
template <typename Fill>
void add_rows(TableView& table, Fill fill) {
  for (const Precision format : kFormats) {
    for (const std::string_view method : kMethods) {
      RowView row{
          {text_cell(std::string(describe(format))), text_cell(method_words(method))}, {}, ""};
      if (fill(row, name(format), method)) table.rows.push_back(std::move(row));
    }
  }
}

std::string from_scale(std::optional<std::int64_t> scale) {
  return scale ? "from " + power_of_two(*scale) : "never";
}

std::string up_to_scale(std::optional<std::int64_t> scale) {
  return scale ? "up to " + power_of_two(*scale) : "never";
}

}  // namespace

std::string power_of_two(std::int64_t exponent) { return "2" + superscript(exponent); }

std::string method_words(std::string_view method) {
  if (method == metric::kRounded) return "rounded after each addition";
  return method == metric::kReductions ? "PyTorch's reductions" : "FP32 statistics";
}

std::string error_percent(std::optional<double> error) {
  if (!error) return "overflow";
  return 100 * *error < 1e-3 ? format_scientific(100 * *error, 2)
                             : format_significant(100 * *error, 2);
}

TableView steps_table(const std::vector<NormRow>& rows) {
  TableView table{"steps",
                  "",
                  {{"Format", "", Align::kLeft},
                   {"Method", "", Align::kLeft},
                   {"Mean", "% of σ", Align::kRight},
                   {"Centred squares", "%", Align::kRight},
                   {"Variance (their sum ÷ width)", "%", Align::kRight},
                   {"rsqrt(variance + eps)", "%", Align::kRight},
                   {"Output (affine)", "%", Align::kRight}},
                  {}};
  const std::int64_t width = widths(rows).back();
  table.title = "Error after each step at width " + format_count(width) + ", scale 1";
  add_rows(table, [&](RowView& row, std::string_view format, std::string_view method) {
    const NormRow* found = find(rows, format, method, width, 0);
    if (found == nullptr) return false;
    for (const auto& error :
         {found->mean, found->squares, found->variance, found->rstd, found->output}) {
      row.cells.push_back(error_cell(error));
    }
    return true;
  });
  return table;
}

TableView widths_table(const std::vector<NormRow>& rows) {
  TableView table{"widths",
                  "Error of the output by width, scale 1",
                  {{"Format", "", Align::kLeft}, {"Method", "", Align::kLeft}},
                  {}};
  for (const std::int64_t width : widths(rows)) {
    table.columns.push_back({"Width " + format_count(width), "%", Align::kRight});
  }
  add_rows(table, [&](RowView& row, std::string_view format, std::string_view method) {
    for (const std::int64_t width : widths(rows)) {
      const NormRow* found = find(rows, format, method, width, 0);
      row.cells.push_back(found == nullptr ? missing_cell() : error_cell(found->output));
    }
    return true;
  });
  return table;
}

TableView ranges_table(const std::vector<NormRow>& rows) {
  TableView table{"ranges",
                  "Where a format's range ends, by the scale of the input",
                  {{"Format", "", Align::kLeft},
                   {"Width", "", Align::kRight},
                   {"Variance vanishes", "", Align::kLeft},
                   {"Sum of squares overflows", "", Align::kLeft},
                   {"A square overflows", "", Align::kLeft},
                   {"The input overflows", "", Align::kLeft}},
                  {}};
  for (const Precision format : kFormats) {
    for (const std::int64_t width : widths(rows)) {
      const auto found = curve(rows, name(format), metric::kRounded, width);
      if (found.empty()) continue;
      table.rows.push_back({{text_cell(std::string(describe(format))), count_cell(width),
                             text_cell(up_to_scale(last_scale(found, &NormRow::underflow))),
                             text_cell(from_scale(first_scale(found, &NormRow::sum_overflow))),
                             text_cell(from_scale(first_scale(found, &NormRow::square_overflow))),
                             text_cell(from_scale(first_scale(found, &NormRow::input_overflow)))},
                            {},
                            ""});
    }
  }
  return table;
}

}  // namespace labreport::benchmarking_mixed_precision
