#include "notes/note.h"

#include <algorithm>

#include "base/text.h"
#include "notes/note_markdown.h"

namespace labreport {
namespace {

constexpr std::string_view kOpen = "<!--";
constexpr std::string_view kClose = "-->";
constexpr std::size_t kMostWords = 4;  // "replaces the generated answer"
constexpr std::size_t kTypos = 2;

/// The line that may hold the choice, taken apart.
struct FirstLine {
  std::size_t begin = 0;
  std::size_t size = 0;
  int number = 1;
  bool comment = false;
  std::vector<std::string> words;  ///< In lower case.
};

FirstLine first_line(std::string_view text) {
  FirstLine line;
  line.begin = std::min(text.find_first_not_of(" \t\n"), text.size());
  line.size = std::min(text.find('\n', line.begin), text.size()) - line.begin;
  line.number = 1 + static_cast<int>(std::ranges::count(text.substr(0, line.begin), '\n'));
  std::string words(trimmed(text.substr(line.begin, line.size)));
  line.comment = words.starts_with(kOpen) && words.find(kClose) == words.size() - kClose.size();
  if (line.comment) words = words.substr(4, words.size() - 7);
  while (!words.empty() && std::string_view(".: \t").find(words.back()) != std::string::npos) {
    words.pop_back();
  }
  for (const std::string& word : split(lower(words), ' ')) {
    if (!word.empty()) line.words.push_back(word);
  }
  return line;
}

bool is_one_of(const std::string& word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

/// Without the comment's marks it takes the whole phrase: a sentence may begin with "Follow".
bool is_phrase(const FirstLine& line) {
  const bool rest_fits =
      std::all_of(line.words.begin() + 1, line.words.end(),
                  [](const auto& word) { return is_one_of(word, {"the", "generated", "answer"}); });
  return rest_fits && (line.comment || line.words.back() == "answer");
}

/// Whether the note replaces the answer; none where the line says neither.
std::optional<bool> choice(const FirstLine& line) {
  if (line.words.empty() || !is_phrase(line)) return {};
  if (is_one_of(line.words.front(), {"replace", "replaces", "replacing"})) return true;
  if (is_one_of(line.words.front(), {"follow", "follows", "following"})) return false;
  return {};
}

bool resembles(const std::string& word, std::string_view other) {
  return edit_distance(word, other) <= kTypos;
}

/// What an author meant as a choice and misspelt.
bool looks_like_choice(const FirstLine& line) {
  if (line.words.empty() || line.words.size() > kMostWords) return false;
  const std::string& first = line.words.front();
  const bool verb = resembles(first, "replaces") || resembles(first, "follows");
  const bool object = line.words.size() > 1 && resembles(line.words.back(), "answer");
  return line.comment ? verb || object : verb && object;
}

}  // namespace

NoteFile parse_note(std::string_view text, const FindPicture& find_picture) {
  NoteFile file;
  std::string clean = clean_text(text);
  const FirstLine first = first_line(clean);
  const std::optional<bool> chosen = choice(first);
  if (chosen) {
    clean.replace(first.begin, first.size, "");
  } else if (looks_like_choice(first)) {
    file.problems.push_back({first.number,
                             "the first line is not understood, so the note replaces "
                             "the answer: write " +
                                 std::string(kReplaces) + " or " + std::string(kFollows)});
  }
  if (trimmed(without_comments(clean)).empty()) return file;
  SafeMarkdown safe = safe_markdown(clean, find_picture);
  for (NoteProblem& problem : safe.problems) file.problems.push_back(std::move(problem));
  if (!safe.markdown.empty()) file.note = {std::move(safe.markdown), chosen.value_or(true)};
  return file;
}

}  // namespace labreport
