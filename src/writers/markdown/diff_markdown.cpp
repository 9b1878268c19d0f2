#include "base/printable.h"
#include "document/facts.h"
#include "writers/diff/diff_writers.h"
#include "writers/markdown/markdown.h"

namespace labreport {
namespace {

std::string details(const std::string& summary, const std::vector<TableView>& tables) {
  if (tables.empty()) return "";
  std::string text = "<details>\n<summary>" + summary + "</summary>\n\n";
  for (const TableView& table : tables) text += table_markdown(table);
  return text + "</details>\n\n";
}

}  // namespace

std::string diff_markdown(const DiffDocument& document) {
  std::string text = "# " + escape_markdown(document.title) + "\n\n";
  text += "**" + escape_markdown(document.counts) + "**\n\n";
  for (const std::string& notice : document.notices) {
    text += "> " + escape_markdown(notice) + "\n\n";
  }
  text += table_markdown(document.sides);
  for (const DiffPart& part : document.parts) {
    text += "## " + escape_markdown(part.title) + " (`" + part.problem + "`)\n\n";
    text += escape_markdown(part.words) + "\n\n";
    for (const TableView& table : part.tables) text += table_markdown(table);
    text += details("Both sides of every ratio", part.evidence);
  }
  if (!document.rest.empty()) text += "## Not compared\n\n";
  for (const TableView& table : document.rest) text += table_markdown(table);
  return printable(text + "## Method\n\n" + document.method, "\n");
}

}  // namespace labreport
