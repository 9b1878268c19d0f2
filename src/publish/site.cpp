#include "publish/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/error.h"
#include "base/printable.h"
#include "base/text.h"
#include "document/index/index_document.h"
#include "publish/cards.h"
#include "publish/run_files.h"
#include "results/run_schema.h"
#include "writers/diff/diff_writers.h"
#include "writers/html/assets.h"
#include "writers/html/html.h"
#include "writers/markdown/markdown.h"
#include "writers/typst/typst_text.h"

namespace labreport {
namespace {

/// Adds notices about missing parts of the site, and marks the runs that lack them.
void note_missing_in_some(Site& site, const std::vector<SiteRun>& runs, const std::string& what,
                          const std::vector<std::string>& problems) {
  for (std::size_t i = 0; i < problems.size(); ++i) {
    if (problems[i].empty()) continue;
    site.add_notice(what + " are left out of " + runs[i].folder() + ": " + problems[i]);
    site.incomplete_runs.insert(runs[i].folder());
  }
}

void note_missing_in_all(Site& site, const std::vector<SiteRun>& runs, const std::string& line) {
  site.add_notice(line);
  for (const SiteRun& run : runs) site.incomplete_runs.insert(run.folder());
}

/// A page that is not a run's: it compares two runs or shows several.
struct OtherPage {
  std::string name;  ///< The page's folder, or "the index".
  const Document* document;
};

struct Charts {
  std::vector<Drawings> of_runs;
  std::vector<Drawings> of_others;
  std::string bundle;
};

/// Returns the pages of pairs that are to be written, then those over several runs.
std::vector<OtherPage> other_pages(const std::vector<SitePair>& pairs,
                                   const std::vector<OverviewPage>& overviews) {
  std::vector<OtherPage> others;
  for (const SitePair& pair : pairs) {
    if (pair.document) others.push_back({pair.link.folder, &*pair.document});
  }
  for (const OverviewPage& page : overviews)
    others.push_back({page.is_index() ? "the index" : page.folder, &page.document});
  return others;
}

/// Returns the documents of the runs, then those of the other pages.
std::vector<const Document*> documents_of(const std::vector<SiteRun>& runs,
                                          const std::vector<OtherPage>& others) {
  std::vector<const Document*> documents;
  for (const SiteRun& run : runs) documents.push_back(&run.document);
  for (const OtherPage& page : others) documents.push_back(page.document);
  return documents;
}

Charts draw_charts(const std::vector<SiteRun>& runs, const std::vector<OtherPage>& others,
                   ChartTool* tool, Site& site) {
  Charts none{.of_runs = std::vector<Drawings>(runs.size()),
              .of_others = std::vector<Drawings>(others.size()),
              .bundle = {}};
  if (tool == nullptr) return none;
  try {
    Charts charts;
    std::vector<std::string> problems;
    charts.of_runs = draw_isolating_failures(documents_of(runs, others), *tool, problems);
    charts.bundle = tool->bundle();
    const auto run_count = static_cast<std::ptrdiff_t>(runs.size());
    charts.of_others.assign(std::move_iterator(charts.of_runs.begin() + run_count),
                            std::move_iterator(charts.of_runs.end()));
    charts.of_runs.resize(runs.size());
    for (std::size_t i = 0; i < others.size(); ++i) {
      const std::string& problem = problems[runs.size() + i];
      if (problem.empty()) continue;
      site.add_notice("charts are left out of " + others[i].name + ": " + problem);
      site.incomplete_runs.insert(others[i].name);
    }
    problems.resize(runs.size());
    note_missing_in_some(site, runs, "charts", problems);
    return charts;
  } catch (const Error& error) {
    // The site is made nevertheless, because a report is useful without charts.
    note_missing_in_all(site, runs, std::string("charts are left out: ") + error.what());
    site.chart_tool_failed = true;
    return none;
  }
}

/// Returns the charts of each run as PDF and PNG. All are empty without LaTeX or if the tool fails.
std::vector<PrintedCharts> print_charts(const std::vector<SiteRun>& runs,
                                        const std::vector<Drawings>& drawings,
                                        const SiteOptions& options, ChartTool* tool, Site& site) {
  std::vector<PrintedCharts> none(drawings.size());
  if (tool == nullptr || !options.formats.contains(Format::kLatex)) return none;
  try {
    std::vector<std::string> problems;
    std::vector<PrintedCharts> prints = print_isolating_failures(drawings, *tool, problems);
    note_missing_in_some(site, runs, "charts as PDF and PNG", problems);
    return prints;
  } catch (const Error& error) {
    note_missing_in_all(site, runs,
                        std::string("charts as PDF and PNG are left out: ") + error.what());
    return none;
  }
}

/// Returns one card for each run, then one for each other page. All are empty if the site has no
/// web address or the tool fails.
std::vector<Card> draw_cards(const std::vector<SiteRun>& runs, const std::vector<OtherPage>& others,
                             const Charts& charts, const SiteOptions& options, ChartTool* tool,
                             Site& site) {
  std::vector<Card> none(runs.size() + others.size());
  if (tool == nullptr || options.site_url.empty()) return none;
  if (!options.formats.contains(Format::kHtml)) return none;
  std::vector<const Drawings*> drawings;
  for (const Drawings& run : charts.of_runs) drawings.push_back(&run);
  for (const Drawings& page : charts.of_others) drawings.push_back(&page);
  try {
    return make_cards(documents_of(runs, others), drawings, *tool);
  } catch (const Error& error) {
    note_missing_in_all(site, runs,
                        std::string("pictures of link previews are left out: ") + error.what());
    for (const OtherPage& page : others) site.incomplete_runs.insert(page.name);
    return none;
  }
}

template <typename Item>
void append(std::vector<Item>& items, std::vector<Item> more) {
  std::ranges::move(more, std::back_inserter(items));
}

/// Says which characters of a report are boxes, and in which note, with the package to install.
std::vector<std::string> missing_letter_lines(const std::string& path, const TypesetResult& report,
                                              const Document& document) {
  std::vector<std::string> lines;
  for (const auto& [package, letters] : report.missing_letters) {
    const auto add = [&](const std::string& whose, const std::vector<std::string>& boxes) {
      constexpr std::size_t kMaxShown = 8;
      const std::vector<std::string> shown(
          boxes.begin(),
          boxes.begin() + static_cast<std::ptrdiff_t>(std::min(boxes.size(), kMaxShown)));
      const std::string more =
          boxes.size() > kMaxShown ? fmt::format(" and {} more", boxes.size() - kMaxShown) : "";
      lines.push_back(fmt::format("{}{} shows boxes for {}{}: install {} and render again", whose,
                                  path, join(shown, " "), more, package));
    };
    std::vector<std::string> others = letters;
    for (const Section& section : document.sections) {
      for (const Part& part : section.parts) {
        const std::string note = part.note ? part.note->markdown : "";
        const auto is_in_note = [&](const std::string& letter) {
          return note.find(letter) != note.npos;
        };
        std::vector<std::string> found;
        std::ranges::copy_if(letters, std::back_inserter(found), is_in_note);
        std::erase_if(others, is_in_note);
        if (!found.empty()) add("note " + part.name() + ".md: ", found);
      }
    }
    if (!others.empty()) add("", others);
  }
  return lines;
}

/// Adds reports as PDF: "<folder>/report.pdf" for each run, all in one start of the tool.
void add_pdfs(Site& site, const std::vector<SiteRun>& runs, const std::vector<Drawings>& drawings,
              const SiteOptions& options, ChartTool& tool) try {
  std::vector<TypesetJob> jobs;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Document& document = runs[i].document;
    const std::string source =
        report_typst(document, drawings[i], typst_options(document, options));
    TypesetJob& job = jobs.emplace_back(TypesetJob{printable(source, kLinesAndTabs), {}});
    for (const Figure* figure : figures_of(document)) {
      const std::string path = narrow_chart_path(*figure);
      const auto drawing = drawings[i].find(figure->slug);
      if (drawing == drawings[i].end() || job.source.find(typst_string(path)) == path.npos)
        continue;
      job.pictures[path] = drawing->second.narrow;
    }
    for (const Attachment* picture : note_pictures(document)) {
      job.pictures[picture->name] = picture->bytes;
    }
  }
  const std::vector<TypesetResult> reports = tool.typeset(jobs);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const std::string path = runs[i].folder() + "/" + format_file_name(Format::kPdf);
    std::vector<std::string> problems = missing_letter_lines(path, reports[i], runs[i].document);
    if (reports[i].pdf.empty()) {
      problems.push_back(path + " is left out: " + reports[i].problem);
    } else {
      site.files.push_back({path, reports[i].pdf});
    }
    if (!problems.empty()) site.incomplete_runs.insert(runs[i].folder());
    append(site.problems, std::move(problems));
  }
} catch (const Error& error) {
  note_missing_in_all(site, runs, std::string("PDF is left out: ") + error.what());
}

/// Adds "<folder>/report.tex" and "<folder>/parts/<part>.tex" of all runs in one start of the tool.
void add_latex(Site& site, const std::vector<SiteRun>& runs,
               const std::vector<PrintedCharts>& prints, const SiteOptions& options,
               ChartTool& tool) try {
  std::vector<std::string> paths, sources;
  std::vector<const SiteRun*> source_runs;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (Attachment& source : latex_sources(runs[i].document, prints[i],
                                            {.answers = options.answers, .paper = options.paper})) {
      paths.push_back(runs[i].folder() + "/" + source.name);
      sources.push_back(std::move(source.bytes));
      source_runs.push_back(&runs[i]);
    }
  }
  const std::vector<std::string> texts = tool.render_latex(sources);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (texts[i].empty()) {
      site.problems.push_back(paths[i] + " is left out: pandoc gave up");
      site.incomplete_runs.insert(source_runs[i]->folder());
    } else {
      site.files.push_back({paths[i], texts[i]});
    }
  }
} catch (const Error& error) {
  note_missing_in_all(site, runs, std::string("LaTeX is left out: ") + error.what());
}

void add_assets(Site& site, const std::string& bundle, const std::vector<RunSummary>& runs,
                const std::vector<ComparedPair>& pairs) {
  site.files.push_back({"assets/style.css", page_style()});
  site.files.push_back({"assets/script.js", page_script() + parts_script(runs)});
  site.files.push_back({"assets/compare.js", compare_script()});
  site.files.push_back({"assets/summaries.js", summaries_script(runs, pairs)});
  site.files.push_back({kIconPath, page_icon()});
  site.files.push_back({"assets/run.schema.json", write_json(run_schema())});
  site.files.push_back({"assets/diff.schema.json", std::string(diff_schema())});
  site.files.push_back({"assets/summary.schema.json", std::string(summary_schema())});
  if (!bundle.empty()) site.files.push_back({"assets/charts.js", bundle});
  // This file stops GitHub Pages from rewriting and hiding files.
  site.files.push_back({".nojekyll", ""});
}

/// Makes control characters visible in files of text, except JSON, which escapes them already.
void show_control_characters(Site& site) {
  constexpr std::array kTextEndings{".html", ".md", ".csv", ".tex", ".typ"};
  for (SiteFile& file : site.files) {
    const bool is_text = std::ranges::any_of(
        kTextEndings, [&](const char* ending) { return file.path.ends_with(ending); });
    if (is_text) file.bytes = printable(file.bytes, kLinesAndTabs);
  }
}

/// Adds each run's page. All other files of the runs must be in `site`, because pages link to them.
void add_pages(Site& site, const std::vector<SiteRun>& runs, const Charts& charts,
               const std::vector<Card>& cards, const SiteOptions& options) {
  if (!options.formats.contains(Format::kHtml)) return;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    PageOptions page_options = {
        .root = root_from(runs[i].folder()),
        .interactive = !charts.bundle.empty(),
        .answers = options.answers,
        .formats = links_to_other_formats(site, runs[i]),
        .links = site.links,
        .topics = topics_of_parts(runs[i].summary, root_from(runs[i].folder()))};
    place_card(options.site_url, runs[i].folder() + "/", cards[i], page_options, site.files);
    site.files.push_back({runs[i].folder() + "/index.html",
                          page_html(runs[i].document, charts.of_runs[i], page_options)});
  }
}

/// Returns the files of a page that compares two runs.
std::vector<SiteFile> pair_files(const SitePair& pair, const Drawings& drawings, const Card& card,
                                 const std::vector<SiteLink>& links, const SiteOptions& options) {
  const std::string folder = pair.link.folder + "/", root = root_from(pair.link.folder);
  PageOptions page_options = {.root = root,
                              .interactive = !drawings.empty(),
                              .formats = {{"Markdown", "diff.md"},
                                          {"JSON", "diff.json"},
                                          {"JSON schema", root + "assets/diff.schema.json"}},
                              .links = links,
                              .current = kCompareFile,
                              .compared_runs = pair.runs};
  std::vector<SiteFile> files = picture_files(folder, *pair.document, drawings);
  place_card(options.site_url, folder, card, page_options, files);
  append(files, {{folder + "index.html", page_html(*pair.document, drawings, page_options)},
                 {folder + "diff.md", report_markdown(*pair.document, drawings, Answers::kFull)},
                 {folder + "diff.json", pair.diff_json}});
  return files;
}

/// Adds the files of a page that compares two runs. Returns false if writing the page fails; a
/// notice then names it, and the rest of the site stands.
bool add_pair(Site& site, const SitePair& pair, const Drawings& drawings, const Card& card,
              const SiteOptions& options) try {
  append(site.files, pair_files(pair, drawings, card, site.links, options));
  return true;
} catch (const Interrupted&) {
  throw;
} catch (const std::exception& error) {
  site.add_notice(pair.link.folder + " is left out: " + error.what());
  site.incomplete_runs.insert(pair.link.folder);
  return false;
}

ComparedPair link_to(const SitePair& pair) {
  return {.link = pair.link.folder + "/index.html",
          .title = pair.link.device,
          .description = pair.link.preset + ": " + pair.link.outcome,
          .runs = pair.runs};
}

/// Adds a page over several runs. A GPU's page links only to the comparisons of its runs.
void add_overview(Site& site, const OverviewPage& page, const Drawings& drawings, const Card& card,
                  bool interactive, const std::vector<ComparedPair>& all_pairs,
                  const std::vector<SiteLink>& links, const SiteOptions& options) {
  const std::string folder = page.folder.empty() ? "" : page.folder + "/";
  PageOptions page_options = {.root = page.folder.empty() ? "" : root_from(page.folder),
                              .interactive = interactive,
                              .answers = options.answers,
                              .links = links,
                              .current = folder + page.file};
  std::ranges::copy_if(all_pairs, std::back_inserter(page_options.pairs), [&](const auto& pair) {
    return page.is_index() || pair.compares(page.folder);
  });
  append(site.files, picture_files(folder, page.document, drawings));
  place_card(options.site_url, folder, card, page_options, site.files);
  if (!page_options.address.empty() && page.folder.empty() && !page.is_index())
    page_options.address += page.file;
  if (!page.script_data.is_null())
    site.files.push_back(
        {kFitsScript, "window.labreportFits = " + page.script_data.dump() + ";\n"});
  site.files.push_back({folder + page.file, overview_html(page, drawings, page_options)});
}

/// Adds the page for two runs that have no page of their own.
void add_compare_page(Site& site, const std::vector<RunSummary>& runs, bool interactive,
                      const std::vector<ComparedPair>& pairs, const std::vector<SiteLink>& links,
                      const SiteOptions& options) {
  Document document = compare_document();
  document.reference = std::ranges::all_of(runs, &RunSummary::reference);
  PageOptions page_options = {.root = "",
                              .interactive = interactive,
                              .answers = options.answers,
                              .links = links,
                              .current = kCompareFile,
                              .pairs = pairs};
  if (!options.site_url.empty()) page_options.address = options.site_url + kCompareFile;
  site.files.push_back({kCompareFile, page_html(document, {}, page_options)});
}

}  // namespace

std::vector<const SiteFile*> files_of(const Site& site, const std::string& folder) {
  std::vector<const SiteFile*> files;
  for (const SiteFile& file : site.files) {
    if (file.path.starts_with(folder + "/")) files.push_back(&file);
  }
  return files;
}

std::string single_page_path(const std::string& folder) {
  return folder + "/" + slug(folder) + ".html";
}

Site render_site(const std::vector<SiteRun>& runs, const SiteOptions& options, ChartTool* tool,
                 const std::vector<UnchangedRun>& unchanged, const std::vector<SitePair>& pairs) {
  Site site{.files = {}, .notice = {}, .is_partial = options.formats != all_formats()};
  for (const SiteRun& run : runs) site.summaries.push_back(run.summary);
  std::vector<RunSummary> summaries = site.summaries;
  for (const UnchangedRun& run : unchanged) summaries.push_back(run.summary);
  std::vector<OverviewPage> overviews;
  if (options.formats.contains(Format::kHtml)) overviews = overview_pages(summaries);
  const std::vector<OtherPage> others = other_pages(pairs, overviews);
  const Charts charts = draw_charts(runs, others, tool, site);
  const std::vector<PrintedCharts> prints = print_charts(runs, charts.of_runs, options, tool, site);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    append(site.files, run_files(runs[i], charts.of_runs[i], prints[i], options));
    if (options.formats.contains(Format::kHtml))
      site.files.push_back({runs[i].folder() + "/summary.json", summary_json(runs[i].summary)});
    if (options.single_file) {
      site.files.push_back(
          {single_page_path(runs[i].folder()),
           single_page_html(runs[i].document, charts.of_runs[i], options.answers, charts.bundle)});
    }
  }
  if (options.formats.contains(Format::kPdf) && tool != nullptr) {
    add_pdfs(site, runs, charts.of_runs, options, *tool);
  }
  if (options.formats.contains(Format::kLatex) && tool != nullptr) {
    add_latex(site, runs, prints, options, *tool);
  }
  const std::vector<Card> cards = draw_cards(runs, others, charts, options, tool, site);
  site.links = site_links(summaries);
  add_pages(site, runs, charts, cards, options);
  for (const UnchangedRun& run : unchanged) append(site.unchanged_files, run.files);
  std::size_t other = 0;
  std::vector<ComparedPair> compared;
  for (const SitePair& pair : pairs) {
    append(site.unchanged_files, pair.unchanged_files);
    bool is_written = !pair.unchanged_files.empty();
    if (pair.document) {
      is_written =
          add_pair(site, pair, charts.of_others[other], cards[runs.size() + other], options);
      ++other;
    }
    if (is_written) compared.push_back(link_to(pair));
  }
  if (options.formats.contains(Format::kHtml) && !summaries.empty())
    add_compare_page(site, summaries, !charts.bundle.empty(), compared, site.links, options);
  // The first page, the index, is added last because it links to all other pages.
  for (std::size_t i = overviews.size(); i > 0; --i) {
    const std::size_t index = other + i - 1;
    add_overview(site, overviews[i - 1], charts.of_others[index], cards[runs.size() + index],
                 !charts.bundle.empty(), compared, site.links, options);
  }
  if (options.formats.contains(Format::kHtml)) add_assets(site, charts.bundle, summaries, compared);
  show_control_characters(site);
  return site;
}

}  // namespace labreport
