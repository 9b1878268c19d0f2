#include "writers/pandoc/pandoc.h"

#include <set>

#include "base/text.h"
#include "results/json_writer.h"
#include "writers/pandoc/pandoc_nodes.h"

namespace labreport {
namespace {

using nlohmann::json;

/// A longer table of details is not printed, because it would bury the answers.
constexpr std::size_t kMostPrintedDetailsRows = 16;
constexpr int kEmptyAnswerLines = 6;

class PartWriter {
 public:
  PartWriter(const PrintedCharts& charts, const PandocOptions& options, const FrontMatter& front)
      : charts_(charts), options_(options), front_(front) {}

  json write(const Part& part) {
    blocks_ = json::array();
    if (!part.title.empty()) {
      add(pandoc_heading(2, pandoc_title(part.lettered_title()), part.anchor()));
    }
    if (!part.setting.empty()) add(pandoc_paragraph(pandoc_words(part.setting)));
    if (!part.question.empty()) {
      add(pandoc_node("BlockQuote", pandoc_blocks(part.question)));
    }
    answer(part);
    for (const Figure& each : part.figures) {
      if (!each.page_only) figure(each, part.anchor());
    }
    for (const TableView& each : part.tables) table(each, part.anchor());
    details(part.details, part.anchor());
    return blocks_;
  }

 private:
  void add(json block) { blocks_.push_back(std::move(block)); }

  void answer(const Part& part) {
    const std::string generated = part.generated_answer(options_.answers);
    if (!generated.empty()) {
      append(blocks_, pandoc_blocks(generated));
      if (part.calculated) add(pandoc_paragraph(pandoc_emph(kCalculated)));
    }
    if (part.note) {
      append(blocks_, pandoc_blocks(part.note->markdown, part.note->formulas));
      add(pandoc_paragraph(pandoc_emph(front_.attribution() + ".")));
    }
    if (part.awaits_answer(options_.answers)) {
      json lines = json::array({pandoc_emph("Your answer")});
      for (int i = 0; i < kEmptyAnswerLines; ++i) lines.push_back(pandoc_words("\u00a0"));
      add(pandoc_node("LineBlock", lines));
    }
  }

  void table(const TableView& table, const std::string& anchor) {
    if (table.columns.empty()) return;
    std::string id = slug("tab " + anchor + " " + table.slug);
    for (int suffix = 2; !ids_.insert(id).second; ++suffix) {
      id = slug("tab " + anchor + " " + table.slug + " " + std::to_string(suffix));
    }
    add(pandoc_table(table, id));
  }

  void figure(const Figure& figure, const std::string& anchor) {
    if (!charts_.contains(figure.slug)) return table(figure.table, anchor);
    json caption = json::array({pandoc_node("Strong", pandoc_title(figure.title + "."))});
    caption.push_back({{"t", "Space"}});
    append(caption, pandoc_line(figure.caption));
    const json picture = pandoc_picture("charts/" + slug(figure.slug) + ".pdf", "100%");
    const auto plain = [](json words) {
      return json::array({pandoc_node("Plain", std::move(words))});
    };
    add(pandoc_node("Figure", json::array({pandoc_attributes(slug("fig " + figure.slug)),
                                           json::array({nullptr, plain(caption)}),
                                           plain(json::array({picture}))})));
  }

  void details(const Details& details, const std::string& anchor) {
    const std::size_t heading_index = blocks_.size();
    add(pandoc_heading(4, pandoc_words("How this was measured")));
    append(blocks_, pandoc_blocks(details.words(options_.answers)));
    for (const std::string& warning : details.warnings) {
      add(pandoc_paragraph(pandoc_words("Warning: " + warning)));
    }
    std::vector<std::string> long_tables;
    for (const TableView& each : details.tables) {
      if (each.rows.size() <= kMostPrintedDetailsRows) {
        table(each, anchor);
      } else {
        long_tables.push_back(each.title);
      }
    }
    if (!long_tables.empty()) {
      add(pandoc_paragraph(pandoc_words(
          "Left to the page and to tables/, being long: " + join(long_tables, "; ") + ".")));
    }
    for (const Figure& each : details.figures) figure(each, anchor);
    if (blocks_.size() == heading_index + 1) blocks_.erase(heading_index);  // It has no content.
  }

  json blocks_ = json::array();
  const PrintedCharts& charts_;
  const PandocOptions& options_;
  const FrontMatter& front_;
  std::set<std::string> ids_;  ///< TeX refuses duplicate labels.
};

json meta_inlines(json words) { return pandoc_node("MetaInlines", std::move(words)); }

/// Returns the metadata that the template prints above the table of contents.
json title_block(const Document& document, const PandocOptions& options) {
  const FrontMatter& front = document.front;
  json authors = json::array();
  for (const std::string& line : {front.author, front.course, front.repository}) {
    if (!line.empty()) authors.push_back(meta_inlines(pandoc_title(line)));
  }
  return {{"title", meta_inlines(pandoc_title(document.name()))},
          {"author", pandoc_node("MetaList", authors)},
          {"date", meta_inlines(pandoc_title(document.run_line()))},
          {"provenance", meta_inlines(pandoc_words(document.provenance_line(options.answers)))},
          {"paper", pandoc_node("MetaString", options.paper == Paper::kLetter ? "letter" : "a4")}};
}

json banner_blocks(const Document& document) {
  std::string words;
  if (document.demonstration) {
    words =
        "CPU demonstration: tiny networks on a CPU, which show what a report looks like, not "
        "what a GPU does. ";
  }
  if (document.incomplete) words += "Interrupted run: cells are missing.";
  if (words.empty()) return json::array();
  return json::array({pandoc_paragraph(json::array({pandoc_node("Strong", pandoc_words(words))}))});
}

std::string tree_json(const json& meta, const json& blocks) {
  return compact_json(json{{"pandoc-api-version", {1, 23}}, {"meta", meta}, {"blocks", blocks}});
}

}  // namespace

std::string report_pandoc(const Document& document, const PrintedCharts& charts,
                          const PandocOptions& options) {
  PartWriter parts(charts, options, document.front);
  json blocks = banner_blocks(document);
  for (const Section& section : document.sections) {
    blocks.push_back(pandoc_heading(1, pandoc_title(section.title)));
    if (section.is_handout_problem()) {
      json words = pandoc_words("Problem ");
      append(words, pandoc_code(section.problem));
      blocks.push_back(pandoc_paragraph(words));
    }
    for (const Part& part : section.parts) append(blocks, parts.write(part));
  }
  if (!document.method.empty()) {
    blocks.push_back(pandoc_heading(1, pandoc_words("Method and limits")));
    append(blocks, pandoc_blocks(document.method));
  }
  blocks.push_back(pandoc_heading(1, pandoc_words("Reproduce")));
  if (!document.reproduce.empty()) blocks.push_back(pandoc_listing(document.reproduce));
  if (!document.environment.columns.empty()) {
    blocks.push_back(pandoc_table(document.environment, "tab-environment"));
  }
  return tree_json(title_block(document, options), blocks);
}

std::string part_pandoc(const Part& part, const PrintedCharts& charts, const PandocOptions& options,
                        const FrontMatter& front) {
  return tree_json(json::object(), PartWriter(charts, options, front).write(part));
}

}  // namespace labreport
