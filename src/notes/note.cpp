#include "notes/note.h"

#include <cmark-gfm.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <ranges>

#include "base/printable.h"
#include "base/text.h"
#include "document/markdown_tree.h"

namespace labreport {
namespace {

/// Removes <!-- comments -->, even one that is never closed; line ends inside them stay, so that
/// lines keep their numbers.
std::string without_comments(std::string_view text) {
  std::string outside;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t open = std::min(text.find("<!--", begin), text.size());
    outside.append(text.substr(begin, open - begin));
    const std::size_t close = std::min(text.find("-->", open), text.size());
    const std::string_view comment = text.substr(open, close - open);
    outside.append(static_cast<std::size_t>(std::ranges::count(comment, '\n')), '\n');
    begin = close == text.size() ? close : close + 3;
  }
  return outside;
}

using Iterator = std::unique_ptr<cmark_iter, decltype(&cmark_iter_free)>;

constexpr int kDeepestList = 24;  // Levels of lists and quotes; every parser's stack can hold them.
constexpr int kHeadingShift = 3;  // A note's headings begin at level 4, below their part's.
constexpr int kLowestHeading = 6;
// This noncharacter stands for a dollar outside of math until the Markdown is written again.
constexpr std::string_view kDollar = "\uFDD2";

/// Visits every node of a type. The visitor may change or free that node only.
template <typename Visit>
void for_each_node(cmark_node* root, cmark_node_type type, Visit visit) {
  std::vector<cmark_node*> nodes;
  const Iterator iterator(cmark_iter_new(root), &cmark_iter_free);
  for (cmark_event_type event; (event = cmark_iter_next(iterator.get())) != CMARK_EVENT_DONE;) {
    cmark_node* node = cmark_iter_get_node(iterator.get());
    if (event == CMARK_EVENT_ENTER && cmark_node_get_type(node) == type) nodes.push_back(node);
  }
  std::ranges::for_each(nodes, visit);
}

bool nests_too_deeply(cmark_node* root) {
  int depth = 0;
  const Iterator iterator(cmark_iter_new(root), &cmark_iter_free);
  for (cmark_event_type event; (event = cmark_iter_next(iterator.get())) != CMARK_EVENT_DONE;) {
    const bool leaf = cmark_node_first_child(cmark_iter_get_node(iterator.get())) == nullptr;
    if (leaf) continue;  // For some leaves there is no exit event.
    depth += event == CMARK_EVENT_ENTER ? 1 : -1;
    if (depth > kDeepestList) return true;
  }
  return false;
}

void place_pictures(cmark_node* root, const FindPicture& find, std::vector<NoteProblem>& problems) {
  for_each_node(root, CMARK_NODE_IMAGE, [&](cmark_node* image) {
    const PictureAnswer answer = find(cmark_node_get_url(image));
    if (!answer.problem.empty()) problems.push_back({line_of(image), answer.problem});
    if (answer.address) {
      cmark_node_set_url(image, answer.address->c_str());
      return;
    }
    while (cmark_node* child = cmark_node_first_child(image)) {
      cmark_node_insert_before(image, child);
    }
    cmark_node_free(image);
  });
}

/// Equivalent TeX that is no markup to a reader of Markdown without math.
std::string harmless_tex(const MathSpan& span) {
  std::string tex = replaced(replaced(span.tex, "<", "\\lt "), ">", "\\gt ");
  tex = replaced(replaced(std::move(tex), "](", "] ("), "`", "'");
  return MathSpan{std::move(tex), span.is_display}.source();
}

constexpr std::size_t kMostShown = 60;
constexpr std::size_t kMostReported = 20;

std::string written(cmark_node* root, const std::vector<MathSpan>& spans) {
  const std::unique_ptr<char, decltype(&std::free)> text(
      cmark_render_commonmark(root, CMARK_OPT_DEFAULT, 0), &std::free);
  std::string markdown;
  for (const CutPiece& piece : split_at_marks(text.get(), spans)) {
    markdown += piece.span == nullptr ? piece.text : harmless_tex(*piece.span);
  }
  markdown = replaced(std::move(markdown), kDollar, "\\$");
  while (markdown.ends_with('\n')) markdown.pop_back();
  return markdown;
}

constexpr std::size_t kMostTableCells = 200'000;
constexpr std::size_t kMostCopied = 64u << 20;
constexpr std::size_t kLongestWritten = 8u << 20;

/// The reason why the note may grow too large for its readers; empty if it does not. The library
/// aborts the program if memory runs out: it fills each row of a table up to the head's columns,
/// and each use of a link's definition copies it. The estimates are upper bounds: they let a table
/// or definition reach to the next blank line.
std::string too_large(std::string_view text) {
  std::size_t cells = 0, columns = 0, block = 0, longest = 0;
  bool defines = false;
  for (const std::string& line : split(text, '\n')) {
    if (trimmed(line).empty()) columns = block = 0, defines = false;
    block += line.size() + 1;
    // The delimiter row of a table may be in a quote or a list: "> |---|:-:|".
    const bool delimits =
        line.find('-') != line.npos && line.find_first_not_of("|:-> \t*+.)0123456789") == line.npos;
    const auto bars = static_cast<std::size_t>(std::ranges::count(line, '|'));
    if (delimits) columns = std::max(columns, bars + 1);
    cells += columns;
    defines = defines || line.find("]:") != line.npos;
    if (defines) longest = std::max(longest, block);
  }
  if (cells > kMostTableCells) {
    return fmt::format("its tables have more than {} cells", kMostTableCells);
  }
  const std::size_t copied = longest * static_cast<std::size_t>(std::ranges::count(text, ']'));
  return copied > kMostCopied ? "its links copy their definitions too often" : "";
}

/// Returns the words as Markdown without raw HTML (it becomes text), with links to http, https and
/// relative addresses only, and with the pictures that `find_picture` publishes; headings are
/// lowered below a part's. Math stays unchanged. Empty if the note is too large for its readers.
std::string safe_markdown(std::string_view markdown, const FindPicture& find_picture,
                          NoteFile& file) {
  std::vector<NoteProblem>& problems = file.problems;
  const std::string text = replaced(std::string(markdown), kDollar, "");
  if (const std::string why = too_large(cut_math(text).markdown); !why.empty()) {
    problems.push_back({0, why + ": the note is left out"});
    return "";
  }
  const ParsedMarkdown parsed = parse_markdown(text);
  cmark_node* root = parsed.tree.get();
  if (nests_too_deeply(root)) {
    problems.push_back({0, "lists or quotes nest more than " + std::to_string(kDeepestList) +
                               " levels deep: the note is left out"});
    return "";
  }
  for (const DroppedLink& link : parsed.dropped_links | std::views::take(kMostReported)) {
    problems.push_back({link.line, "the link to " + link.address.substr(0, kMostShown) +
                                       " is left out: http, https and relative addresses stay"});
  }
  for (const MathSpan& span : parsed.spans) {
    file.formula_lines.emplace(harmless_tex(span), span.line);
  }
  for_each_node(root, CMARK_NODE_HEADING, [](cmark_node* node) {
    const int level = cmark_node_get_heading_level(node) + kHeadingShift;
    cmark_node_set_heading_level(node, std::min(level, kLowestHeading));
  });
  place_pictures(root, find_picture, problems);
  // A dollar outside of math must not become math when the text is read again.
  for_each_node(root, CMARK_NODE_TEXT, [](cmark_node* node) {
    const std::string literal = cmark_node_get_literal(node);
    cmark_node_set_literal(node, replaced(literal, "$", kDollar).c_str());
  });
  std::string safe = written(root, parsed.spans);
  if (safe.size() <= kLongestWritten) return safe;
  problems.push_back({0, "it is over 8 MiB when its links are written out: the note is left out"});
  return "";
}

constexpr std::size_t kLongestValue = 200;
constexpr std::string_view kScheme = "https://";
/// Characters besides letters and digits that an address may contain; none ends a link in any
/// format.
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

constexpr std::string_view kOpen = "<!--";
constexpr std::string_view kClose = "-->";
constexpr std::size_t kMostWords = 4;  // "replaces the generated answer"
constexpr std::size_t kTypos = 2;

/// The first line of a note that is not blank, which may hold the choice.
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

/// True if the line chooses that the note replaces the answer, false if it follows it; nothing if
/// the line is anything else. Without the comment's marks it must end with "answer", because a
/// sentence may begin with "Follow".
std::optional<bool> choice(const FirstLine& line) {
  if (line.words.empty()) return {};
  const bool rest_fits =
      std::all_of(line.words.begin() + 1, line.words.end(),
                  [](const auto& word) { return is_one_of(word, {"the", "generated", "answer"}); });
  if (!rest_fits || (!line.comment && line.words.back() != "answer")) return {};
  if (is_one_of(line.words.front(), {"replace", "replaces", "replacing"})) return true;
  if (is_one_of(line.words.front(), {"follow", "follows", "following"})) return false;
  return {};
}

bool resembles(const std::string& word, std::string_view other) {
  return edit_distance(word, other) <= kTypos;
}

/// True if the line is probably a misspelt choice: a short comment, or a few words such as "replace
/// the answer". A longer comment is a remark.
bool looks_like_choice(const FirstLine& line) {
  if (line.words.empty() || line.words.size() > kMostWords) return false;
  if (line.comment) return true;
  const std::string& first = line.words.front();
  const bool verb = resembles(first, "replaces") || resembles(first, "follows");
  return verb && line.words.size() > 1 && resembles(line.words.back(), "answer");
}

}  // namespace

std::string clean_text(std::string_view text) {
  if (text.starts_with("\uFEFF")) text.remove_prefix(3);
  std::string clean;
  clean.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    // A carriage return alone ends a line too.
    if (rest.front() == '\r' && !rest.starts_with("\r\n")) clean.push_back('\n');
    const bool stays = rest.front() == '\n' || rest.front() == '\t';
    const std::size_t control = stays ? 0 : control_length(rest);
    if (control == 0) clean.push_back(rest.front());
    i += std::max<std::size_t>(control, 1);
  }
  return clean;
}

FrontMatterFile parse_front_matter(std::string_view text) {
  FrontMatterReader reader;
  int number = 0;
  for (const std::string& line : split(without_comments(clean_text(text)), '\n')) {
    reader.read(++number, line);
  }
  return std::move(reader.file);
}

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
  std::string safe = safe_markdown(clean, find_picture, file);
  if (!safe.empty()) file.note = {std::move(safe), chosen.value_or(true)};
  return file;
}

}  // namespace labreport
