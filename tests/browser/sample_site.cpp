// Writes the sample report as a site, drawn by the real chart tool: sample_site OUT PROJECT.
#include <cstdio>

#include "document/facts.h"
#include "publish/chart_renderer.h"
#include "publish/site.h"
#include "writers/diff/diff_writers.h"
#include "writers/diff_runs.h"
#include "writers/hostile_fixture.h"
#include "writers/html/assets.h"
#include "writers/html/pictures.h"
#include "writers/markdown/markdown.h"
#include "writers/sample_fixture.h"

namespace {

constexpr const char* kFirstRun = "nvidia-h200/2025/20260501-101500-a1b2c3d";

/// Adds the comparison diff/`name`/ with its pictures, as `labreport render` does.
void add_diff(labreport::Site& site, const std::string& name,
              const labreport::Comparison& comparison, labreport::ChartTool& tool) {
  const labreport::Document document = labreport::diff_document(
      comparison, {"site/runs/a", "../../" + std::string(kFirstRun) + "/index.html"}, {"b", ""});
  const labreport::Drawings drawings = labreport::draw_all({&document}, tool).front();
  const auto add = [&](const std::string& file, std::string bytes) {
    site.files.push_back({"diff/" + name + "/" + file, std::move(bytes)});
  };
  add("index.html",
      labreport::diff_html(document, drawings, {.root = "../../", .interactive = true}));
  add("diff.md", labreport::diff_markdown(document, drawings));
  add("diff.json", labreport::diff_json(comparison));
  add(labreport::kSpecsPath, labreport::specs_script(document, drawings));
  for (const labreport::Figure* figure : labreport::figures_of(document)) {
    const labreport::Drawing& drawing = drawings.at(figure->slug);
    add(labreport::chart_path(*figure), labreport::picture_file(drawing.wide));
    add(labreport::narrow_chart_path(*figure), labreport::picture_file(drawing.narrow));
  }
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

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  labreport::ChartProcess tool(argv[2]);
  const std::vector<labreport::SiteRun> runs = {
      {kFirstRun, labreport::sample_document(), "{}\n"},
      {"cpu/2025/20260502-090000-a1b2c3d", labreport::demonstration_document(), "{}\n"},
      {"hostile/2025/20260503-090000-a1b2c3d", hostile_page(), "{}\n"},
      {"hostile/2025/20260504-090000-a1b2c3d", hostile_page(), "{}\n", "2026-05-04T09:00:00Z"}};
  labreport::Site site = labreport::render_site(runs, {}, &tool);
  add_diff(site, "one-machine", labreport::one_machine(), tool);
  add_diff(site, "two-gpus", labreport::two_gpus(), tool);
  add_diff(site, "hostile", labreport::hostile_comparison(), tool);
  if (!site.notice.empty()) std::fprintf(stderr, "%s\n", site.notice.c_str());
  labreport::StagedSite(site, argv[1]).commit();
  return site.notice.empty() ? 0 : 1;
}
