// Measured peaks beside the sum of their formulas.
#include <cmath>

#include "base/text.h"
#include "experiments/memory_profiling/peak_tables.h"
#include "experiments/memory_profiling/timeline.h"
#include "plan/memory.h"
#include "results/metric_names.h"

namespace labreport::memory_profiling {
namespace {

constexpr double kExplained = 0.01;  // Of the peak: what may stay open.
constexpr double kNamed = 0.002;     // Of the peak: a category that is worth a word.

double category_of(const Step& step, std::string_view name) {
  return step.bytes(metric::kCategory, name).value_or(0);
}

/// What formulas leave out on purpose, as it was measured at the peak.
double left_out(const Step& step) {
  return category_of(step, metric::kTemporary) + category_of(step, metric::kWorkspace) +
         category_of(step, metric::kData);
}

/// "0.61 GiB of gradients more", where a category's formula and its measurement part.
std::string apart(const Step& step, const ExpectedPeak& expected, double peak) {
  const std::pair<std::string_view, std::int64_t> formulas[]{
      {metric::kParameters, expected.parameters},
      {metric::kGradients, expected.gradients},
      {metric::kOptimizerStates, expected.moments},
      {metric::kActivations, expected.activations},
      {metric::kWeightCopies, expected.weight_copies}};
  std::vector<std::string> words;
  for (const Category& category : categories()) {
    for (const auto& [name, bytes] : formulas) {
      const double difference = category_of(step, name) - static_cast<double>(bytes);
      if (category.name != name || std::abs(difference) < kNamed * peak) continue;
      words.push_back(format_bytes(std::abs(difference)) + " of " + std::string(category.words) +
                      (difference > 0 ? " more" : " less"));
    }
  }
  return join_words(words);
}

bool composed(const Step& step) {
  return step.bytes(metric::kCategory, metric::kParameters).has_value();
}

/// The categories say where the difference lies, or nothing does.
void judge(RowView& row, const Step& step, const ExpectedPeak& expected, double peak) {
  const double open = peak - static_cast<double>(expected.total()) - left_out(step);
  const std::string words = apart(step, expected, peak);
  if (!composed(step)) return row.flags.push_back("categories not measured");
  if (category_of(step, metric::kUnknown) > kExplained * peak) row.flags.push_back("unknown bytes");
  if (!words.empty()) return row.flags.push_back("at the peak " + words);
  if (std::abs(open) > kExplained * peak) row.flags.push_back("not explained");
}

double requested_peak(const Step& step) {
  return step.bytes(metric::kMemory, metric::kPeakRequested).value_or(0);
}

RowView row_of(const Profile& profile, Mode mode, const Step& step, const ByteUnit& unit) {
  const ExpectedPeak expected = expected_peak(step.spec());
  const double peak = requested_peak(step);
  const auto formula = static_cast<double>(expected.total());
  RowView row{{text_cell(profile.place), text_cell(mode_words(mode))}, {}, ""};
  for (const double bytes : {formula, peak, peak - formula, left_out(step)}) {
    row.cells.push_back(bytes_cell(bytes, unit));
  }
  judge(row, step, expected, peak);
  return row;
}

RowView part_row(const Profile& profile, Mode mode, const Step& step, const ByteUnit& unit) {
  const ExpectedPeak expected = expected_peak(step.spec());
  RowView row{{text_cell(profile.place), text_cell(mode_words(mode))}, {}, ""};
  for (const std::int64_t bytes :
       {expected.parameters, expected.gradients, expected.moments, expected.activations,
        expected.weight_copies, expected.total()}) {
    row.cells.push_back(bytes_cell(static_cast<double>(bytes), unit));
  }
  return row;
}

/// A table with a row for each peak that was measured.
template <typename Row>
TableView peak_rows(TableView table, const std::vector<const char*>& columns, const Profiles& rows,
                    Row row_of_step) {
  double most = 0;
  for (const Profile* profile : rows) {
    for (const auto& [mode, step] : profile->steps) most = std::max(most, requested_peak(step));
  }
  const ByteUnit unit = byte_unit(most);
  table.columns = {{"Context", "", Align::kLeft}, {"Step", "", Align::kLeft}};
  for (const char* column : columns) table.columns.push_back({column, unit.name, Align::kRight});
  for (const Profile* profile : rows) {
    for (const auto& [mode, step] : profile->steps) {
      const bool measured = step.missing().empty() && requested_peak(step) > 0;
      if (measured) table.rows.push_back(row_of_step(*profile, mode, step, unit));
    }
  }
  return table;
}

}  // namespace

TableView arithmetic_table(const Profiles& rows) {
  return peak_rows({"arithmetic", "Requested bytes at the peak against first principles", {}, {}},
                   {"By formula", "Measured", "Difference", "Temporary, workspace and inputs"},
                   rows, row_of);
}

TableView parts_table(const Profiles& rows) {
  return peak_rows(
      {"formula-parts", "The formulas' parts of each peak", {}, {}},
      {"Parameters", "Gradients", "AdamW state", "Activations", "Weight copies", "Sum"}, rows,
      part_row);
}

TableView formulas_table() {
  TableView table{"formulas",
                  "Formulas, in bytes",
                  {{"What", "", Align::kLeft}, {"Formula", "", Align::kLeft}},
                  {}};
  const std::pair<const char*, const char*> rows[]{
      {"parameters P", "4 (2 V d + L (4 d² + 3 d d_ff + 2 d) + d)"},
      {"gradients", "P"},
      {"AdamW state", "2 P"},
      {"weight copies, under autocast", "2 (L (4 d² + 3 d d_ff) + V d)"},
      {"activations of a block, FP32", "B S (40 d + 20 d_ff + 8) + 8 B h S² + 12 B h S + S²"},
      {"activations of a block, autocast", "B S (34 d + 10 d_ff + 8) + 6 B h S² + 12 B h S + S²"},
      {"final norm and logits", "B S (8 d + w d + 4 + w V), w = 4, under autocast 2"},
      {"loss", "B S (4 V + 12)"}};
  for (const auto& [what, formula] : rows) {
    table.rows.push_back({{text_cell(what), text_cell(formula)}, {}, ""});
  }
  return table;
}

}  // namespace labreport::memory_profiling
