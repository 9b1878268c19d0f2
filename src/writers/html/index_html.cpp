#include "writers/html/index_html.h"

#include "writers/html/html_parts.h"
#include "writers/html/specs.h"
#include "writers/html/template.h"

namespace labreport {

std::string index_html(const Document& document, const Drawings& drawings, bool interactive,
                       const std::vector<ComparedPair>& pairs) {
  TemplateList compared;
  for (const ComparedPair& pair : pairs) {
    compared.push_back(TemplateObject{{"link", pair.link},
                                      {"title", pair.title},
                                      {"edition", pair.edition},
                                      {"words", pair.words}});
  }
  PageState state{.drawings = drawings};
  std::string figures;
  std::string tables;
  for (const Section& section : document.sections) {
    Part part = section.parts.front();
    figures += figures_html(part.figures, state, on_paper(part));
    for (const TableView& table : part.tables) tables += table_html(table, "table-" + table.slug);
  }
  return fill_template("index.html", {{"title", document.title},
                                      {"empty", document.sections.empty()},
                                      {"interactive", interactive},
                                      {"specs", kSpecsPath},
                                      {"figures", figures},
                                      {"tables", tables},
                                      {"compared", !pairs.empty()},
                                      {"pairs", compared},
                                      {"demonstrated", document.demonstration}});
}

}  // namespace labreport
