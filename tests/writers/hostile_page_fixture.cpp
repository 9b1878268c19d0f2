#include "writers/hostile_page.h"

#include "document/facts.h"
#include "writers/sample_fixture.h"
#include "writers/sample_parts.h"

namespace labreport {
namespace {

void spoil(TableView& table) {
  table.title += hostile_words();
  for (ColumnView& column : table.columns) column.title += hostile_words();
  for (RowView& row : table.rows) {
    for (CellView& cell : row.cells) cell.text += hostile_words();
    row.flags.push_back(hostile_words());
    row.note += endless_word();
  }
  table.rows.front().cells.front().text = endless_word();
}

void spoil(Figure& figure) {
  figure.title += hostile_words() + endless_word();
  figure.alt += hostile_words();
  figure.variant += hostile_words();
  if (!figure.data.columns.empty()) spoil(figure.data);
}

void spoil(Part& part) {
  part.title += hostile_words();
  part.setting = hostile_words() + endless_word();
  part.answer += "\n\n" + escape_markdown(hostile_words()) + " " + endless_word();
  for (TableView& table : part.tables) spoil(table);
  for (Figure& figure : part.figures) spoil(figure);
  for (TableView& table : part.details.tables) spoil(table);
  for (Figure& figure : part.details.figures) spoil(figure);
  part.details.warnings.push_back(hostile_words() + endless_word());
}

Figure chart_of(const std::string& label) {
  return {.slug = "hostile-label",
          .title = "A size of one's own",
          .caption = "",
          .alt = "One dot.",
          .spec = dot_chart({{label, "forward", 2, label}}),
          .data = {}};
}

}  // namespace

std::string hostile_words() {
  return "</script><script>document.title='owned'</script>"
         "<img src=x onerror=\"document.title='owned'\">\" onload=\"document.title='owned'\" "
         "{{title}}{{{parts}}} **bold** [a](javascript:alert(1)) \u202etfel\u202c \x07\x1b[31m";
}

std::string endless_word() { return std::string(10000, 'W'); }

Document hostile_page() {
  Document document = sample_document();
  document.reference = false;
  for (std::string* text : {&document.title, &document.device, &document.preset, &document.revision,
                            &document.provenance, &document.outcome_line}) {
    *text = hostile_words() + endless_word();
  }
  document.headline.network += hostile_words() + endless_word();
  spoil(document.environment);
  document.reproduce += "\n" + hostile_words() + endless_word();
  for (Section& section : document.sections) {
    section.title += hostile_words();
    for (Part& part : section.parts) spoil(part);
  }
  document.sections.front().parts.front().figures.push_back(chart_of(hostile_words()));
  return document;
}

}  // namespace labreport
