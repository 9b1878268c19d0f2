#include "publish/formats.h"

#include "base/table.h"

namespace labreport {
namespace {

constexpr Names<Format, 7> kNames{{{Format::kHtml, "html"},
                                   {Format::kMarkdown, "md"},
                                   {Format::kCsv, "csv"},
                                   {Format::kLatex, "latex"},
                                   {Format::kTypst, "typst"},
                                   {Format::kPdf, "pdf"},
                                   {Format::kJson, "json"}}};
constexpr Names<Format, 7> kFiles{{{Format::kHtml, "index.html"},
                                   {Format::kMarkdown, "report.md"},
                                   {Format::kCsv, "cells.csv"},
                                   {Format::kLatex, "report.tex"},
                                   {Format::kTypst, "report.typ"},
                                   {Format::kPdf, "report.pdf"},
                                   {Format::kJson, "run.json"}}};

}  // namespace

Formats all_formats() {
  Formats all;
  for (const auto& [format, name] : kNames) all.insert(format);
  return all;
}

Formats parse_formats(const std::string& names) {
  Formats chosen;
  for (const std::string& name : split(names, ',')) {
    chosen.insert(parse_name(kNames, "--format", name));
  }
  return chosen;
}

std::string format_file_name(Format format) { return std::string(name_in(kFiles, format)); }

}  // namespace labreport
