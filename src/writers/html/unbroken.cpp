#include "writers/html/unbroken.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "writers/html/template.h"

namespace labreport {

std::string keep_numbers_whole(std::string_view text) {
  constexpr std::string_view kTails[] = {"±", "ms", "MiB", "GiB", "%", "×", "times"};
  std::string whole;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i + 1);
    const bool after_number = i > 0 && std::isdigit(static_cast<unsigned char>(text[i - 1]));
    const bool before_unit = std::ranges::any_of(
        kTails, [rest](std::string_view tail) { return rest.starts_with(tail); });
    const bool after_sign = whole.ends_with("±");
    const bool bound = text[i] == ' ' && (after_sign || (after_number && before_unit));
    bound ? whole.append("\u00a0") : whole.append(1, text[i]);
  }
  return whole;
}

std::string whole_words_html(std::string_view text) {
  constexpr std::size_t kLongest = 24;  // What is longer may not fit a line of a phone.
  std::vector<std::string> words = split(text, ' ');
  for (std::string& word : words) {
    const bool breaks = word.find('-') != std::string::npos && word.size() <= kLongest;
    word = escape_html(word);
    if (breaks) word = "<span class=\"whole\">" + word + "</span>";
  }
  return join(words, " ");
}

}  // namespace labreport
