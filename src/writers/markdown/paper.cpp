#include "writers/markdown/paper.h"

#include <nlohmann/json.hpp>

#include <algorithm>

#include "base/text.h"
#include "document/facts.h"
#include "results/json_writer.h"
#include "writers/markdown/markdown_writer.h"
#include "writers/paper_choice.h"
#include "writers/visible_text.h"

namespace labreport {
namespace {

using nlohmann::json;

class PaperWriter final : public MarkdownWriter {
 public:
  PaperWriter(const FrontMatter& front, const PrintedCharts& charts, const PaperOptions& options)
      : MarkdownWriter(front, options.answers), charts_(charts) {}

 private:
  void title_block(const Document& document) override { text_ += banners_markdown(document); }

  void section_heading(const Section& section) override {
    heading(1, escape_markdown(section.title));
    if (section.is_handout_problem()) paragraph("Problem `" + section.problem + "`");
  }

  void heading(int level, const std::string& words) override {
    paragraph(std::string(static_cast<std::size_t>(level), '#') + " " + words);
  }

  /// Writes a picture whose description is the figure's caption.
  void figure(const Figure& figure) override {
    if (figure.page_only) return;
    if (!charts_.contains(figure.slug)) return table(figure.table);
    paragraph("![**" + escape_markdown(figure.title) + ".** " +
              replaced(figure.caption, "\n\n", " ") + "](charts/" + slug(figure.slug) + ".pdf)");
  }

  void table(const TableView& table) override {
    if (!table.columns.empty()) text_ += table_markdown(table, TableUse::kPaper);
  }

  void details(const Details& details) override {
    if (details.is_empty(answers_)) return;
    heading(4, escape_markdown(details.title));
    paragraph(details.words(answers_));
    warnings(details);
    const std::vector<const TableView*> printed = printed_tables(details);
    std::vector<std::string> page_only_titles;
    for (const TableView& each : details.tables) {
      const bool is_printed =
          each.always_on_paper || std::ranges::find(printed, &each) != printed.end();
      is_printed ? table(each) : page_only_titles.push_back(each.title);
    }
    if (!page_only_titles.empty()) {
      paragraph(escape_markdown("Left to the page and to tables/: " + join(page_only_titles, "; ") +
                                "."));
    }
    for (const Figure& each : details.figures) figure(each);
  }

  const PrintedCharts& charts_;
};

std::string metadata_words(std::string_view text) { return escape_markdown(visible_text(text)); }

/// Returns the metadata that templates/report.latex prints above the table of contents.
json title_metadata(const Document& document, const PaperOptions& options) {
  const FrontMatter& front = document.front;
  json authors = json::array();
  for (const std::string& line : {front.author, front.course, front.repository}) {
    if (!line.empty()) authors.push_back(metadata_words(line));
  }
  return {{"title", metadata_words(document.name())},
          {"author", authors},
          {"date", metadata_words(document.run_line())},
          {"provenance", metadata_words(document.provenance_line(options.answers))},
          {"paper", options.paper == Paper::kLetter ? "letter" : "a4"}};
}

/// Puts metadata before the Markdown, among them the formulas that `find_formula` knows.
std::string with_metadata(json metadata, std::string_view markdown, const Formulas& formulas) {
  const std::string text = visible_text(markdown, true);
  metadata["formulas"] = json::array();
  for (const MathSpan& span : cut_math(text).spans) {
    if (find_formula(span, formulas) != nullptr) metadata["formulas"].push_back(span.source());
  }
  return keep_numbers_whole("---\n" + compact_json(metadata) + "\n---\n\n" + text);
}

}  // namespace

std::string report_paper(const Document& document, const PrintedCharts& charts,
                         const PaperOptions& options) {
  Formulas formulas;
  for (const Section& section : document.sections) {
    for (const Part& part : section.parts) {
      if (part.note) formulas.insert(part.note->formulas.begin(), part.note->formulas.end());
    }
  }
  return with_metadata(title_metadata(document, options),
                       PaperWriter(document.front, charts, options).write(document), formulas);
}

std::string part_paper(const Part& part, const PrintedCharts& charts, const PaperOptions& options,
                       const FrontMatter& front) {
  return with_metadata(json::object(), PaperWriter(front, charts, options).write(part),
                       part.note ? part.note->formulas : Formulas());
}

}  // namespace labreport
