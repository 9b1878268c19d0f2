#include "publish/formats.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"

namespace labreport {
namespace {

struct FormatName {
  Format format;
  const char* name;
  const char* file;
};

constexpr std::array<FormatName, 7> kFormats = {{{Format::kHtml, "html", "index.html"},
                                                 {Format::kMarkdown, "md", "report.md"},
                                                 {Format::kCsv, "csv", "cells.csv"},
                                                 {Format::kLatex, "latex", "report.tex"},
                                                 {Format::kTypst, "typst", "report.typ"},
                                                 {Format::kPdf, "pdf", "report.pdf"},
                                                 {Format::kJson, "json", "run.json"}}};

Format format_named(const std::string& name) {
  const auto* found = std::ranges::find(kFormats, name, &FormatName::name);
  if (found != kFormats.end()) return found->format;
  std::vector<std::string> names;
  for (const FormatName& format : kFormats) names.emplace_back(format.name);
  refuse_unknown("--format", name, names);
}

}  // namespace

Formats Formats::named(const std::string& names) {
  Formats chosen;
  chosen.bits_ = 0;
  for (const std::string& name : split(names, ',')) chosen.bits_ |= bit(format_named(name));
  return chosen;
}

Format Formats::first() const { return list().front(); }

std::vector<Format> Formats::list() const {
  std::vector<Format> chosen;
  for (const FormatName& format : kFormats) {
    if (has(format.format)) chosen.push_back(format.format);
  }
  return chosen;
}

std::string format_file(Format format) {
  return std::ranges::find(kFormats, format, &FormatName::format)->file;
}

}  // namespace labreport
