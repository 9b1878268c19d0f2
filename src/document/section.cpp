#include "document/section.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "document/charts/charts.h"
#include "document/part_drawer.h"
#include "embedded/document.h"

namespace labreport {
namespace {

/// Replaces an answer none of whose sentences the run bears out.
constexpr const char* kNoAnswer = "This run does not answer this question.";

/// Fills the tags of `words`. Error messages name `block`.
using TagFiller = std::function<std::string(const std::string& words, const std::string& block)>;

/// Finds the rows that a figure draws: in its own dataset, and in others of the same variant.
class FigureData {
 public:
  FigureData(const std::vector<Dataset>& datasets, const Dataset& own, std::string_view file)
      : datasets_(datasets), own_(own), file_(file) {}

  /// Returns the rows of the dataset of that name that has the figure's variant or none. Empty if
  /// there is no such dataset.
  nlohmann::json rows(const std::string& name) const {
    if (name == own_.name) return rows_of_used_fields(own_);
    for (const Dataset& dataset : datasets_) {
      const bool variant_matches = dataset.variant.empty() || dataset.variant == own_.variant;
      if (dataset.name == name && variant_matches) return rows_of_used_fields(dataset);
    }
    return nlohmann::json::array();
  }

 private:
  /// Returns the rows without fields that the figure's file does not mention. The page contains the
  /// rows, so this keeps the page small.
  nlohmann::json rows_of_used_fields(const Dataset& dataset) const {
    return json_rows(dataset,
                     [this](const std::string& name) { return file_.find(name) != file_.npos; });
  }

  const std::vector<Dataset>& datasets_;
  const Dataset& own_;
  std::string_view file_;
};

/// Returns the domain of the channel's scale if the figure's file has one, else the distinct labels
/// of the rows in their order.
std::vector<std::string> series_labels(const nlohmann::json& channel, const nlohmann::json& rows) {
  if (channel.contains("scale")) return channel["scale"].at("domain");
  const std::string field = channel.value("field", "");
  std::vector<std::string> labels;
  for (const nlohmann::json& row : rows) {
    const std::string label = row.contains(field) && row[field].is_string() ? row[field] : "";
    if (!label.empty() && std::ranges::find(labels, label) == labels.end()) labels.push_back(label);
  }
  return labels;
}

/// Adds to each view that names a dataset the dataset's rows. Adds the theme's colors, shapes or
/// dashes to each channel of words whose scale has no range. `outer_rows` are the rows of the view
/// around `view`.
void fill_view(nlohmann::json& view, const nlohmann::json& outer_rows, const FigureData& data) {
  if (view.is_array()) {
    for (nlohmann::json& inner : view) fill_view(inner, outer_rows, data);
  }
  if (!view.is_object()) return;
  const bool names_dataset =
      view.contains("data") && view["data"].is_object() && view["data"].contains("name");
  if (names_dataset) view["data"]["values"] = data.rows(view["data"]["name"]);
  const nlohmann::json& rows = names_dataset ? view["data"]["values"] : outer_rows;
  for (auto& [key, inner] : view.items()) {
    const bool is_channel =
        key == "color" || key == "stroke" || key == "shape" || key == "strokeDash";
    const bool is_series = is_channel && inner.is_object() && inner.value("type", "") == "nominal";
    if (is_series && (!inner.contains("scale") || !inner["scale"].contains("range"))) {
      inner["scale"] = series_scale(key, series_labels(inner, rows));
    } else if (inner.is_structured() && key != "data") {
      fill_view(inner, rows, data);
    }
  }
}

/// Returns the exhibit's table, or the table below a figure, which shows the figure's own dataset
/// unless section.md names another. Its slug is "kernels", or "kernels-512" for one variant.
TableView exhibit_table(const Exhibit& exhibit, const Dataset& dataset,
                        const std::vector<Dataset>& datasets, const std::string& title) {
  const Dataset* shown = exhibit.table.empty() ? &dataset : nullptr;
  for (const Dataset& other : datasets) {
    const bool is_named = other.name == exhibit.table && other.variant == dataset.variant;
    if (shown == nullptr && is_named) shown = &other;
  }
  if (shown == nullptr) {
    throw Error("'" + exhibit.name + "' names a table '" + exhibit.table + "' that is no dataset");
  }
  TableView table = table_of(*shown, exhibit.columns);
  table.slug = exhibit.name + (shown->variant.empty() ? "" : "-" + slug(shown->variant));
  table.title = title;
  table.always_on_paper = exhibit.paper == "yes";
  return table;
}

/// Returns a row's number in `column` with its name, "small, 512: forward 19.3 ± 0.1 ms".
std::string number_in_words(const TableView& table, const RowView& row, std::size_t column) {
  std::string words;
  for (std::size_t i = 0; i < column && table.columns[i].align == Align::kLeft; ++i)
    words += (i == 0 ? "" : ", ") + table.text(row, i);
  const auto& [title, unit, align, is_code, notation] = table.columns[column];
  return words + (words.empty() ? "" : ": ") + title + " " + table.text(row, column) +
         (unit.empty() ? "" : " " + unit);
}

/// Describes a figure to readers who cannot see it: its title, its form, and the first and the last
/// number of its data, but not where a bar begins.
std::string described(const std::string& title, const std::string& form, const TableView& table) {
  const auto number = std::ranges::find_if(table.columns, [](const ColumnView& column) {
    return column.align == Align::kRight && column.title != "From" && column.title != "To";
  });
  const auto column = static_cast<std::size_t>(number - table.columns.begin());
  std::vector<const RowView*> rows;
  for (const RowView& row : table.rows) {
    if (column < row.cells.size() && row.cells[column].number() != nullptr) rows.push_back(&row);
  }
  std::string words = title + ". " + form;
  if (!rows.empty()) words += " " + number_in_words(table, *rows.front(), column);
  if (rows.size() > 1) words += "; " + number_in_words(table, *rows.back(), column);
  return words + (rows.empty() ? "" : ".");
}

/// Adds to `part` a figure or table for each dataset that `exhibit` names and that has rows.
void place_exhibit(const Exhibit& exhibit, const std::vector<Dataset>& datasets,
                   const TagFiller& fill, const FigureFileReader& read_figure_file, Part& part) {
  const auto is_shown = [&](const Dataset& dataset) {
    return dataset.name == exhibit.data && !dataset.rows.empty();
  };
  const auto has_later_variant = [&](const Dataset& dataset) {
    return std::any_of(&dataset + 1, datasets.data() + datasets.size(), is_shown);
  };
  for (const Dataset& dataset : datasets) {
    if (!is_shown(dataset)) continue;
    // Formats other than the page show all variants, so a title names its variant.
    const std::string variant = dataset.variant.empty() ? "" : ", " + dataset.variant;
    const std::string title = fill(exhibit.title, exhibit.name);
    TableView table = exhibit_table(exhibit, dataset, datasets, title + variant);
    if (!exhibit.is_figure) {
      (exhibit.in_details ? part.details.tables : part.tables).push_back(std::move(table));
      continue;
    }
    if (!read_figure_file && exhibit.file.empty())
      throw Error("no figure files for " + exhibit.name);
    const std::string shared_path = "src/document/charts/figures/" + exhibit.file + ".vl.json";
    const std::string_view file = exhibit.file.empty() ? read_figure_file(exhibit.name)
                                                       : embedded::document().at(shared_path);
    nlohmann::json spec = nlohmann::json::parse(file);
    fill_view(spec, {}, FigureData(datasets, dataset, file));
    const std::string finding =
        dataset.finding.empty() ? fill(exhibit.finding, exhibit.name) : dataset.finding;
    const std::string figure_title = (finding.empty() ? title : finding) + variant;
    Figure figure{.slug = table.slug,
                  .title = figure_title,
                  .caption = fill(exhibit.caption, exhibit.name),
                  .alt = described(figure_title, fill(exhibit.alt, exhibit.name), table),
                  .spec = std::move(spec),
                  .table = std::move(table),
                  .family = dataset.family,
                  .variant = dataset.variant,
                  .page_caption = fill(exhibit.page_caption, exhibit.name),
                  .script_data = dataset.script_data,
                  .page_only = exhibit.paper == "no" ||
                               (exhibit.paper == "last" && has_later_variant(dataset)),
                  .for_summary = exhibit.summary == "yes"};
    std::vector<Figure>& figures = exhibit.summary == "only" ? part.summary.figures
                                   : exhibit.in_details      ? part.details.figures
                                                             : part.figures;
    figures.push_back(std::move(figure));
  }
}

/// Reads a section.md line by line. A heading opens a block, to which the lines below belong.
class SectionParser {
 public:
  SectionWords parse(std::string_view words) {
    for (const std::string& line : split(words, '\n')) {
      ++line_number_;
      read_line(line);
    }
    if (section_.problem.empty()) fail("a section begins with '# problem: Title'");
    for (PartWords& part : section_.parts) {
      for (std::string* block : {&part.question, &part.answer, &part.answer_without_numbers,
                                 &part.summary, &part.method, &part.findings}) {
        *block = std::string(trimmed(*block));
      }
      for (Exhibit& exhibit : part.exhibits) read_attributes(exhibit);
    }
    return section_;
  }

 private:
  void read_line(std::string_view line) {
    if (line.starts_with("### ")) return open_block(std::string(trimmed(line.substr(4))));
    if (line.starts_with("## ")) return open_part(std::string(trimmed(line.substr(3))));
    if (line.starts_with("# ")) return open_section(std::string(trimmed(line.substr(2))));
    if (block_ != nullptr) {
      block_->append(line).push_back('\n');
    } else if (!trimmed(line).empty()) {
      fail("text outside of a block: " + std::string(trimmed(line)));
    }
  }

  void open_section(const std::string& heading) {
    const auto colon = heading.find(": ");
    if (!section_.problem.empty()) fail("a second '# ' heading");
    if (colon == std::string::npos) fail("expected '# problem: Title'");
    section_.problem = heading.substr(0, colon);
    section_.title = heading.substr(colon + 2);
  }

  void open_part(const std::string& heading) {
    PartWords part;
    part.title = heading;
    if (heading.size() > 4 && heading[0] == '(' && heading[2] == ')') {
      part.letter = heading.substr(1, 1);
      part.title = trimmed(std::string_view(heading).substr(3));
    }
    for (const PartWords& earlier : section_.parts) {
      if (earlier.letter == part.letter) fail("part (" + part.letter + ") appears twice");
    }
    section_.parts.push_back(part);
    block_ = nullptr;
  }

  void open_block(const std::string& name) {
    if (section_.parts.empty()) fail("'### " + name + "' before the first part");
    PartWords& part = section_.parts.back();
    if (const auto exhibit = exhibit_of(name)) {
      part.exhibits.push_back(*exhibit);
      block_ = &part.exhibits.back().caption;
      return;
    }
    const std::map<std::string, std::string*> blocks = {
        {"Question", &part.question},
        {"Answer", &part.answer},
        {"Answer without numbers", &part.answer_without_numbers},
        {"Summary", &part.summary},
        {"Method", &part.method},
        {"Findings", &part.findings}};
    const auto found = blocks.find(name);
    if (found == blocks.end()) fail("unknown block '" + name + "'");
    if (!found->second->empty()) fail("'### " + name + "' appears twice in a part");
    block_ = found->second;
  }

  /// Returns the figure or table of a heading such as "Details Table samples"; nothing for the
  /// heading of any other block.
  static std::optional<Exhibit> exhibit_of(std::string_view heading) {
    Exhibit exhibit;
    const auto remove_word = [&heading](std::string_view word) {
      const bool begins = heading.starts_with(word);
      if (begins) heading.remove_prefix(word.size());
      return begins;
    };
    exhibit.in_details = remove_word("Details ");
    exhibit.is_figure = remove_word("Figure ");
    if (!exhibit.is_figure && !remove_word("Table ")) return std::nullopt;
    exhibit.name = exhibit.data = heading;
    return exhibit;
  }

  /// Moves the lines "name: value" from the beginning of the caption to the exhibit's attributes.
  void read_attributes(Exhibit& exhibit) const {
    const std::map<std::string, std::string*> attributes = {
        {"file", &exhibit.file},         {"data", &exhibit.data},   {"title", &exhibit.title},
        {"finding", &exhibit.finding},   {"alt", &exhibit.alt},     {"table", &exhibit.table},
        {"page", &exhibit.page_caption}, {"paper", &exhibit.paper}, {"summary", &exhibit.summary}};
    std::string rest = exhibit.caption;
    for (std::size_t end = rest.find('\n'); end != rest.npos; end = rest.find('\n')) {
      const std::string line = rest.substr(0, end);
      const std::size_t colon = line.find(": ");
      const std::string name = line.substr(0, colon);
      if (colon == line.npos || (name != "columns" && !attributes.contains(name))) break;
      const std::string value(trimmed(std::string_view(line).substr(colon + 2)));
      if (name == "columns") {
        for (const std::string& column : split(value, ',')) {
          exhibit.columns.emplace_back(trimmed(column));
        }
      } else {
        *attributes.at(name) = value;
      }
      rest.erase(0, end + 1);
    }
    exhibit.caption = trimmed(rest);
    if (exhibit.title.empty()) fail("'" + exhibit.name + "' has no title");
    if (!exhibit.is_figure && !exhibit.caption.empty()) {
      fail("table '" + exhibit.name + "' has a caption, which only a figure shows");
    }
    if (!exhibit.is_figure && !exhibit.finding.empty()) {
      fail("table '" + exhibit.name + "' has a finding, which only a figure's title states");
    }
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw Error("section.md, line " + std::to_string(line_number_) + ": " + problem,
                "src/document/section.h describes the format");
  }

  SectionWords section_;
  std::string* block_ = nullptr;
  int line_number_ = 0;
};

Part compose_part(const std::string& problem, const PartWords& words, const PartContent& content,
                  const FigureFileReader& read_figure_file) {
  const std::string where = problem + (words.letter.empty() ? "" : " (" + words.letter + ")");
  const TagFiller fill = [&](const std::string& text, const std::string& block) {
    return render_words(text, content.facts, where + " " + block);
  };
  Part part;
  part.problem = problem;
  part.letter = words.letter;
  part.title = words.title;
  part.question = fill(words.question, "Question");
  part.answer = fill(content.has_numbers ? words.answer : words.answer_without_numbers, "Answer");
  if (!part.question.empty() && trimmed(part.answer).empty()) part.answer = kNoAnswer;
  if (content.has_numbers) part.summary.words = trimmed(fill(words.summary, "Summary"));
  part.calculated = content.calculated;
  part.figures = content.figures;
  part.tables = content.tables;
  part.details = content.details;
  part.details.title = kPartDrawer;
  part.attachments = content.attachments;
  part.details.method = fill(words.method, "Method");
  part.details.findings = fill(words.findings, "Findings");
  for (Exhibit exhibit : words.exhibits) {
    if (!content.has_numbers) exhibit.finding.clear();
    place_exhibit(exhibit, content.datasets, fill, read_figure_file, part);
  }
  return part;
}

/// Moves the Method of a part (a) that is not shown into the first shown part whose Method begins
/// "As in part (a).". Later parts then refer to that part.
void move_hidden_methods(std::vector<PartWords>& parts,
                         const std::map<std::string, PartContent>& contents) {
  constexpr std::string_view kReferenceStart = "As in part (";
  std::map<std::string, std::string> new_references;  // by the letter of the hidden part
  for (PartWords& part : parts) {
    if (!part.method.starts_with(kReferenceStart)) continue;
    const std::string letter = part.method.substr(kReferenceStart.size(), 1);
    if (letter.empty() || contents.contains(letter) || !contents.contains(part.letter)) continue;
    const std::string reference = "As in part (" + letter + ").";
    const auto [new_reference, is_first] =
        new_references.try_emplace(letter, "As in part (" + part.letter + ").");
    const auto hidden = std::ranges::find(parts, letter, &PartWords::letter);
    part.method = replaced(part.method, reference,
                           is_first ? hidden->method + "\n\n" : new_reference->second);
  }
}

}  // namespace

void PartContent::set_answer(const std::optional<Facts>& answer) {
  has_numbers = answer.has_value();
  if (answer) facts.add(*answer);
}

SectionWords parse_section(std::string_view words) { return SectionParser().parse(words); }

Section compose_section(std::string_view words, const std::map<std::string, PartContent>& contents,
                        const FigureFileReader& read_figure_file) {
  SectionWords parsed = parse_section(words);
  move_hidden_methods(parsed.parts, contents);
  Section section{.problem = parsed.problem, .title = parsed.title, .parts = {}};
  std::size_t used_contents = 0;
  for (const PartWords& part : parsed.parts) {
    const auto content = contents.find(part.letter);
    if (content == contents.end()) continue;
    section.parts.push_back(compose_part(parsed.problem, part, content->second, read_figure_file));
    ++used_contents;
  }
  if (used_contents != contents.size()) {
    throw Error(parsed.problem + ": a presenter gives a part that section.md has no words for",
                "add '## (letter) Title' to its section.md");
  }
  return section;
}

}  // namespace labreport
