#include "writers/hostile_fixture.h"

#include "base/text.h"
#include "document/facts.h"
#include "writers/sample_fixture.h"
#include "writers/sample_parts.h"

namespace labreport {
namespace {

/// Joins all hostile texts except the long ones to one line.
std::string hostile_line() {
  std::string line;
  for (const std::string& text : hostile_texts()) {
    if (text.size() < 1000) line += (line.empty() ? "" : " ") + text;
  }
  return line;
}

TableView hostile_table() {
  TableView table{.slug = "hostile", .title = hostile_line(), .columns = {}, .rows = {}};
  table.columns = {{hostile_line(), hostile_line(), Align::kLeft},
                   {"number", hostile_line()},
                   {"command", "", Align::kLeft, true}};
  for (const std::string& text : hostile_texts()) {
    table.rows.push_back({{text, text, text}, {text}});
    table.rows.push_back({{text}, {}, text});
  }
  return table;
}

/// Returns Markdown that an author may write and every format must handle.
std::string hostile_note() {
  std::string note = "# " + hostile_line() + "\n\n" + hostile_line() +
                     "\n\n> - > 1. # a\n\n| a | b |\n|--|--|\n| $x^a^b$ | ![p](../\\x) |\n\n"
                     "$\\input{x}$ $$\\frac{1}$$ $\\def\\a{\\a}\\a$ $x≤y$\n\n"
                     "[l](https://example.org/%5C}{\\x#_~) ![g](none.svg)\n\n```\n" +
                     hostile_line() + "\n```\n";
  for (const std::string& text : hostile_texts())
    note += "\n\n- " + text + "\n\n| " + text + " |\n|---|\n| " + text + " |";
  return note;
}

Figure hostile_chart() {
  return {.slug = "hostile-label",
          .title = hostile_line() + " " + hostile_texts().back(),
          .caption = hostile_line(),
          .alt = hostile_line(),
          .spec = dot_chart({{hostile_words(), "forward", 2, hostile_words()}}),
          .table = hostile_table(),
          .page_caption = hostile_line()};
}

Part hostile_part() {
  Part part = sample_section().parts.front();
  part.title = hostile_line();
  part.setting = hostile_line() + " " + hostile_texts().back();
  part.question = part.answer = escape_markdown(hostile_line());
  for (const std::string& text : hostile_texts()) part.answer += "\n\n" + escape_markdown(text);
  part.note = AuthorNote{.markdown = hostile_note(), .replaces_answer = false};
  part.figures.push_back(hostile_chart());
  part.tables = {hostile_table()};
  part.details.method = hostile_line();
  part.details.warnings = hostile_texts();
  part.details.tables = {hostile_table()};
  return part;
}

}  // namespace

std::string hostile_words() {
  return "</script><script>document.title='owned'</script>"
         "<img src=x onerror=\"document.title='owned'\">\" onload=\"document.title='owned'\" "
         "{{title}}{{{parts}}} **bold** [a](javascript:alert(1)) \u202etfel\u202c \x07\x1b[31m";
}

const std::vector<std::string>& hostile_texts() {
  static const std::vector<std::string> texts = {
      "#panic(\"ran\") #import \"x.typ\" #{ panic() } #[a](b).c;",
      "$ panic $ $x_1$ $$ \\frac{1}{0} $$ $unclosed",
      "*bold _emph `raw ``` fence *** ___ ~~~ ~~struck~~",
      "<label> @reference " + hostile_words() + " &amp; &#35;",
      "// comment /* block */ https://example.org/#a?b=(c)[d] --- ... -? 'q' \"q\"",
      "= heading - item + item / term: 1. item 12. item > quote",
      "\\ \\u{41} \\# \\input{/etc/passwd} \\write18{touch here} \\end{document} \\\\[1cm] % ^^41 "
      "~ ^^M & _ ``'' -- --- << >> ?` !` [x] ^^5cinput \\\\* 漢字 кириллица العربية ﬁ ½ ≥ √ ᵀ µ μ "
      "ÀÿĂćŁń "
      "¡£«»¿",
      "{{#section}} {{>part}} | pipe | [link](javascript:alert(1)) ![p](https://example.org/x.png)",
      "\u202Eright to left\u202C \u2066isolate\u2069 \u200F mark; \u05E9\u05DC\u05D5\u05DD",
      std::string(
          "control \x01\x02\x1B[31m \x7F \xC2\x85 \xE2\x80\xA8 \xE2\x80\xA9 \t tab\r\nline"),
      "[ ] ( ) { } ; : , . ! ? @ = + - \" ' \u00A0 \u200B \uFEFF \U0001F600 \u4E2D\u6587",
      std::string(4000, '\\'),
      std::string(10000, 'x')};
  return texts;
}

Document hostile_document() {
  Document document = sample_document();
  for (std::string* text : {&document.title, &document.device, &document.preset, &document.revision,
                            &document.provenance, &document.outcome, &document.method,
                            &document.reproduce, &document.front.author, &document.front.course}) {
    *text = hostile_line() + " " + hostile_texts().back();
  }
  document.front.repository = "https://example.org/" + hostile_line();
  document.demonstration = document.incomplete = true;
  document.environment = hostile_table();
  document.sections.front().title = hostile_line();
  document.sections.front().parts = {hostile_part()};
  return document;
}

RunSummary hostile_summary(const Document& report, const std::string& folder) {
  RunSummary summary = sample_summary(report, folder);
  summary.headline = {hostile_line(), hostile_line(), 1, 1, 1, hostile_line(), 1};
  summary.quantities = {{.topic = topic::kTrainingStep,
                         .network = hostile_line(),
                         .precision = hostile_line(),
                         .setting = hostile_line(),
                         .unit = "ms",
                         .values = {{hostile_line(), 1}},
                         .remark = hostile_line()}};
  return summary;
}

}  // namespace labreport
