#include "writers/html/html.h"

#include <map>

#include "document/demonstration.h"
#include "writers/html/assets.h"
#include "writers/html/template.h"

namespace labreport {
namespace {

TemplateList section_list(const Document& document, PageState& state) {
  TemplateList sections;
  const bool is_priced = !document.script_data.is_null();  // The summary, the first section, is.
  for (const Section& section : document.sections) {
    TemplateList contents;
    std::string parts;
    for (const Part& part : section.parts) {
      if (!part.title.empty()) {
        contents.push_back(TemplateObject{{"anchor", part.anchor()},
                                          {"has_letter", !part.letter.empty()},
                                          {"letter", part.letter},
                                          {"title", part.title}});
      }
      parts += part_html(part, state);
    }
    sections.push_back(TemplateObject{{"problem", section.problem},
                                      {"title", section.title},
                                      {"is_handout_problem", section.is_handout_problem()},
                                      {"is_priced", is_priced && sections.empty()},
                                      {"has_contents", !contents.empty()},
                                      {"contents", contents},
                                      {"parts", parts}});
  }
  return sections;
}

/// Returns the links to other pages of the site. That to `PageOptions::current` is marked.
std::string site_links_html(const PageOptions& options) {
  TemplateList links;
  for (const SiteLink& link : options.links) {
    links.push_back(TemplateObject{
        {"name", link.name}, {"file", link.file}, {"is_current", link.file == options.current}});
  }
  return fill_template("site_links.html", {{"root", options.root}, {"links", links}});
}

std::string pairs_html(const PageOptions& options) {
  TemplateList pairs;
  for (const ComparedPair& pair : options.pairs) {
    pairs.push_back(TemplateObject{{"link", options.root + pair.link},
                                   {"title", pair.title},
                                   {"description", pair.description}});
  }
  return fill_template("pairs.html", {{"has_pairs", !pairs.empty()}, {"pairs", pairs}});
}

std::string filled_page(const Document& document, const PageOptions& options, PageState& state,
                        const EnclosedAssets& enclosed) {
  const HeadWords words{document.name(), description_of(document, options.answers), "article"};
  const bool has_environment = !document.environment.columns.empty();
  TemplateList formats;
  for (const auto& [name, file] : options.formats)
    formats.push_back(TemplateObject{{"name", name}, {"file", file}});
  const TemplateObject values = {
      {"head", head_html(words, options, state.is_single_file ? &enclosed : nullptr)},
      {"foot", foot_html(document)},
      {"site_links", state.is_single_file ? "" : site_links_html(options)},
      {"scripts", text_list(enclosed.scripts)},
      {"title", document.title},
      {"is_comparison", state.is_comparison},
      {"has_choice", options.current == kCompareFile},
      {"root", options.root},
      {"run_a", options.compared_runs[0]},
      {"run_b", options.compared_runs[1]},
      {"has_pairs", !options.pairs.empty()},
      {"pairs", pairs_html(options)},
      {"relation", document.relation},
      {"priced_steps", document.script_data.dump()},
      {"side_a", document.side_a},
      {"side_b", document.side_b},
      {"device", document.device},
      {"edition", document.edition},
      {"preset", document.preset},
      {"date", document.date()},
      {"has_provenance", !document.provenance.empty()},
      {"provenance", document.provenance_line(state.answers)},
      {"has_formats", !options.formats.empty()},
      {"formats", formats},
      {"sections", section_list(document, state)},
      {"method", markdown_to_html(document.method)},
      {"commands", document.reproduce.empty() ? TemplateList() : text_list({document.reproduce})},
      {"is_demonstration", document.demonstration},
      {"demonstration", kDemonstration},
      {"demonstration_meaning", kDemonstrationMeaning},
      {"is_reference", document.reference},
      {"is_incomplete", document.incomplete},
      {"byline", byline_html(document.front)},
      {"environment",
       has_environment ? table_html(document.environment, "table-environment") : ""}};
  return fill_template("page.html", values);
}

}  // namespace

std::string byline_html(const FrontMatter& front) {
  if (front.author.empty() && front.course.empty() && front.repository.empty()) return "";
  const bool has_repository = !front.repository.empty();
  return fill_template("front.html",
                       {{"has_author", !front.author.empty()},
                        {"author", front.author},
                        {"has_course", !front.course.empty()},
                        {"course", front.course},
                        {"has_repository", has_repository},
                        {"repository", front.repository},
                        {"repository_label", has_repository ? front.repository_label() : ""}});
}

std::string page_html(const Document& document, const Drawings& drawings,
                      const PageOptions& options) {
  PageState state{.drawings = drawings,
                  .answers = options.answers,
                  .front = document.front,
                  .is_comparison = !document.relation.empty(),
                  .topics = options.topics};
  return filled_page(document, options, state, {});
}

std::string single_page_html(const Document& document, const Drawings& drawings, Answers answers,
                             const std::string& bundle) {
  PageState state{.drawings = drawings,
                  .answers = answers,
                  .is_single_file = true,
                  .front = document.front,
                  .is_comparison = !document.relation.empty()};
  EnclosedAssets enclosed{.style = page_style(), .scripts = {}};
  if (!bundle.empty()) {
    enclosed.scripts = {enclosed_script(specs_script(document, drawings)), enclosed_script(bundle)};
  }
  enclosed.scripts.push_back(enclosed_script(page_script()));
  const std::string page = filled_page(document, {.root = "", .answers = answers}, state, enclosed);
  std::map<std::string, std::string> files_beside;
  for (const Section& section : document.sections) {
    for (const Part& part : section.parts) {
      for (const Attachment& file : part.attachments) files_beside[file.name] = file.bytes;
    }
  }
  return with_pictures_inside(without_file_links(page), files_beside);
}

std::string overview_html(const OverviewPage& page, const Drawings& drawings,
                          const PageOptions& options) {
  const Document& document = page.document;
  PageState state{.drawings = drawings, .has_part_drawers = false};
  std::string runs;
  TemplateList sections;
  for (const Section& section : document.sections) {
    const Part& part = section.parts.front();
    std::string tables;
    TemplateList drawers;
    for (const TableView& table : part.tables)
      (table.slug == "runs" ? runs : tables) +=
          table_html(table, state.unique_id("table-" + table.slug));
    for (const TableView& table : part.details.tables)
      drawers.push_back(
          TemplateObject{{"title", table.title},
                         {"table", table_html(table, state.unique_id("table-" + table.slug))}});
    sections.push_back(
        TemplateObject{{"problem", section.problem},
                       {"title", section.title},
                       {"has_title", !section.title.empty() && section.title != document.title},
                       {"findings", with_keyed_numbers(markdown_to_html(part.answer))},
                       {"figures", figures_html(part.figures, state, printed_part(part))},
                       {"tables", tables},
                       {"drawers", drawers}});
  }
  const HeadWords words{"labreport: " + document.title,
                        sections.empty() ? page.lead : description_of(document, options.answers),
                        "website"};
  return fill_template("index.html", {{"head", head_html(words, options)},
                                      {"foot", foot_html(document)},
                                      {"title", document.title},
                                      {"lead", page.lead},
                                      {"has_lead", !page.is_index() && !page.lead.empty()},
                                      {"root", options.root},
                                      {"site_links", site_links_html(options)},
                                      {"is_index", page.is_index()},
                                      {"has_no_runs", document.sections.empty()},
                                      {"sections", sections},
                                      {"has_fits_script", !page.script_data.is_null()},
                                      {"fits_script", kFitsScript},
                                      {"has_runs", !runs.empty()},
                                      {"runs", runs},
                                      {"has_comparisons", !page.compare_link.empty()},
                                      {"compare_page", page.compare_link},
                                      {"pairs", pairs_html(options)},
                                      {"has_note", !document.provenance.empty()},
                                      {"note", document.provenance},
                                      {"has_demonstration", document.demonstration},
                                      {"demonstration", kDemonstration},
                                      {"demonstration_meaning", kDemonstrationMeaning}});
}

}  // namespace labreport
