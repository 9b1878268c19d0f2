// Writes the sample report as a site, drawn by the real chart tool: sample_site OUT PROJECT.
#include <cstdio>

#include "document/facts.h"
#include "publish/chart_renderer.h"
#include "publish/site.h"
#include "writers/diff/diff_writers.h"
#include "writers/diff_runs.h"
#include "writers/hostile_fixture.h"
#include "writers/sample_fixture.h"

namespace {

constexpr const char* kFirstRun = "nvidia-h200/2025/20260501-101500-a1b2c3d";
constexpr const char* kSecondRun = "cpu/2025/20260502-090000-a1b2c3d";

/// Compares two runs, as if they were those of the site.
labreport::SitePair pair_of(const std::string& name, const labreport::Comparison& comparison) {
  labreport::SitePair pair;
  pair.document = labreport::document_of(comparison);
  pair.diff_json = labreport::diff_json(comparison);
  pair.runs = {kFirstRun, kSecondRun};
  pair.link.folder = "diff/" + name;
  pair.link.device = pair.document->title;
  pair.link.preset = pair.document->relation;
  return pair;
}

/// Returns a report in which every name of the run is an attack. As in a real report, Markdown
/// escapes the run's words. There is no note, because notes are made safe when they are read.
labreport::Document hostile_page() {
  labreport::Document document = labreport::hostile_document();
  document.reference = document.demonstration = document.incomplete = false;
  labreport::Part& part = document.sections.front().parts.front();
  part.note.reset();
  document.front.repository = "https://example.org";
  for (std::string* words : {&document.method, &part.details.method, &part.figures.back().caption,
                             &part.figures.back().page_caption}) {
    *words = labreport::escape_markdown(*words);
  }
  return document;
}

labreport::SiteRun sample_run(const std::string& folder, const labreport::Document& report) {
  return {labreport::sample_summary(report, folder), report, "{}\n"};
}

labreport::SiteRun hostile_run(const std::string& folder) {
  const labreport::Document report = hostile_page();
  return {labreport::hostile_summary(report, folder), report, "{}\n"};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  labreport::ChartProcess tool(argv[2]);
  std::vector<labreport::SiteRun> runs = {
      sample_run(kFirstRun, labreport::sample_document()),
      sample_run(kSecondRun, labreport::demonstration_document()),
      hostile_run("hostile/2025/20260503-090000-a1b2c3d"),
      hostile_run("hostile/2025/20260504-090000-a1b2c3d")};
  runs.back().summary.started_at = "2026-05-04T09:00:00Z";
  const labreport::Site site = labreport::render_site(
      runs, {}, &tool, {},
      {pair_of("one-machine", labreport::one_machine()), pair_of("two-gpus", labreport::two_gpus()),
       pair_of("hostile", labreport::hostile_comparison())});
  if (!site.notice.empty()) std::fprintf(stderr, "%s\n", site.notice.c_str());
  labreport::StagedSite(site, argv[1]).commit();
  return site.notice.empty() ? 0 : 1;
}
