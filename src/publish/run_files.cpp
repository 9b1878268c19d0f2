#include "publish/run_files.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "publish/exports.h"
#include "publish/formats.h"
#include "writers/html/assets.h"
#include "writers/html/pictures.h"
#include "writers/markdown/markdown.h"

namespace labreport {
namespace {

struct RunFiles {
  const SiteRun& run;
  const Drawings& drawings;
  const Prints& prints;
  const SiteOptions& options;
  std::vector<SiteFile> files = {};

  void add(const std::string& name, std::string bytes) {
    files.push_back({run.folder + "/" + name, std::move(bytes)});
  }
  void add(std::vector<Attachment> named) {
    for (Attachment& file : named) add(file.name, std::move(file.bytes));
  }
};

void add_markdown(RunFiles& to) {
  to.add("report.md", report_markdown(to.run.document, to.drawings, to.options.answers));
  to.add(markdown_parts(to.run.document, to.drawings, to.options.answers));
}

void add_csv(RunFiles& to) {
  if (!to.run.cells_csv.empty()) to.add("cells.csv", to.run.cells_csv);
  to.add(table_files(to.run.document));
}

void add_prints(RunFiles& to) { to.add(print_files(to.run.document, to.prints)); }

void add_typst(RunFiles& to) {
  to.add("report.typ",
         report_typst(to.run.document, to.drawings, typst_options(to.run.document, to.options)));
  to.add(typst_parts(to.run.document, to.drawings, typst_options(to.run.document, to.options)));
}

void add_json(RunFiles& to) { to.add("run.json", to.run.run_json); }

struct FormatWriter {
  Format format;
  void (*write)(RunFiles& to);
};

constexpr FormatWriter kWriters[] = {{Format::kMarkdown, add_markdown},
                                     {Format::kCsv, add_csv},
                                     {Format::kLatex, add_prints},
                                     {Format::kTypst, add_typst},
                                     {Format::kJson, add_json}};

/// What the words of a report link to.
void add_attachments(RunFiles& to) {
  for (const Section& section : to.run.document.sections) {
    for (const Part& part : section.parts) {
      for (const Attachment& file : part.files) {
        if (file.artifact.empty()) to.add(file.name, file.bytes);
      }
    }
  }
}

/// Whether it begins as its kind does: a typesetter gives up a whole report for one broken picture.
bool is_picture(const Attachment& file) {
  constexpr std::pair<std::string_view, std::string_view> kKinds[] = {{".png", "\x89PNG\r\n\x1a\n"},
                                                                      {".jpg", "\xff\xd8\xff"},
                                                                      {".jpeg", "\xff\xd8\xff"},
                                                                      {".gif", "GIF8"},
                                                                      {".webp", "RIFF"},
                                                                      {".svg", "<"}};
  return std::ranges::any_of(kKinds, [&](const auto& kind) {
    return file.name.ends_with(kind.first) && file.bytes.starts_with(kind.second);
  });
}

bool is_read_with_files_beside(const Formats& formats) {
  return formats.has(Format::kHtml) || formats.has(Format::kMarkdown) ||
         formats.has(Format::kTypst) || formats.has(Format::kLatex);
}

}  // namespace

std::vector<SiteFile> run_files(const SiteRun& run, const Drawings& drawings, const Prints& prints,
                                const SiteOptions& options) {
  RunFiles to{run, drawings, prints, options};
  for (const FormatWriter& writer : kWriters) {
    if (options.formats.has(writer.format)) writer.write(to);
  }
  if (is_read_with_files_beside(options.formats)) {
    add_attachments(to);
    std::ranges::move(picture_files(run.folder + "/", run.document, drawings),
                      std::back_inserter(to.files));
  }
  return std::move(to.files);
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
  for (const char letter : folder) {
    if (letter == '/') root += "../";
  }
  return root;
}

std::vector<FormatLink> formats_beside(const Site& site, const SiteRun& run) {
  const std::string page = single_page_path(run.folder);
  const FormatLink known[] = {
      {"PDF", "report.pdf"},     {"one file", page.substr(run.folder.size() + 1)},
      {"Markdown", "report.md"}, {"Typst", "report.typ"},
      {"LaTeX", "report.tex"},   {"CSV", "cells.csv"},
      {"JSON", "run.json"}};
  std::vector<FormatLink> found;
  for (const FormatLink& format : known) {
    const bool is_there = std::ranges::any_of(site.files, [&](const SiteFile& file) {
      return file.path == run.folder + "/" + format.file;
    });
    if (is_there) found.push_back(format);
  }
  if (!found.empty() && found.back().name == "JSON") {
    found.push_back({"JSON schema", root_from(run.folder) + "assets/run.schema.json"});
  }
  return found;
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
      for (const Attachment& file : part.files) {
        if (file.name.starts_with("notes/") && is_picture(file)) pictures.push_back(&file);
      }
    }
  }
  return pictures;
}

}  // namespace labreport
