#include "notes/note_template.h"

#include "base/text.h"
#include "notes/note.h"

namespace labreport {
namespace {

constexpr std::size_t kMaxLineBytes = 96;
constexpr const char* kGeneratedFrom = "Generated from ";

/// Breaks a line at spaces into lines of at most `kMaxLineBytes`; longer words stay whole. In a
/// list item, all lines after the first are indented to the item's text.
std::string wrapped(const std::string& line) {
  const std::string indent = line.starts_with("- ") ? "  " : "";
  std::string text;
  std::string row;
  for (const std::string& word : split(line, ' ')) {
    if (!row.empty() && row.size() + 1 + word.size() > kMaxLineBytes) {
      text += row + "\n";
      row = indent + word;
    } else {
      row += (row.empty() ? "" : " ") + word;
    }
  }
  return text + row + "\n";
}

/// Wraps all lines, and puts a space into each "-->", which would end the comment around the lines.
std::string paragraphs(const std::string& markdown) {
  std::string safe;
  for (const char letter : markdown) {
    if (letter == '>' && safe.ends_with("--")) safe.push_back(' ');
    safe.push_back(letter);
  }
  std::string text;
  for (const std::string& line : split(safe, '\n')) text += wrapped(line);
  return text;
}

}  // namespace

std::string note_template(const Part& part, const std::string& run) {
  std::string text = std::string(kReplacesAnswer) + "\n<!--\n";
  text += paragraphs(part.problem + ": " + part.lettered_title()) + "\n";
  text += paragraphs(part.question) + "\n";
  if (!part.answer.empty()) {
    text += std::string(kGeneratedFrom) + run + ":\n\n" + paragraphs(part.answer) + "\n";
  }
  text +=
      "Write below this comment: Markdown, with tables, pictures from this folder\n"
      "(![what it shows](plot.png)) and math ($t \\propto d^2$). Until you do, the generated "
      "answer\n"
      "stands. To keep that answer above your words, let the first line say \"follows\" instead "
      "of\n"
      "\"replaces\". Comments are never shown.\n"
      "-->\n\n";
  return text;
}

std::string run_named_in(std::string_view note) {
  const std::size_t begin = note.find(std::string("\n") + kGeneratedFrom);
  if (begin == note.npos) return "";
  const std::string_view line = note.substr(begin + 1, note.find('\n', begin + 1) - begin - 1);
  const std::string run(trimmed(line.substr(std::string_view(kGeneratedFrom).size())));
  return run.ends_with(':') ? run.substr(0, run.size() - 1) : "";
}

std::string author_template() {
  return "<!-- Whose report this is: shown under its title. Each may stay empty; the repository "
         "is\n"
         "an https:// address. -->\n"
         "name:\n"
         "course:\n"
         "repository:\n";
}

}  // namespace labreport
