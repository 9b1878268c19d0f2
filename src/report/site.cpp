#include "report/site.h"

#include <algorithm>
#include <exception>

#include "base/error.h"
#include "base/text.h"
#include "report/assets.h"
#include "report/html.h"
#include "report/markdown.h"
#include "report/pictures.h"
#include "report/specs.h"
#include "results/run_json.h"

namespace labreport {
namespace {

/// What the chart tool gave: all of it or nothing.
struct Charts {
  std::vector<Drawings> drawings;  ///< One a run.
  std::string bundle;
  std::string notice;
};

Charts draw_charts(const std::vector<const SiteRun*>& runs, ChartTool* tool) {
  Charts none{.drawings = std::vector<Drawings>(runs.size()), .bundle = {}, .notice = {}};
  if (tool == nullptr) return none;
  std::vector<const Document*> documents;
  for (const SiteRun* run : runs) documents.push_back(&run->document);
  try {
    Charts charts;
    charts.drawings = draw_all(documents, *tool);
    charts.bundle = tool->bundle();
    return charts;
  } catch (const Error& error) {
    // Charts are the one part that needs a tool: the report is worth having without them.
    none.notice = std::string("charts are left out: ") + error.what();
    return none;
  }
}

std::string root_from(const std::string& folder) {
  std::string root = "../";
  for (const char letter : folder) {
    if (letter == '/') root += "../";
  }
  return root;
}

void add_pictures(Site& site, const SiteRun& run, const Drawings& drawings) {
  const std::string folder = run.folder + "/";
  for (const Figure* figure : figures_of(run.document)) {
    const auto drawing = drawings.find(figure->slug);
    if (drawing == drawings.end()) continue;
    site.files.push_back({folder + chart_path(*figure), picture_file(drawing->second.wide)});
    site.files.push_back(
        {folder + narrow_chart_path(*figure), picture_file(drawing->second.narrow)});
  }
  if (!drawings.empty()) {
    site.files.push_back({folder + kSpecsPath, specs_script(run.document, drawings)});
  }
}

void add_run(Site& site, const SiteRun& run, const Drawings& drawings, const PageOptions& options) {
  const std::string folder = run.folder + "/";
  site.files.push_back({page_path(run), page_html(run.document, drawings, options)});
  site.files.push_back(
      {folder + "report.md", report_markdown(run.document, drawings, options.answers)});
  site.files.push_back({folder + "run.json", run.run_json});
  for (const Section& section : run.document.sections) {
    for (const Part& part : section.parts) {
      for (const Attachment& file : part.files) {
        if (file.artifact.empty()) site.files.push_back({folder + file.name, file.bytes});
      }
    }
  }
  add_pictures(site, run, drawings);
}

void add_assets(Site& site, const std::string& bundle) {
  site.files.push_back({"assets/style.css", page_style()});
  site.files.push_back({"assets/script.js", page_script()});
  site.files.push_back({"assets/run.schema.json", std::string(run_schema())});
  if (!bundle.empty()) site.files.push_back({"assets/charts.js", bundle});
  // GitHub Pages would hide and rewrite files without it.
  site.files.push_back({".nojekyll", ""});
}

std::vector<const SiteRun*> in_order(const std::vector<SiteRun>& runs) {
  std::vector<const SiteRun*> ordered;
  for (const SiteRun& run : runs) ordered.push_back(&run);
  std::ranges::stable_sort(ordered, [](const SiteRun* a, const SiteRun* b) {
    if (a->document.demonstration != b->document.demonstration) return b->document.demonstration;
    if (a->document.date != b->document.date) return a->document.date > b->document.date;
    return a->folder < b->folder;
  });
  return ordered;
}

}  // namespace

std::string page_path(const SiteRun& run) { return run.folder + "/index.html"; }

std::string single_page_path(const SiteRun& run) {
  return run.folder + "/" + slug(run.folder) + ".html";
}

Site render_site(const std::vector<SiteRun>& runs, const SiteOptions& options, ChartTool* tool) {
  const std::vector<const SiteRun*> ordered = in_order(runs);
  const Charts charts = draw_charts(ordered, tool);
  Site site{.files = {}, .notice = charts.notice};
  std::vector<IndexEntry> entries;
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    const SiteRun& run = *ordered[i];
    add_run(site, run, charts.drawings[i],
            {.root = root_from(run.folder),
             .interactive = !charts.bundle.empty(),
             .answers = options.answers});
    if (options.single_file) {
      site.files.push_back(
          {single_page_path(run),
           single_page_html(run.document, charts.drawings[i], options.answers, charts.bundle)});
    }
    entries.push_back({&run.document, page_path(run)});
  }
  site.files.push_back({"index.html", index_html(entries)});
  add_assets(site, charts.bundle);
  return site;
}

}  // namespace labreport
