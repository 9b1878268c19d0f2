// Writes the sample report as a site, drawn by the real chart tool: sample_site OUT PYTHON BUNDLES.
#include <cstdio>

#include "cli/chart_renderer.h"
#include "report/hostile_page.h"
#include "report/sample_fixture.h"
#include "report/site.h"

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  labreport::ChartProcess tool(argv[2], argv[3]);
  const std::vector<labreport::SiteRun> runs = {
      {"nvidia-h200/2025/20260501-101500-a1b2c3d", labreport::sample_document(), "{}\n"},
      {"cpu/2025/20260502-090000-a1b2c3d", labreport::demonstration_document(), "{}\n"},
      {"hostile/2025/20260503-090000-a1b2c3d", labreport::hostile_page(), "{}\n"}};
  const labreport::Site site = labreport::render_site(runs, {}, &tool);
  if (!site.notice.empty()) std::fprintf(stderr, "%s\n", site.notice.c_str());
  labreport::write_site(site, argv[1]);
  return site.notice.empty() ? 0 : 1;
}
