#include "notes/front_matter.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "notes/note_markdown.h"

namespace labreport {
namespace {

constexpr std::size_t kLongestValue = 200;
constexpr std::string_view kScheme = "https://";
/// What an address may hold beside letters and digits: nothing that ends a link in any format.
constexpr std::string_view kAddressMarks = "-._~:/?#@!&+,;=%";

bool is_address(std::string_view text) {
  if (!text.starts_with(kScheme) || text.size() == kScheme.size()) return false;
  return std::ranges::all_of(text, [](char letter) {
    return is_alnum(letter) || kAddressMarks.find(letter) != std::string_view::npos;
  });
}

/// Reads the lines of the file into the front matter, noting what cannot be used.
class FrontMatterReader {
 public:
  void read(int number, std::string_view line) {
    const std::string text(trimmed(line));
    if (text.empty()) return;
    const std::size_t colon = text.find(':');
    const std::string key = lower(trimmed(std::string_view(text).substr(0, colon)));
    const auto field = fields_.find(key);
    if (colon == std::string::npos || field == fields_.end()) {
      return complain(number, "not understood: use name:, course: and repository:");
    }
    const std::string value(trimmed(std::string_view(text).substr(colon + 1)));
    if (value.size() > kLongestValue) {
      return complain(number, key + " is longer than 200 characters and is left out");
    }
    if (key == "repository" && !value.empty() && !is_address(value)) {
      return complain(number, "the repository is left out: give its address as https://…");
    }
    *field->second = value;
  }

  FrontMatterFile file;

 private:
  void complain(int number, const std::string& text) { file.problems.push_back({number, text}); }

  std::map<std::string, std::string*> fields_{{"name", &file.front.author},
                                              {"course", &file.front.course},
                                              {"repository", &file.front.repository}};
};

}  // namespace

FrontMatterFile parse_front_matter(std::string_view text) {
  FrontMatterReader reader;
  int number = 0;
  for (const std::string& line : split(without_comments(clean_text(text)), '\n')) {
    reader.read(++number, line);
  }
  return std::move(reader.file);
}

}  // namespace labreport
