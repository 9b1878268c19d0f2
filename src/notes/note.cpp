#include "notes/note.h"

#include <cmark-gfm.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <ranges>

#include "base/format.h"
#include "base/printable.h"
#include "base/text.h"
#include "document/formulas.h"
#include "document/markdown_tree.h"

namespace labreport {
namespace {

/// Removes <!-- comments -->, even if the last one is not closed. Line ends inside comments stay,
/// so lines keep their numbers.
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

constexpr int kMaxNesting = 24;   // Every Markdown parser reads this many levels of lists.
constexpr int kHeadingShift = 3;  // A note's headings begin at level 4, below the part's.
constexpr int kLowestHeading = 6;
// This noncharacter replaces dollars outside of math until the Markdown is written.
constexpr std::string_view kDollarStandIn = "\uFDD2";

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
    const bool is_leaf = cmark_node_first_child(cmark_iter_get_node(iterator.get())) == nullptr;
    if (is_leaf) continue;  // Some leaves have no exit event.
    depth += event == CMARK_EVENT_ENTER ? 1 : -1;
    if (depth > kMaxNesting) return true;
  }
  return false;
}

constexpr std::size_t kMaxReported = 20;    // links, pictures, and footnotes
constexpr std::size_t kMaxShownBytes = 60;  // of an address or a name

/// Returns the line of the note for a line of the parsed text, in which each formula has one line.
int line_in_note(int line, const std::vector<MathSpan>& spans) {
  for (const MathSpan& span : spans) {
    if (span.line < line) line += static_cast<int>(std::ranges::count(span.tex, '\n'));
  }
  return line;
}

/// Replaces the links of pictures by their published addresses, and pictures without one by words.
void place_pictures(const ParsedMarkdown& parsed, const FindPicture& find,
                    std::vector<NoteProblem>& problems) {
  std::size_t reported_pictures = 0;
  for_each_node(parsed.tree.get(), CMARK_NODE_IMAGE, [&](cmark_node* image) {
    const FoundPicture picture = find(cmark_node_get_url(image));
    if (!picture.problem.empty() && ++reported_pictures <= kMaxReported)
      problems.push_back({line_in_note(line_of(image), parsed.spans), picture.problem, true});
    if (picture.address) {
      cmark_node_set_url(image, picture.address->c_str());
      return;
    }
    cmark_node_insert_before(image, text_node("[missing picture: "));
    if (cmark_node_first_child(image) == nullptr)
      cmark_node_insert_before(image,
                               text_node(cut_short(cmark_node_get_url(image), kMaxShownBytes)));
    while (cmark_node* child = cmark_node_first_child(image)) {
      cmark_node_insert_before(image, child);
    }
    cmark_node_insert_before(image, text_node("]"));
    cmark_node_free(image);
  });
}

/// Environments that number lines or stand outside of dollars, and those of the same shape that
/// every format takes.
constexpr std::pair<std::string_view, std::string_view> kEnvironments[] = {
    {"align", "aligned"},    {"flalign", "aligned"},   {"split", "aligned"},
    {"eqnarray", "aligned"}, {"alignat", "alignedat"}, {"gather", "gathered"},
    {"multline", "gathered"}};

/// Returns equivalent TeX that every format takes, and that contains no markup for parsers of
/// Markdown that do not know math.
std::string portable_tex(const MathSpan& span) {
  std::string tex = replaced(replaced(span.tex, "<", "\\lt "), ">", "\\gt ");
  tex = replaced(replaced(std::move(tex), "](", "] ("), "`", "'");
  for (const char* word : {"\\begin", "\\end"}) {
    if (tex.find(word) == tex.npos) break;
    for (const char* star : {"*}", "}"}) {
      tex = replaced(std::move(tex), fmt::format("{}{{equation{}", word, star), "");
      for (const auto& [from, to] : kEnvironments) {
        tex = replaced(std::move(tex), fmt::format("{}{{{}{}", word, from, star),
                       fmt::format("{}{{{}}}", word, to));
      }
    }
  }
  return MathSpan{std::move(tex), span.is_display}.source();
}

/// Turns code blocks in the language "math" into formulas of the note.
void show_math_blocks(const ParsedMarkdown& parsed, ParsedNote& note) {
  for_each_node(parsed.tree.get(), CMARK_NODE_CODE_BLOCK, [&](cmark_node* block) {
    const char* language = cmark_node_get_fence_info(block);
    if (language == nullptr || std::string_view(language) != "math") return;
    const std::string line = replaced(cmark_node_get_literal(block), "\n", " ");
    const std::string tex(trimmed(line));
    if (tex.empty() || tex.find('$') != tex.npos || tex.ends_with('\\')) return;
    cmark_node* formula = cmark_node_new(CMARK_NODE_CUSTOM_BLOCK);
    const std::string source = portable_tex({tex, true});
    cmark_node_set_on_enter(formula, source.c_str());  // It is written without escapes.
    note.formula_lines.emplace(source, line_in_note(line_of(block), parsed.spans));
    cmark_node_insert_before(block, formula);
    cmark_node_free(block);
  });
}

/// Writes the numbers of footnotes behind words, and footnotes as a list below the note.
void show_footnotes(cmark_node* root) {
  cmark_node* previous = nullptr;
  for_each_node(root, CMARK_NODE_FOOTNOTE_REFERENCE, [&](cmark_node* reference) {
    const bool is_next = previous != nullptr && cmark_node_previous(reference) == previous;
    const auto number = leading_number<std::int64_t>(cmark_node_get_literal(reference));
    previous = text_node((is_next ? "," : "") + superscript(number.value_or(0)));
    cmark_node_insert_before(reference, previous);
    cmark_node_free(reference);
  });
  cmark_node* list = nullptr;
  for_each_node(root, CMARK_NODE_FOOTNOTE_DEFINITION, [&](cmark_node* footnote) {
    if (list == nullptr) {
      cmark_node_insert_before(footnote, cmark_node_new(CMARK_NODE_THEMATIC_BREAK));
      list = cmark_node_new(CMARK_NODE_LIST);
      cmark_node_set_list_type(list, CMARK_ORDERED_LIST);
      cmark_node_set_list_start(list, 1);
      cmark_node_set_list_tight(list, 1);
      cmark_node_insert_before(footnote, list);
    }
    cmark_node* item = cmark_node_new(CMARK_NODE_ITEM);
    cmark_node_append_child(list, item);
    while (cmark_node* child = cmark_node_first_child(footnote)) {
      cmark_node_append_child(item, child);
    }
    cmark_node_free(footnote);
  });
}

/// Reports footnotes to which nothing refers: the parser leaves them out.
void report_lost_footnotes(std::string_view text, std::vector<NoteProblem>& problems) {
  const auto name_at = [](std::string_view from) {
    from = from.substr(0, kMaxShownBytes);
    return lower(from.substr(0, from.find_first_of("]\n")));
  };
  std::map<std::string, int> uses;
  for (std::size_t at = 0; (at = text.find("[^", at)) != text.npos; ++at) {
    ++uses[name_at(text.substr(at))];
  }
  bool is_code = false;
  int line_number = 0;
  std::size_t reported = 0;
  for (const std::string& line : split(text, '\n')) {
    ++line_number;
    is_code = is_code != (line.starts_with("```") || line.starts_with("~~~"));
    if (is_code || !line.starts_with("[^") || line.find("]:") == line.npos) continue;
    const std::string name = name_at(line);
    if (uses[name] > 1 || ++reported > kMaxReported) continue;
    problems.push_back({line_number, "the footnote " + cut_short(name, kMaxShownBytes - 4) +
                                         "] is left out: nothing refers to it"});
  }
}

/// Returns the text with which a list's item or a quotation begins; null if it begins otherwise.
cmark_node* first_text(cmark_node* block) {
  cmark_node* paragraph = cmark_node_first_child(block);
  if (paragraph == nullptr || cmark_node_get_type(paragraph) != CMARK_NODE_PARAGRAPH)
    return nullptr;
  cmark_node* text = cmark_node_first_child(paragraph);
  const bool is_text = text != nullptr && cmark_node_get_type(text) == CMARK_NODE_TEXT;
  return is_text ? text : nullptr;
}

/// Draws the boxes of a task list.
void show_tasks(cmark_node* root) {
  for_each_node(root, CMARK_NODE_ITEM, [](cmark_node* item) {
    cmark_node* text = first_text(item);
    const std::string words = text == nullptr ? "" : cmark_node_get_literal(text);
    const bool is_done = words.starts_with("[x] ") || words.starts_with("[X] ");
    if (!is_done && !words.starts_with("[ ] ")) return;
    cmark_node_set_literal(text, ((is_done ? "☑" : "☐") + words.substr(3)).c_str());
  });
}

/// Gives quotations that GitHub shows as alerts, "> [!NOTE]", their title.
void show_alerts(cmark_node* root) {
  for_each_node(root, CMARK_NODE_BLOCK_QUOTE, [](cmark_node* quote) {
    cmark_node* mark = first_text(quote);
    const std::string name = mark == nullptr ? "" : lower(cmark_node_get_literal(mark));
    constexpr std::array kNames{"[!note]", "[!tip]", "[!important]", "[!warning]", "[!caution]"};
    cmark_node* line_end = mark == nullptr ? nullptr : cmark_node_next(mark);
    const bool stands_alone =
        line_end == nullptr || cmark_node_get_type(line_end) == CMARK_NODE_SOFTBREAK;
    if (!stands_alone || std::ranges::find(kNames, name) == kNames.end()) return;
    cmark_node* title = cmark_node_new(CMARK_NODE_PARAGRAPH);
    cmark_node* strong = cmark_node_new(CMARK_NODE_STRONG);
    std::string word = name.substr(2, name.size() - 3);
    word.front() = static_cast<char>(word.front() - 'a' + 'A');
    cmark_node_append_child(strong, text_node(word));
    cmark_node_append_child(title, strong);
    cmark_node* paragraph = cmark_node_parent(mark);
    cmark_node_insert_before(paragraph, title);
    cmark_node_free(line_end == nullptr ? paragraph : mark);
    if (line_end != nullptr) cmark_node_free(line_end);
  });
}

/// Writes the tree as Markdown. `spans` is the math that was cut out of the text before.
std::string write_markdown(cmark_node* root, const std::vector<MathSpan>& spans) {
  const std::unique_ptr<char, decltype(&std::free)> text(
      cmark_render_commonmark(root, CMARK_OPT_DEFAULT, 0), &std::free);
  std::string markdown;
  for (const CutPiece& piece : split_at_marks(text.get(), spans)) {
    const bool follows_math = piece.span == nullptr && markdown.ends_with('$');
    if (follows_math && is_digit(piece.text.front())) {
      // A digit behind a formula would make its dollars text.
      markdown +=
          fmt::format("&#{};{}", static_cast<int>(piece.text.front()), piece.text.substr(1));
    } else {
      markdown += piece.span == nullptr ? piece.text : portable_tex(*piece.span);
    }
  }
  markdown = replaced(std::move(markdown), kDollarStandIn, "\\$");
  while (markdown.ends_with('\n')) markdown.pop_back();
  return markdown;
}

constexpr std::size_t kMaxTableCells = 200'000;
constexpr std::size_t kMaxCopiedBytes = 64u << 20;
constexpr std::size_t kMaxWrittenBytes = 8u << 20;

/// Returns the reason why the parsed note may be too large; empty if it is not. The library fills
/// each row of a table up to the width of the header row, copies a link's definition for each use,
/// and aborts the program if memory runs out. The estimates are upper bounds: they assume that a
/// table or a definition extends to the next blank line.
std::string why_too_large(std::string_view text) {
  std::size_t cells = 0, columns = 0, block_bytes = 0, longest_definition = 0;
  bool has_definition = false;  // since the last blank line
  for (const std::string& line : split(text, '\n')) {
    if (trimmed(line).empty()) columns = block_bytes = 0, has_definition = false;
    block_bytes += line.size() + 1;
    // The delimiter row of a table may be in a quote or a list: "> |---|:-:|".
    const bool is_delimiter_row =
        line.find('-') != line.npos && line.find_first_not_of("|:-> \t*+.)0123456789") == line.npos;
    const auto bars = static_cast<std::size_t>(std::ranges::count(line, '|'));
    if (is_delimiter_row) columns = std::max(columns, bars + 1);
    cells += columns;
    has_definition = has_definition || line.find("]:") != line.npos;
    if (has_definition) longest_definition = std::max(longest_definition, block_bytes);
  }
  if (cells > kMaxTableCells) {
    return fmt::format("its tables have more than {} cells", kMaxTableCells);
  }
  const std::size_t copied_bytes =
      longest_definition * static_cast<std::size_t>(std::ranges::count(text, ']'));
  return copied_bytes > kMaxCopiedBytes ? "its links copy their definitions too often" : "";
}

/// Returns the note as Markdown that is safe to publish: raw HTML becomes text, only links to http,
/// https and relative addresses stay, pictures have the addresses that `find_picture` returns, and
/// headings are below the level of the part's heading. Returns an empty text, and adds a problem,
/// if the note is too large or nests too deeply.
std::string safe_markdown(std::string_view markdown, const FindPicture& find_picture,
                          ParsedNote& note) {
  std::vector<NoteProblem>& problems = note.problems;
  const std::string text = replaced(std::string(markdown), kDollarStandIn, "");
  if (const std::string why = why_too_large(cut_author_math(text).markdown); !why.empty()) {
    problems.push_back({0, why + ": the note is left out"});
    return "";
  }
  const ParsedMarkdown parsed = parse_markdown(text, MarkdownSource::kAuthor);
  cmark_node* root = parsed.tree.get();
  if (nests_too_deeply(root)) {
    problems.push_back({0, "lists or quotes nest more than " + std::to_string(kMaxNesting) +
                               " levels deep: the note is left out"});
    return "";
  }
  for (const DroppedLink& link : parsed.dropped_links | std::views::take(kMaxReported)) {
    problems.push_back({line_in_note(link.line, parsed.spans),
                        "the link to " + link.address.substr(0, kMaxShownBytes) +
                            " is left out: http, https and relative addresses stay"});
  }
  for (const MathSpan& span : parsed.spans) {
    note.formula_lines.emplace(portable_tex(span), span.line);
  }
  show_math_blocks(parsed, note);
  show_footnotes(root);
  report_lost_footnotes(text, problems);
  show_tasks(root);
  show_alerts(root);
  for_each_node(root, CMARK_NODE_HEADING, [](cmark_node* node) {
    const int level = cmark_node_get_heading_level(node) + kHeadingShift;
    cmark_node_set_heading_level(node, std::min(level, kLowestHeading));
  });
  place_pictures(parsed, find_picture, problems);
  // A dollar outside of math must not become math when the text is read again.
  for_each_node(root, CMARK_NODE_TEXT, [](cmark_node* node) {
    const std::string literal = cmark_node_get_literal(node);
    cmark_node_set_literal(node, replaced(literal, "$", kDollarStandIn).c_str());
  });
  std::string safe = write_markdown(root, parsed.spans);
  if (safe.size() <= kMaxWrittenBytes) return safe;
  problems.push_back({0, "it is over 8 MiB when its links are written out: the note is left out"});
  return "";
}

constexpr std::size_t kMaxValueBytes = 200;
constexpr std::string_view kHttps = "https://";
/// The characters besides letters and digits that an address may contain. No output format ends a
/// link at one of them.
constexpr std::string_view kAddressMarks = "-._~:/?#@!&+,;=%";

bool is_https_address(std::string_view text) {
  if (!text.starts_with(kHttps) || text.size() == kHttps.size()) return false;
  return std::ranges::all_of(text, [](char letter) {
    return is_alnum(letter) || kAddressMarks.find(letter) != std::string_view::npos;
  });
}

/// Reads the lines of author.md into the front matter and collects problems.
class FrontMatterReader {
 public:
  void read(int line_number, std::string_view line) {
    const std::string text(trimmed(line));
    if (text.empty()) return;
    const std::size_t colon = text.find(':');
    const std::string key = lower(trimmed(std::string_view(text).substr(0, colon)));
    const auto field = fields_.find(key);
    if (colon == std::string::npos || field == fields_.end()) {
      return complain(line_number, "not understood: use name:, course: and repository:");
    }
    const std::string value(trimmed(std::string_view(text).substr(colon + 1)));
    if (value.size() > kMaxValueBytes) {
      return complain(line_number, key + " is longer than 200 characters and is left out");
    }
    if (key == "repository" && !value.empty() && !is_https_address(value)) {
      return complain(line_number, "the repository is left out: give its address as https://…");
    }
    *field->second = value;
  }

  ParsedFrontMatter result;

 private:
  void complain(int line_number, const std::string& text) {
    result.problems.push_back({line_number, text});
  }

  std::map<std::string, std::string*> fields_{{"name", &result.front.author},
                                              {"course", &result.front.course},
                                              {"repository", &result.front.repository}};
};

constexpr std::string_view kOpen = "<!--", kClose = "-->";
constexpr std::size_t kMaxChoiceWords = 4;  // "replaces the generated answer"
constexpr std::size_t kMaxTypos = 2;        // in a word

/// A note's first line that is not blank. It may say that the note replaces or follows the answer.
struct FirstLine {
  std::size_t begin = 0;  ///< Offset in the note.
  std::size_t size = 0;   ///< Bytes without the line end.
  int number = 1;
  bool is_comment = false;
  std::vector<std::string> words;  ///< In lower case.
};

FirstLine first_line(std::string_view text) {
  FirstLine line;
  line.begin = std::min(text.find_first_not_of(" \t\n"), text.size());
  line.size = std::min(text.find('\n', line.begin), text.size()) - line.begin;
  line.number = 1 + static_cast<int>(std::ranges::count(text.substr(0, line.begin), '\n'));
  std::string rest(trimmed(text.substr(line.begin, line.size)));
  line.is_comment = rest.starts_with(kOpen) && rest.find(kClose) == rest.size() - kClose.size();
  if (line.is_comment) rest = rest.substr(kOpen.size(), rest.size() - kOpen.size() - kClose.size());
  while (!rest.empty() && std::string_view(".: \t").find(rest.back()) != std::string::npos) {
    rest.pop_back();
  }
  for (const std::string& word : split(lower(rest), ' ')) {
    if (!word.empty()) line.words.push_back(word);
  }
  return line;
}

bool is_one_of(const std::string& word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

/// Returns true if the line says that the note replaces the answer, false if it says that the note
/// follows the answer, and nothing for any other line. Without the comment's marks, the line must
/// end with "answer", because a sentence of the note may begin with "Follow".
std::optional<bool> parse_choice(const FirstLine& line) {
  if (line.words.empty()) return {};
  const bool rest_fits =
      std::all_of(line.words.begin() + 1, line.words.end(),
                  [](const auto& word) { return is_one_of(word, {"the", "generated", "answer"}); });
  if (!rest_fits || (!line.is_comment && line.words.back() != "answer")) return {};
  if (is_one_of(line.words.front(), {"replace", "replaces", "replacing"})) return true;
  if (is_one_of(line.words.front(), {"follow", "follows", "following"})) return false;
  return {};
}

/// Returns the bytes of the front matter in YAML with which a note begins: lines of "key: value"
/// between two lines "---". A line alone is a rule, and the text between two is the author's.
std::size_t front_matter_size(std::string_view text) {
  if (!text.starts_with("---\n")) return 0;
  for (std::size_t begin = 4, end; (end = text.find('\n', begin)) != text.npos; begin = end + 1) {
    const std::string_view line = text.substr(begin, end - begin);
    if (line == "---" || line == "...") return begin > 4 ? end + 1 : 0;
    const bool is_key = line.find(':') != line.npos;
    const bool goes_on = line.starts_with(' ') || line.starts_with('-') || line.starts_with('#');
    if (!is_key && !goes_on) return 0;
  }
  return 0;
}

bool resembles(const std::string& word, std::string_view keyword) {
  return edit_distance(word, keyword) <= kMaxTypos;
}

/// True if the line is probably a misspelt choice: a comment of few words, or few words that
/// resemble "replaces … answer". A longer comment is a remark of the author.
bool looks_like_choice(const FirstLine& line) {
  if (line.words.empty() || line.words.size() > kMaxChoiceWords) return false;
  if (line.is_comment) return true;
  const std::string& first = line.words.front();
  const bool begins_with_verb = resembles(first, "replaces") || resembles(first, "follows");
  return begins_with_verb && line.words.size() > 1 && resembles(line.words.back(), "answer");
}

}  // namespace

std::string clean_text(std::string_view text) {
  if (text.starts_with("\uFEFF")) text.remove_prefix(3);
  std::string clean;
  clean.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    // A carriage return without a line feed also ends a line.
    if (rest.front() == '\r' && !rest.starts_with("\r\n")) clean.push_back('\n');
    const bool is_kept = rest.front() == '\n' || rest.front() == '\t';
    const std::size_t control = is_kept ? 0 : control_length(rest);
    if (control == 0) clean.push_back(rest.front());
    i += std::max<std::size_t>(control, 1);
  }
  return clean;
}

ParsedFrontMatter parse_front_matter(std::string_view text) {
  FrontMatterReader reader;
  int number = 0;
  for (const std::string& line : split(without_comments(clean_text(text)), '\n')) {
    reader.read(++number, line);
  }
  return std::move(reader.result);
}

ParsedNote parse_note(std::string_view text, const FindPicture& find_picture) {
  ParsedNote result;
  std::string clean = clean_text(text);
  if (const std::size_t size = front_matter_size(clean); size > 0) {
    const auto lines = static_cast<std::size_t>(std::ranges::count(clean.substr(0, size), '\n'));
    clean.replace(0, size, lines, '\n');
    result.problems.push_back({1, "the front matter is left out: a page shows the text alone"});
  }
  const FirstLine first = first_line(clean);
  const std::optional<bool> replaces = parse_choice(first);
  if (replaces) {
    clean.replace(first.begin, first.size, "");
  } else if (looks_like_choice(first)) {
    result.problems.push_back({first.number,
                               "the first line is not understood, so the note replaces "
                               "the answer: write " +
                                   std::string(kReplacesAnswer) + " or " + std::string(kFollows)});
  }
  if (trimmed(without_comments(clean)).empty()) return result;
  std::string safe = safe_markdown(clean, find_picture, result);
  if (!safe.empty()) result.note = {std::move(safe), replaces.value_or(true)};
  return result;
}

}  // namespace labreport
