#include "report/site.h"

#include <algorithm>
#include <exception>
#include <iterator>

#include "base/error.h"
#include "embedded/report.h"
#include "report/html.h"
#include "report/run_files.h"
#include "report/typeset.h"
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

/// One a run; all empty where no format wants them or the tool cannot.
std::vector<Prints> print_charts(const std::vector<Drawings>& drawings, const SiteOptions& options,
                                 ChartTool* tool, std::string& notice) {
  const std::vector<Prints> none(drawings.size());
  if (tool == nullptr || !options.formats.has(Format::kLatex)) return none;
  try {
    return print_all(drawings, *tool);
  } catch (const Error& error) {
    notice += (notice.empty() ? "" : "\n") + std::string("charts as PDF and PNG are left out: ") +
              error.what();
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

void append(std::vector<SiteFile>& files, std::vector<SiteFile> more) {
  std::ranges::move(more, std::back_inserter(files));
}

void add_assets(Site& site, const std::string& bundle) {
  const EmbeddedFiles embedded = embedded::report();
  for (const char* name : {"style.css", "charts.css", "print.css", "script.js"}) {
    const std::string source = std::string("site/") + name;
    site.files.push_back({std::string("assets/") + name, std::string(embedded.at(source))});
  }
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

Site render_site(const std::vector<SiteRun>& runs, const SiteOptions& options, ChartTool* tool) {
  const std::vector<const SiteRun*> ordered = in_order(runs);
  const Charts charts = draw_charts(ordered, tool);
  Site site{.files = {}, .notice = charts.notice, .partial = !options.formats.all()};
  const std::vector<Prints> prints = print_charts(charts.drawings, options, tool, site.notice);
  std::vector<IndexEntry> entries;
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    const SiteRun& run = *ordered[i];
    const PageOptions page = {.root = root_from(run.folder),
                              .interactive = !charts.bundle.empty(),
                              .answers = options.answers};
    append(site.files, run_files(run, charts.drawings[i], prints[i], options, page));
    entries.push_back({&run.document, page_path(run)});
  }
  if (options.formats.has(Format::kPdf) && tool != nullptr) {
    append(site.files, typeset_runs(ordered, charts.drawings, options, *tool, site.notice));
  }
  if (options.formats.has(Format::kHtml)) {
    site.files.push_back({"index.html", index_html(entries)});
    add_assets(site, charts.bundle);
  }
  return site;
}

}  // namespace labreport
