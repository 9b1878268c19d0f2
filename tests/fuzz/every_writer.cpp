#include "fuzz/every_writer.h"

#include "analysis/plausibility.h"
#include "base/text.h"
#include "document/comparison/diff_document.h"
#include "experiments/catalog.h"
#include "fuzz/target.h"
#include "publish/run_files.h"
#include "results/run_json.h"
#include "results/run_store.h"
#include "writers/csv/cells_csv.h"
#include "writers/diff/diff_writers.h"
#include "writers/html/html.h"

namespace labreport::fuzz {
namespace {

/// Draws nothing and prints nothing, each as a tool would answer.
class BlankCharts : public ChartTool {
 public:
  std::vector<std::string> draw(const std::vector<std::string>& specs) override {
    return std::vector<std::string>(specs.size(), "<svg width=\"720\" height=\"300\"></svg>");
  }
  std::vector<Print> print(const std::vector<std::string>& svgs) override {
    return std::vector<Print>(svgs.size(), Print{"%PDF", "\x89PNG"});
  }
  std::string bundle() override { return "/* charts */"; }
};

void check_text(const std::string& text) { promise(is_utf8(text), "what is written is UTF-8"); }

bool is_print(const std::string& path) { return path.ends_with(".pdf") || path.ends_with(".png"); }

}  // namespace

bool has_report(const Run& run) { return run.source != "imported" && !run.sessions.empty(); }

void write_report(const Run& run, Written written) {
  for (const Finding& finding : check_plausibility(run)) check_text(finding.text);
  if (!has_report(run)) return;
  const SiteRun page{new_run_folder("", run).string(), build_document(run, false), to_json(run),
                     run.sessions.front().started_at, cells_csv(run)};
  BlankCharts charts;
  const bool all = written == Written::kEveryFormat;
  const Site site = render_site(
      {page}, {.formats = all ? all_formats() : formats_named("csv,json"), .single_file = all},
      &charts);
  for (const SiteFile& file : site.files) {
    if (!is_print(file.path)) check_text(file.bytes);
  }
}

void compare_everything(const Run& a, const Run& b) {
  accepted([&] {
    const Comparison comparison = compare_runs(a, b, {.allowed = {.batch = true, .vocab = true}});
    const Document document = diff_document(comparison, {"A", ""}, {"B", ""});
    check_text(diff_text(document));
    check_text(diff_markdown(document));
    check_text(diff_json(comparison));
    check_text(single_diff_html(document, {}));
  });
}

}  // namespace labreport::fuzz
