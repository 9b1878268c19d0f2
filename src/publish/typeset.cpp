#include "publish/typeset.h"

#include "base/error.h"
#include "base/printable.h"
#include "publish/formats.h"
#include "publish/run_files.h"
#include "writers/html/pictures.h"
#include "writers/markdown/markdown.h"
#include "writers/typst/typst_text.h"

namespace labreport {
namespace {

TypesetJob job_for(const SiteRun& run, const Drawings& drawings, const SiteOptions& options) {
  const std::string source =
      report_typst(run.document, drawings, typst_options(run.document, options));
  TypesetJob job{printable(source, kLinesAndTabs), {}};
  for (const Figure* figure : figures_of(run.document)) {
    const auto drawing = drawings.find(figure->slug);
    if (drawing == drawings.end()) continue;
    const std::string path = narrow_chart_path(*figure);
    const bool shown = job.source.find(typst_string(path)) != std::string::npos;
    if (shown) job.pictures[path] = drawing->second.narrow;
  }
  for (const Attachment* picture : note_pictures(run.document)) {
    job.pictures[picture->name] = picture->bytes;
  }
  return job;
}

void tell_no_pdf(Site& site, const SiteRun& run, const std::string& line) {
  if (!line.empty()) site.notice += (site.notice.empty() ? "" : "\n") + line;
  site.lacking.insert(run.folder);
}

}  // namespace

std::vector<SiteFile> typeset_runs(const std::vector<SiteRun>& runs,
                                   const std::vector<Drawings>& drawings,
                                   const SiteOptions& options, ChartTool& tool, Site& site) {
  std::vector<TypesetJob> jobs;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    jobs.push_back(job_for(runs[i], drawings[i], options));
  }
  std::vector<SiteFile> files;
  try {
    const std::vector<Typeset> all = tool.typeset(jobs);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string path = runs[i].folder + "/" + format_file(Format::kPdf);
      if (all[i].pdf.empty()) {
        tell_no_pdf(site, runs[i], path + " is left out: " + all[i].problem);
      } else {
        files.push_back({path, all[i].pdf});
      }
    }
  } catch (const Error& error) {
    for (const SiteRun& run : runs) {
      tell_no_pdf(site, run,
                  &run == &runs.front() ? std::string("PDF is left out: ") + error.what() : "");
    }
  }
  return files;
}

}  // namespace labreport
