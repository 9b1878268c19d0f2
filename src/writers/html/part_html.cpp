#include <utility>

#include "base/text.h"
#include "document/charts/charts.h"
#include "document/keyed_number.h"
#include "writers/html/html.h"
#include "writers/html/pictures.h"
#include "writers/html/template.h"
#include "writers/markdown/markdown.h"

namespace labreport {

std::string with_keyed_numbers(std::string_view html) {
  constexpr std::string_view kLink = "<a href=\"", kLinkEnd = "</a>";
  std::string result;
  for (std::size_t link = html.find(kLink); link != html.npos; link = html.find(kLink)) {
    const std::size_t end = html.find('"', link + kLink.size());
    const auto keyed = keyed_address(html.substr(link + kLink.size(), end - link - kLink.size()));
    result += html.substr(0, link);
    html.remove_prefix(link);
    const std::size_t link_end = html.find(kLinkEnd) + kLinkEnd.size();
    const std::string_view link_html = html.substr(0, link_end);
    if (keyed) {
      const std::size_t words = link_html.find('>') + 1;
      result += "<data value=\"" + keyed->number + "\" data-key=\"" + keyed->key + "\">";
      result += link_html.substr(words, link_html.size() - words - kLinkEnd.size());
      result += "</data>";
    } else {
      result += link_html;
    }
    html.remove_prefix(link_end);
  }
  return result.append(html);
}

namespace {

std::string each_figure_html(Figures figures, PageState& state, const PaperPart& paper) {
  std::string html;
  for (const Figure& figure : figures) html += figure_html(figure, state, paper.has(figure));
  return html;
}

std::string picture(const std::string& svg, const std::string& path, const PageState& state) {
  return state.is_single_file ? svg : picture_element(svg, path);
}

std::string tables_html(const Part& part, const std::vector<TableView>& tables, PageState& state,
                        const PaperPart& paper) {
  std::string html;
  for (const TableView& table : tables) {
    const std::string id = state.unique_id("table-" + part.anchor() + "-" + slug(table.slug));
    html += table_html(table, id, paper.has(table));
  }
  return html;
}

/// Writes the generated answer and the author's own words, or an empty frame for the latter.
std::string answer_html(const Part& part, const PageState& state) {
  const std::string answer = part.generated_answer(state.answers);
  const bool awaits_author = part.awaits_answer(state.answers);
  const std::string author_words = awaits_author ? "Your answer" : state.front.attribution();
  std::string html = fill_template(
      "answer.html",
      {{"has_answer", !answer.empty()},
       {"answer", with_keyed_numbers(markdown_to_html(answer))},
       {"is_calculated", part.calculated},
       {"calculated_mark", kCalculated},
       {"has_note", part.note.has_value()},
       {"note", part.note ? markdown_to_html(part.note->markdown, part.note->formulas) : ""},
       {"note_mark", state.front.attribution() + "."},
       {"awaits_author", awaits_author},
       // Regions of one page must have different names.
       {"label", author_words + ": " + part.lettered_title()}});
  while (html.ends_with('\n')) html.pop_back();  // Unused parts of the template leave blank lines.
  return html.empty() ? html : html + "\n";
}

std::string details_html(const Part& part, PageState& state) {
  const Details& details = part.details;
  const std::string words = details.words(state.answers);
  if (details.is_empty(state.answers) && state.figure_data.empty()) return "";
  PaperPart paper;
  paper.tables = printed_tables(details);
  for (const TableView& table : details.tables) {
    if (table.always_on_paper) paper.appendix_tables.push_back(&table);
  }
  state.in_drawer = true;
  const std::string figures = figures_html(details.figures, state, paper);
  state.in_drawer = false;
  return fill_template("details.html", {{"title", details.title},
                                        {"method", markdown_to_html(words)},
                                        {"tables", tables_html(part, details.tables, state, paper)},
                                        {"figures", figures},
                                        {"data", std::exchange(state.figure_data, "")},
                                        {"has_warnings", !details.warnings.empty()},
                                        {"warnings", text_list(details.warnings)}});
}

}  // namespace

std::string PageState::unique_id(const std::string& base) {
  std::string unique = base;
  for (int suffix = 2; !used_ids.insert(unique).second; ++suffix)
    unique = base + "-" + std::to_string(suffix);
  return unique;
}

std::string figure_html(const Figure& figure, PageState& state, bool is_printed) {
  const auto drawing = state.drawings.find(figure.slug);
  const bool is_drawn = drawing != state.drawings.end();
  const bool has_data = !figure.table.columns.empty();
  const bool is_data_below = has_data && !(is_drawn && state.has_part_drawers);
  const std::string id = state.unique_id("figure-" + slug(figure.slug));
  const std::string& number = state.figure_numbers.of(figure);
  std::string data;
  if (has_data) {
    TableView table = figure.table;
    table.title = "Data of figure " + number + ": " + table.title;
    data = table_html(table, state.unique_id(id + "-data"), is_data_below);
  }
  if (has_data && !is_data_below) state.figure_data += data;
  TemplateObject values = {
      {"id", id},
      {"number", number},
      {"title", figure.title},
      {"caption", markdown_to_html(figure.caption)},
      {"has_page_caption", !figure.page_caption.empty()},
      {"page_caption", markdown_to_html(figure.page_caption)},
      {"alt", figure.alt},
      {"slug", figure.slug},
      {"is_drawn", is_drawn},
      {"is_live", !figure.script_data.is_null()},
      {"is_on_screen_only", !is_printed},
      {"wide", is_drawn ? picture(drawing->second.wide, chart_path(figure), state) : ""},
      {"narrow", is_drawn ? picture(drawing->second.narrow, narrow_chart_path(figure), state) : ""},
      {"is_data_below", is_data_below},
      {"data", data}};
  return fill_template("figure.html", values);
}

std::string figures_html(const std::vector<Figure>& figures, PageState& state,
                         const PaperPart& paper) {
  state.figure_numbers.add(figures, state.in_drawer);
  std::string html;
  for (const std::vector<Figures>& place : figures_by_place(figures)) {
    if (place.size() == 1) {
      html += each_figure_html(place.front(), state, paper);
      continue;
    }
    TemplateList variants;
    for (const Figures& variant : place) {
      variants.push_back(TemplateObject{{"variant", variant.front().variant},
                                        {"figures", each_figure_html(variant, state, paper)}});
    }
    html += fill_template("variants.html",
                          {{"family", place.front().front().family}, {"variants", variants}});
  }
  return html;
}

/// Writes the question's first paragraph, of which a screen shows one line until a reader opens
/// it, and the rest. A short question needs no such drawer, and one with links may not be in one.
std::string question_html(const std::string& question) {
  constexpr std::string_view kOpening = "<p>", kClosing = "</p>";
  constexpr std::size_t kMostBytesInFull = 90;
  const std::string html = markdown_to_html(question);
  const std::size_t end = html.find(kClosing);
  const bool has_link = html.substr(0, end).find("<a ") != std::string::npos;
  if (question.size() <= kMostBytesInFull || !html.starts_with(kOpening) || end == html.npos ||
      has_link)
    return "<div class=\"question\">" + html + "</div>\n";
  return "<details class=\"question\"><summary>" +
         html.substr(kOpening.size(), end - kOpening.size()) + "</summary>" +
         html.substr(end + kClosing.size()) + "</details>\n";
}

std::string part_html(const Part& part, PageState& state) {
  const PaperPart paper = printed_part(part);
  const auto topic = state.topics.find(part.anchor());
  const bool is_on_topic = topic != state.topics.end();
  return fill_template("part.html",
                       {{"anchor", part.anchor()},
                        {"has_letter", !part.letter.empty()},
                        {"letter", part.letter},
                        {"has_title", !part.title.empty()},
                        {"title", part.title},
                        {"has_setting", !part.setting.empty()},
                        {"setting", part.setting},
                        {"is_on_topic", is_on_topic},
                        {"topic", is_on_topic ? topic->second : ""},
                        {"question", part.question.empty() ? "" : question_html(part.question)},
                        {"answer", answer_html(part, state)},
                        {"figures", figures_html(part.figures, state, paper)},
                        {"tables", tables_html(part, part.tables, state, paper)},
                        {"has_page_only", !paper.page_only_titles.empty()},
                        {"page_only", join(paper.page_only_titles, "; ")},
                        {"details", details_html(part, state)}});
}

}  // namespace labreport
