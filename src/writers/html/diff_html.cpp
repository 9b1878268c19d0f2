#include <utility>

#include "base/printable.h"
#include "writers/diff/diff_writers.h"
#include "writers/html/assets.h"
#include "writers/html/html_parts.h"
#include "writers/html/single_file.h"
#include "writers/html/specs.h"
#include "writers/html/template.h"

namespace labreport {
namespace {

/// Nothing but the site's own files; no code is made at run time.
constexpr const char* kDiffPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'";

std::string tables_html(const std::vector<TableView>& tables, const std::string& prefix,
                        PageState& state) {
  std::string html;
  for (const TableView& table : tables) {
    html += table_html(table, state.id(prefix + "-" + table.slug));
  }
  return html;
}

/// A comparison is short: all its figures are printed.
PaperPart whole(const DiffPart& part) {
  PaperPart paper;
  for (const Figure& figure : part.figures) paper.figures.push_back(&figure);
  return paper;
}

TemplateList part_list(const DiffDocument& document, PageState& state) {
  TemplateList parts;
  for (const DiffPart& part : document.parts) {
    const std::string prefix = "table-" + part.problem;
    parts.push_back(TemplateObject{{"problem", part.problem},
                                   {"title", part.title},
                                   {"words", part.words},
                                   {"figures", figures_html(part.figures, state, whole(part))},
                                   {"tables", tables_html(part.tables, prefix, state)},
                                   {"evidence", tables_html(part.evidence, prefix, state)}});
  }
  return parts;
}

TemplateList lines_list(const std::vector<std::string>& texts) {
  TemplateList list;
  for (const std::string& text : texts) list.push_back(TemplateObject{{"text", text}});
  return list;
}

TemplateList key_numbers(const std::vector<KeyNumber>& key_numbers) {
  TemplateList list;
  for (const KeyNumber& number : key_numbers) {
    list.push_back(TemplateObject{
        {"label", number.label}, {"value", number.value}, {"anchor", number.anchor}});
  }
  return list;
}

Enclosed enclosed_parts(const DiffPageOptions& options) {
  if (!options.alone) return {};
  return {.style = page_style(), .scripts = {enclosed_script(page_script())}};
}

}  // namespace

Document figures_document(const DiffDocument& document) {
  Part all;
  for (const DiffPart& part : document.parts) {
    all.figures.insert(all.figures.end(), part.figures.begin(), part.figures.end());
  }
  Document figures;
  figures.sections.push_back({.problem = "diff", .title = {}, .parts = {std::move(all)}});
  return figures;
}

std::string diff_html(const DiffDocument& document, const Drawings& drawings,
                      const DiffPageOptions& options) {
  PageState state{.drawings = drawings, .single = options.alone};
  const Enclosed enclosed = enclosed_parts(options);
  const std::string page =
      fill_template("diff.html", {{"root", options.root},
                                  {"single", options.alone},
                                  {"interactive", options.interactive},
                                  {"specs", kSpecsPath},
                                  {"policy", options.alone ? policy_for(enclosed) : kDiffPolicy},
                                  {"style", enclosed.style},
                                  {"scripts", lines_list(enclosed.scripts)},
                                  {"title", document.title},
                                  {"relation", document.relation},
                                  {"counts", document.counts},
                                  {"notices", lines_list(document.notices)},
                                  {"key_numbers", key_numbers(document.key_numbers)},
                                  {"sides", table_html(document.sides, "table-sides")},
                                  {"parts", part_list(document, state)},
                                  {"lone", !document.rest.empty()},
                                  {"rest", tables_html(document.rest, "table", state)},
                                  {"method", markdown_to_html(document.method)},
                                  {"command", document.command}});
  return printable(page, kLinesAndTabs);
}

}  // namespace labreport
