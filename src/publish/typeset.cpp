#include "publish/typeset.h"

#include "base/error.h"
#include "base/printable.h"
#include "publish/exports.h"
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

void tell_left_out(Site& site, const SiteRun& run, const std::string& line) {
  if (!line.empty()) site.notice += (site.notice.empty() ? "" : "\n") + line;
  site.lacking.insert(run.folder);
}

void tell_none(Site& site, const std::vector<SiteRun>& runs, const std::string& line) {
  for (const SiteRun& run : runs) tell_left_out(site, run, &run == &runs.front() ? line : "");
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
        tell_left_out(site, runs[i], path + " is left out: " + all[i].problem);
      } else {
        files.push_back({path, all[i].pdf});
      }
    }
  } catch (const Error& error) {
    tell_none(site, runs, std::string("PDF is left out: ") + error.what());
  }
  return files;
}

std::vector<SiteFile> latex_of_runs(const std::vector<SiteRun>& runs,
                                    const std::vector<Prints>& prints, const SiteOptions& options,
                                    ChartTool& tool, Site& site) {
  std::vector<SiteFile> files;
  std::vector<std::string> trees;
  std::vector<const SiteRun*> run_of;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (Attachment& tree : latex_trees(runs[i].document, prints[i],
                                        {.answers = options.answers, .paper = options.paper})) {
      files.push_back({runs[i].folder + "/" + tree.name, ""});
      trees.push_back(std::move(tree.bytes));
      run_of.push_back(&runs[i]);
    }
  }
  try {
    const std::vector<std::string> texts = tool.latex(trees);
    for (std::size_t i = 0; i < files.size(); ++i) {
      files[i].bytes = texts[i];
      if (!texts[i].empty()) continue;
      tell_left_out(site, *run_of[i], files[i].path + " is left out: pandoc gave up");
    }
    std::erase_if(files, [](const SiteFile& file) { return file.bytes.empty(); });
    return files;
  } catch (const Error& error) {
    tell_none(site, runs, std::string("LaTeX is left out: ") + error.what());
    return {};
  }
}

}  // namespace labreport
