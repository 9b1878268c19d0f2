// The pieces that a Typst source is made of.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "document/rich_text.h"
#include "writers/typst/typst.h"

namespace labreport {

/// The input of every piece of one source.
struct TypstSource {
  TypstSource(const Document& whole, const Drawings& drawn, const TypstOptions& chosen);

  const Document& document;
  const Drawings& drawings;
  const TypstOptions& options;
  std::set<std::string> labels;  ///< Targets of links within the source.
  bool whole = true;             ///< True for a whole report, with template and appendices.

 private:
  void add_label(const std::string& name);
};

/// Markdown as blocks of markup, each followed by an empty line; its headings are bold paragraphs.
/// `formulas` adds those that no section has.
std::string typst_blocks(std::string_view markdown, const TypstSource& source,
                         const Formulas& formulas = {});

/// Markdown in one run of markup: for captions and cells.
std::string typst_line(std::string_view markdown, const TypstSource& source);

/// A link to an address or, "#benchmarking_script-b", to a part.
std::string typst_link(const std::string& target, const std::string& markup,
                       const TypstSource& source);

/// The label " <name>"; empty if Typst does not accept the name.
std::string typst_label(const std::string& name);

enum class TableWidth { kWhole, kHalf };

/// A numbered table; a long one runs over pages and repeats its head there. `label` may be empty.
std::string typst_table(const TableView& table, TableWidth width = TableWidth::kWhole,
                        const std::string& label = "");

/// A numbered figure with its caption, or the data's table if it was not drawn.
std::string typst_figure(const Figure& figure, const TypstSource& source);

/// Puts two pieces side by side, by a function of templates/report.typ.
std::string typst_pair(const std::string& left, const std::string& right);

/// Writes figures, in a whole report two side by side and a single last one beside a table.
std::string typst_figures(std::span<const Figure* const> figures, const TypstSource& source,
                          const TableView* beside = nullptr);

/// Question, answer, note, figures and tables under the part's heading; in a whole report, content
/// that is elsewhere is named instead.
std::string typst_part(const Part& part, const TypstSource& source);

/// The label of the `index`th further table of a part in the source.
std::string further_label(const Part& part, std::size_t index);

/// The heading of a part, its letter first, with the problem's name if needed.
std::string typst_heading(const Part& part, bool with_problem);

/// A line of small, muted markup that stays with what follows; empty for nothing.
std::string typst_muted(const std::string& markup);

}  // namespace labreport
