// The pieces that a Typst source is made of.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "report/rich_text.h"
#include "report/typst.h"

namespace labreport {

/// What every piece of one source draws on.
struct TypstSource {
  TypstSource(const Document& whole, const Drawings& drawn, const TypstOptions& chosen);

  const Document& document;
  const Drawings& drawings;
  const TypstOptions& options;
  std::set<std::string> labels;  ///< What a link within the source may lead to.

 private:
  void add_label(const std::string& name);
};

/// Markdown as blocks of markup, each followed by an empty line; its headings are bold paragraphs.
std::string typst_blocks(std::string_view markdown, const TypstSource& source);

/// Markdown in one run of markup: for captions and cells.
std::string typst_line(std::string_view markdown, const TypstSource& source);

/// A link to an address or, "#benchmarking_script-b", to a part; `shown` is markup.
std::string typst_link(const std::string& target, const std::string& shown,
                       const TypstSource& source);

/// " <name>" behind what it labels; nothing for a name that is none to Typst.
std::string typst_label(const std::string& name);

/// A numbered table; a long one runs over pages and repeats its head there.
std::string typst_table(const TableView& table);

/// A numbered figure with its caption.
std::string typst_figure(const Figure& figure, const TypstSource& source);

/// Question, answer, note, figures and tables under the part's heading; of tables that are longer
/// than a page only the names.
std::string typst_part(const Part& part, const TypstSource& source);

/// Those tables.
std::string typst_long_tables(const Part& part);

/// Typst's name for a part, its letter first; with the problem's name where that is not clear.
std::string typst_heading(const Part& part, bool with_problem);

/// What the part's drawer says, for an appendix; empty where it says nothing.
std::string typst_drawer(const Part& part, const TypstSource& source);

/// A line of small, muted markup that stays with what follows; empty for nothing.
std::string typst_muted(const std::string& markup);

}  // namespace labreport
