#include "base/command_words.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace labreport {
namespace {

bool is_plain(unsigned char letter) {
  constexpr std::string_view kSigns = "-_=+,./:@%~";
  return letter >= 0x80 || (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
         (letter >= 'A' && letter <= 'Z') || kSigns.find(static_cast<char>(letter)) != kSigns.npos;
}

std::string shell_word(const std::string& word) {
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return word;
  std::string quoted = "'";
  for (const char letter : word) {
    if (letter == '\'') {
      quoted += "'\\''";
    } else {
      quoted += letter;
    }
  }
  return quoted + "'";
}

}  // namespace

std::string command_line(const std::vector<std::string>& argv) {
  std::vector<std::string> words;
  for (const std::string& word : argv) words.push_back(shell_word(word));
  return join(words, " ");
}

}  // namespace labreport
