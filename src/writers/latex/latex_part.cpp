#include "writers/latex/latex_part.h"

#include "base/text.h"
#include "document/byline.h"
#include "writers/latex/latex_table.h"
#include "writers/latex/latex_text.h"
#include "writers/latex/latex_words.h"

namespace labreport {
namespace {

/// Longer tables of a details would bury the answers on paper.
constexpr std::size_t kMostEvidenceRows = 16;

/// Where the author writes, by hand or in the source.
constexpr const char* kAnswerSpace = "{\\small\\emph{Your answer}\\par}\n\\vspace{6em}\n\n";

std::string run_in(const std::string& words) { return "\\paragraph*{" + words + "} "; }

/// A block set apart, unless it is empty.
std::string quotation(const std::string& words) {
  return words.empty() ? "" : "\\begin{quote}\\itshape\n" + words + "\\end{quote}\n\n";
}

/// The letter is the part's number: another before it would be nobody's.
std::string heading(const Part& part) {
  if (part.title.empty()) return "";
  const std::string letter = part.letter.empty() ? "" : "(" + part.letter + ") ";
  const std::string title = latex_title(letter + part.title);
  return "\\subsection*{" + title + "}\\phantomsection\n\\addcontentsline{toc}{subsection}{" +
         title + "}\\label{" + latex_label("part", part.anchor()) + "}\n\n";
}

}  // namespace

std::string latex_label(const std::string& kind, const std::string& name) {
  return kind + ":" + slug(name);
}

std::string LatexParts::part(const Part& part) {
  const std::string where = part.anchor();
  std::string text = heading(part);
  if (!part.setting.empty()) text += "{\\small " + latex_text(part.setting) + "\\par}\n\n";
  text += quotation(latex_markdown(part.question)) + answer(part);
  for (const Figure& each : part.figures) text += figure(each, where);
  for (const TableView& each : part.tables) text += table(each, where);
  return text + details(part.details, where);
}

std::string LatexParts::answer(const Part& part) const {
  std::string text;
  const std::string generated = part.generated_answer(options_.answers);
  if (!generated.empty()) {
    text += latex_markdown(generated) +
            "{\\small\\emph{Generated from this run\\textquoteright{}s measurements.}\\par}\n\n";
  }
  if (part.note) {
    text += latex_markdown(part.note->markdown, part.note->formulas) + "{\\small\\emph{" +
            latex_text(note_mark(front_)) + "}\\par}\n\n";
  }
  if (part.awaits_answer(options_.answers)) text += kAnswerSpace;
  return text;
}

std::string LatexParts::figure(const Figure& figure, const std::string& where) {
  if (!prints_.contains(figure.slug)) {
    return figure.data.columns.empty() ? "" : table(figure.data, where);
  }
  const std::string caption =
      "\\caption{\\textbf{" + latex_title(figure.title) + ".} " + latex_line(figure.caption) + "}";
  return "\\begin{figure}[" + placement_ + "]\n\\centering\n\\includegraphics[width=\\linewidth]{" +
         options_.charts + slug(figure.slug) + ".pdf}\n" + caption + "\\label{" +
         latex_label("fig", figure.slug) + "}\n\\end{figure}\n\n";
}

std::string LatexParts::table(const TableView& table, const std::string& where) {
  if (table.columns.empty()) return "";
  std::string label = latex_label("tab", where + " " + table.slug);
  for (int next = 2; !labels_.insert(label).second; ++next) {
    label = latex_label("tab", where + " " + table.slug + " " + std::to_string(next));
  }
  return table_latex(table, label, placement_, line_);
}

std::string LatexParts::details(const Details& details, const std::string& where) {
  std::string text = latex_markdown(details.words(options_.answers));
  if (!details.warnings.empty()) {
    text += "\\begin{itemize}\n";
    for (const std::string& warning : details.warnings) {
      text += "\\item Warning: " + latex_text(warning) + "\n";
    }
    text += "\\end{itemize}\n\n";
  }
  std::string left;
  for (const TableView& each : details.tables) {
    if (each.rows.size() <= kMostEvidenceRows) {
      text += table(each, where);
    } else {
      left += (left.empty() ? "" : "; ") + latex_title(each.title);
    }
  }
  if (!left.empty())
    text += "{\\small Left to the page and to tables/, being long: " + left + ".\\par}\n\n";
  for (const Figure& each : details.figures) text += figure(each, where);
  return text.empty() ? "" : run_in("How this was measured") + text;
}

}  // namespace labreport
