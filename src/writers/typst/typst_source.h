// Writes the pieces of a Typst source.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "document/rich_text.h"
#include "writers/typst/typst.h"

namespace labreport {

/// The report and the options from which each piece of one source is written. They must outlive it.
struct TypstSource {
  TypstSource(const Document& report, const Drawings& drawn, const TypstOptions& chosen);

  const Document& document;
  const Drawings& drawings;
  const TypstOptions& options;
  std::set<std::string> labels;  ///< Targets of links within the source.

 private:
  void add_label(const std::string& name);
};

/// Writes Markdown as blocks of markup, each followed by an empty line; headings become bold
/// paragraphs. `formulas` holds formulas of the author's notes; the report's own are built in.
std::string typst_blocks(std::string_view markdown, const TypstSource& source,
                         const Formulas& formulas = {});

/// Writes Markdown as one line of markup, for captions.
std::string typst_line(std::string_view markdown, const TypstSource& source);

/// Returns a link to an address or to a part, "#benchmarking_script-b". Returns only `markup` if
/// the source lacks the part or the address is too long.
std::string typst_link(const std::string& target, const std::string& markup,
                       const TypstSource& source);

/// Returns the label " <name>"; empty if the name is empty or has letters that a label cannot have.
std::string typst_label(const std::string& name);

enum class TableWidth { kWhole, kHalf };

/// Writes a numbered table; a long one runs over pages and repeats its head. `label` may be empty.
std::string typst_table(const TableView& table, TableWidth width = TableWidth::kWhole,
                        const std::string& label = "");

/// Writes a numbered figure with its caption; if it was not drawn, its data replaces the picture.
std::string typst_figure(const Figure& figure, const TypstSource& source);

/// Puts two pieces side by side.
std::string typst_pair(const std::string& left, const std::string& right);

/// Writes figures in pairs. The last one of an odd number stands beside the table `beside` unless
/// that is null.
std::string typst_figures(std::span<const Figure* const> figures, const TypstSource& source,
                          const TableView* beside);

/// Writes heading, question, answer, note, figures and tables, and names the figures and tables
/// that are not printed here.
std::string typst_part(const Part& part, const TypstSource& source);

/// Returns the label, without brackets, of a part's table `PaperPart::appendix_tables[index]`.
std::string appendix_label(const Part& part, std::size_t index);

/// Returns the heading of a part: "(b) Title", after the problem's name if `with_problem`.
std::string typst_heading(const Part& part, bool with_problem);

/// Writes a line of small, gray markup on the page of the next block; nothing if `markup` is empty.
std::string typst_muted(const std::string& markup);

}  // namespace labreport
