#include "fuzz/every_writer.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "analysis/plausibility.h"
#include "base/text.h"
#include "document/comparison/diff_document.h"
#include "experiments/catalog.h"
#include "experiments/overview/overview.h"
#include "fuzz/target.h"
#include "publish/run_files.h"
#include "results/run_json.h"
#include "results/run_store.h"
#include "writers/csv/cells_csv.h"
#include "writers/csv/table_csv.h"
#include "writers/diff/diff_writers.h"
#include "writers/html/html.h"

namespace labreport::fuzz {
namespace {

/// Returns empty charts.
class BlankChartTool : public ChartTool {
 public:
  std::vector<std::string> draw(const std::vector<std::string>& specs) override {
    return std::vector<std::string>(specs.size(), "<svg width=\"720\" height=\"300\"></svg>");
  }
  std::vector<PrintedChart> print(const std::vector<std::string>& svgs) override {
    return std::vector<PrintedChart>(svgs.size(), PrintedChart{"%PDF", "\x89PNG"});
  }
  std::string bundle() override { return "/* charts */"; }
};

bool is_in_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == ':';
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_in_word(text[at - 1]);
    if (begins && (end == text.size() || !is_in_word(text[end]))) return true;
  }
  return false;
}

void check_text(const std::string& text) {
  promise(is_utf8(text), "what is written is UTF-8");
  promise(!has_word(text, "inf") && !has_word(text, "nan"), "no number is infinite or none");
}

/// The values of these columns are parts of one whole, so at most 100 %. Other percentages may be
/// larger.
constexpr std::array<std::string_view, 9> kShareColumns{
    "Share",    "Of the step", "Of the forward pass", "Time", "GEMM", "Non-GEMM", "GPU busy",
    "GPU idle", "Hidden"};
constexpr std::array<std::string_view, 4> kByteUnits{"B", "KiB", "MiB", "GiB"};
constexpr double kRoundingError = 1e-9;

void check_number(const ColumnView& column, double number) {
  if (column.unit == "%" && std::ranges::find(kShareColumns, column.title) != kShareColumns.end())
    promise(number >= -kRoundingError && number <= 1 + kRoundingError,
            "a part is at most its whole");
  if (std::ranges::find(kByteUnits, column.unit) != kByteUnits.end() &&
      !column.title.starts_with("Change"))
    promise(number >= 0, "no size is negative");
}

void check_table(const TableView& table) {
  for (const RowView& row : table.rows) {
    for (std::size_t i = 0; i < std::min(row.cells.size(), table.columns.size()); ++i) {
      if (const double* number = row.cells[i].number()) check_number(table.columns[i], *number);
    }
  }
}

bool is_binary(const std::string& path) { return path.ends_with(".pdf") || path.ends_with(".png"); }

}  // namespace

bool has_report(const Run& run) { return run.source != "imported" && !run.sessions.empty(); }

void write_report(const Run& run, WrittenFormats written) {
  for (const Finding& finding : check_plausibility(run)) check_text(finding.text);
  if (!has_report(run)) return;
  const Document document = build_document(run, false);
  for (const NamedTable& named : named_tables(document)) check_table(*named.table);
  SiteRun page{overview::run_summary(run, &document), document, to_json(run), cells_csv(run)};
  page.summary.folder = new_run_path("", run).string();
  BlankChartTool charts;
  const bool all = written == WrittenFormats::kEveryFormat;
  const Site site = render_site(
      {page}, {.formats = all ? all_formats() : parse_formats("csv,json,md"), .single_file = all},
      &charts);
  for (const SiteFile& file : site.files) {
    if (!is_binary(file.path)) check_text(file.bytes);
  }
}

void compare_everything(const Run& a, const Run& b) {
  accepted([&] {
    const Comparison comparison =
        compare_runs(a, b, {.allowed_mismatches = {.batch = true, .vocab = true}});
    const Document document = diff_document(comparison, {"A", ""}, {"B", ""});
    check_text(diff_text(document));
    check_text(diff_markdown(document));
    check_text(diff_json(comparison));
    check_text(single_diff_html(document, {}));
  });
}

}  // namespace labreport::fuzz
