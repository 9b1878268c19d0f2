#include "writers/hostile_fixture.h"

#include "base/text.h"
#include "document/facts.h"
#include "writers/sample_fixture.h"
#include "writers/sample_parts.h"

namespace labreport {
namespace {

/// All of them but the long one, in a line.
std::string everything() {
  std::string line;
  for (const std::string& text : hostile_texts()) {
    if (text.size() < 1000) line += (line.empty() ? "" : " ") + text;
  }
  return line;
}

TableView hostile_table() {
  TableView table{.slug = everything(), .title = everything(), .columns = {}, .rows = {}};
  table.columns = {{everything(), everything(), Align::kLeft},
                   {"number", everything()},
                   {"command", "", Align::kLeft, true}};
  for (const std::string& text : hostile_texts()) {
    RowView row{.cells = {words(text), words(text), words(text)}, .flags = {text}, .note = ""};
    table.rows.push_back(row);
    table.rows.push_back({.cells = {words(text, true)}, .flags = {}, .note = text});
  }
  return table;
}

Part hostile_part() {
  Part part = sample_section().parts.front();
  part.title = part.setting = everything();
  part.question = part.answer = part.facts = escape_markdown(everything());
  for (const std::string& text : hostile_texts()) part.answer += "\n\n" + escape_markdown(text);
  std::string note = "# " + everything() + "\n\n" + everything();
  for (const std::string& text : hostile_texts())
    note += "\n\n- " + text + "\n\n| " + text + " |\n|---|\n| " + text + " |";
  part.note = AuthorNote{.markdown = note, .replaces = false};
  part.figures.front().title = part.figures.front().alt = everything();
  part.figures.front().caption = everything();
  part.figures.front().in_page = everything();
  part.tables = {hostile_table()};
  part.details.method = everything();
  part.details.warnings = hostile_texts();
  part.details.tables = {hostile_table()};
  return part;
}

}  // namespace

const std::vector<std::string>& hostile_texts() {
  static const std::vector<std::string> texts = {
      "#panic(\"ran\") #import \"x.typ\" #{ panic() } #[a](b).c;",
      "$ panic $ $x_1$ $$ \\frac{1}{0} $$ $unclosed",
      "*bold _emph `raw ``` fence *** ___ ~~~ ~~struck~~",
      "<label> @reference <script>alert(1)</script> &amp; &#35;",
      "// comment /* block */ https://example.org/#a?b=(c)[d] --- ... -? 'q' \"q\"",
      "= heading - item + item / term: 1. item 12. item > quote",
      "\\ \\u{41} \\# \\input{/etc/passwd} \\write18{ls} \\end{document} \\\\ % ^^41 ~",
      "{{mustache}} {{{raw}}} {{#section}} | pipe | [link](javascript:alert(1)) ![p](x.png)",
      "\u202Eright to left\u202C \u2066isolate\u2069 \u200F mark; \u05E9\u05DC\u05D5\u05DD",
      std::string(
          "control \x01\x02\x1B[31m \x7F \xC2\x85 \xE2\x80\xA8 \xE2\x80\xA9 \t tab\r\nline"),
      "[ ] ( ) { } ; : , . ! ? @ = + - \" ' \u00A0 \u200B \uFEFF \U0001F600 \u4E2D\u6587",
      std::string(10000, 'W')};
  return texts;
}

Document hostile_document() {
  Document document = sample_document();
  document.title = document.device = document.provenance = everything();
  document.edition = document.preset = document.date = document.revision = everything();
  document.outcome_line = document.reproduce = document.method = everything();
  document.front = {everything(), everything(), "https://example.org/" + everything()};
  document.demonstration = document.incomplete = true;
  document.headline = {everything(), everything(), 1, 1, 1, 1};
  document.environment = hostile_table();
  document.sections.front().title = everything();
  document.sections.front().parts = {hostile_part()};
  return document;
}

}  // namespace labreport
