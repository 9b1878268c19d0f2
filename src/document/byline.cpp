#include "document/byline.h"

#include "base/text.h"
#include "document/facts.h"

namespace labreport {

std::string shown_address(const FrontMatter& front) {
  std::string shown = front.repository.substr(front.repository.find("//") + 2);
  while (shown.ends_with('/')) shown.pop_back();
  return shown;
}

std::string own_words(const FrontMatter& front) {
  return front.author.empty() ? "In the author’s own words" : "In the words of " + front.author;
}

std::string note_mark(const FrontMatter& front) { return own_words(front) + "."; }

std::string byline_markdown(const FrontMatter& front) {
  std::vector<std::string> parts;
  if (!front.author.empty()) parts.push_back("**" + escape_markdown(front.author) + "**");
  if (!front.course.empty()) parts.push_back(escape_markdown(front.course));
  if (!front.repository.empty()) {
    parts.push_back("[" + escape_markdown(shown_address(front)) + "](" + front.repository + ")");
  }
  return join(parts, " · ");
}

}  // namespace labreport
