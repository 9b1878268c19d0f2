#include "publish/run_files.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "publish/formats.h"
#include "writers/csv/table_csv.h"
#include "writers/html/assets.h"
#include "writers/html/pictures.h"
#include "writers/markdown/markdown.h"

namespace labreport {
namespace {

/// Returns true if the file's first bytes fit its name: a broken picture would spoil the report.
bool is_picture(const Attachment& file) {
  constexpr std::pair<std::string_view, std::string_view> kMagic[] = {{".png", "\x89PNG\r\n\x1a\n"},
                                                                      {".jpg", "\xff\xd8\xff"},
                                                                      {".jpeg", "\xff\xd8\xff"},
                                                                      {".gif", "GIF8"},
                                                                      {".webp", "RIFF"},
                                                                      {".svg", "<"}};
  return std::ranges::any_of(kMagic, [&](const auto& magic) {
    return file.name.ends_with(magic.first) && file.bytes.starts_with(magic.second);
  });
}

/// Adds a file "parts/<part>" + `ending`, written by `write`, for each part of the handout.
template <class Write>
void add_parts(std::vector<Attachment>& files, const Document& document, const char* ending,
               Write write) {
  for (const Section& section : document.sections) {
    if (!section.is_handout_problem()) continue;
    for (Part part : section.parts) {
      // A part may be read without its report, so it says where it was measured.
      const std::string& provenance = document.provenance;
      const bool has_both = !provenance.empty() && !part.setting.empty();
      part.setting = provenance + (has_both ? " · " : "") + part.setting;
      files.push_back({"parts/" + part.name() + ending, write(part)});
    }
  }
}

}  // namespace

std::vector<SiteFile> run_files(const SiteRun& run, const Drawings& drawings,
                                const PrintedCharts& prints, const SiteOptions& options) {
  const Document& document = run.document;
  const Formats& formats = options.formats;
  std::vector<SiteFile> files;
  const auto add = [&](const std::string& name, std::string bytes) {
    files.push_back({run.folder() + "/" + name, std::move(bytes)});
  };
  const auto add_all = [&](std::vector<Attachment> attachments) {
    for (Attachment& file : attachments) add(file.name, std::move(file.bytes));
  };
  if (formats.contains(Format::kMarkdown)) {
    add("report.md", report_markdown(document, drawings, options.answers));
    add_all(markdown_parts(document, drawings, options.answers));
  }
  if (formats.contains(Format::kCsv)) {
    if (!run.cells_csv.empty()) add("cells.csv", run.cells_csv);
    add_all(table_files(document));
  }
  if (formats.contains(Format::kLatex)) add_all(print_files(document, prints));
  if (formats.contains(Format::kTypst)) {
    add("report.typ", report_typst(document, drawings, typst_options(document, options)));
  }
  if (formats.contains(Format::kJson) && !run.run_json.empty()) add("run.json", run.run_json);
  const bool has_text = formats.contains(Format::kHtml) || formats.contains(Format::kMarkdown) ||
                        formats.contains(Format::kTypst) || formats.contains(Format::kLatex);
  if (!has_text) return files;  // The text of a report links to its attachments.
  for (const Section& section : document.sections) {
    for (const Part& part : section.parts) {
      for (const Attachment& file : part.attachments) {
        if (file.artifact.empty()) add(file.name, file.bytes);
      }
    }
  }
  std::ranges::move(picture_files(run.folder() + "/", document, drawings),
                    std::back_inserter(files));
  return files;
}

std::vector<SiteFile> picture_files(const std::string& folder, const Document& document,
                                    const Drawings& drawings) {
  std::vector<SiteFile> files;
  for (const Figure* figure : figures_of(document)) {
    const auto drawing = drawings.find(figure->slug);
    if (drawing == drawings.end()) continue;
    files.push_back({folder + chart_path(*figure), picture_file(drawing->second.wide)});
    files.push_back({folder + narrow_chart_path(*figure), picture_file(drawing->second.narrow)});
  }
  if (!drawings.empty()) {
    files.push_back({folder + kSpecsPath, specs_script(document, drawings)});
  }
  return files;
}

std::string root_from(const std::string& folder) {
  std::string root = "../";
  for (auto steps = std::ranges::count(folder, '/'); steps > 0; --steps) root += "../";
  return root;
}

std::vector<FormatLink> links_to_other_formats(const Site& site, const SiteRun& run) {
  const std::string page = single_page_path(run.folder());
  const FormatLink candidates[] = {
      {"PDF", "report.pdf"},     {"one file", page.substr(run.folder().size() + 1)},
      {"Markdown", "report.md"}, {"Typst", "report.typ"},
      {"LaTeX", "report.tex"},   {"CSV", "cells.csv"},
      {"JSON", "run.json"}};
  std::vector<FormatLink> links;
  for (const FormatLink& format : candidates) {
    const bool has_file = std::ranges::any_of(site.files, [&](const SiteFile& file) {
      return file.path == run.folder() + "/" + format.file;
    });
    if (has_file) links.push_back(format);
  }
  if (!links.empty() && links.back().name == "JSON") {
    links.push_back({"JSON schema", root_from(run.folder()) + "assets/run.schema.json"});
  }
  return links;
}

TypstOptions typst_options(const Document& document, const SiteOptions& options) {
  TypstOptions typst;
  typst.answers = options.answers;
  typst.paper = options.paper;
  for (const Attachment* picture : note_pictures(document)) typst.pictures.insert(picture->name);
  return typst;
}

std::vector<const Attachment*> note_pictures(const Document& document) {
  std::vector<const Attachment*> pictures;
  for (const Section& section : document.sections) {
    for (const Part& part : section.parts) {
      for (const Attachment& file : part.attachments) {
        if (file.name.starts_with("notes/") && is_picture(file)) pictures.push_back(&file);
      }
    }
  }
  return pictures;
}

std::vector<Attachment> table_files(const Document& document) {
  std::vector<Attachment> files;
  for (const NamedTable& table : named_tables(document)) {
    files.push_back({"tables/" + table.name + ".csv", table_csv(*table.table)});
  }
  return files;
}

std::vector<Attachment> latex_sources(const Document& document, const PrintedCharts& prints,
                                      const PaperOptions& options) {
  std::vector<Attachment> files = {{"report.tex", report_paper(document, prints, options)}};
  add_parts(files, document, ".tex",
            [&](const Part& part) { return part_paper(part, prints, options, document.front); });
  return files;
}

std::vector<Attachment> print_files(const Document& document, const PrintedCharts& prints) {
  std::vector<Attachment> files;
  for (const Figure* figure : figures_of(document)) {
    const auto printed = prints.find(figure->slug);
    if (printed == prints.end()) continue;
    const std::string name = "charts/" + slug(figure->slug);
    files.push_back({name + ".pdf", printed->second.pdf});
    files.push_back({name + ".png", printed->second.png});
  }
  return files;
}

std::vector<Attachment> markdown_parts(const Document& document, const Drawings& drawings,
                                       Answers answers) {
  std::vector<Attachment> files;
  add_parts(files, document, ".md", [&](const Part& part) {
    return part_markdown(part, document.front, drawings, answers);
  });
  return files;
}

}  // namespace labreport
