#include "document/formulas.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "embedded/document.h"

namespace labreport {
namespace {

// A mark is the index of its formula between these two noncharacters. Noncharacters of the Markdown
// itself are removed first, so no text can forge a mark.
constexpr std::string_view kMarkOpen = "\uFDD0";
constexpr std::string_view kMarkClose = "\uFDD1";

bool is_space(char letter) { return std::string_view(" \t\r\n").find(letter) != std::string::npos; }

/// Returns the fence of a code block with which the line begins, "```" or longer, after signs of
/// quotes and lists. Empty if there is none.
std::string_view fence_of(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t>-*+.0123456789"), line.size()));
  if (!line.starts_with("```") && !line.starts_with("~~~")) return {};
  const std::size_t length = std::min(line.find_first_not_of(line.front()), line.size());
  const bool is_code_span = line.front() == '`' && line.find('`', length) != line.npos;
  return is_code_span ? std::string_view() : line.substr(0, length);
}

/// True if an author who put this between escaped brackets meant a formula: it has a command, a
/// script or a sign of a relation, or, within a line, letters that stand alone.
bool reads_as_formula(std::string_view inside, bool is_display) {
  constexpr std::string_view kSigns = "^_=<>";
  bool has_sign = false, has_letter = false, has_word = false;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    const bool is_letter = is_alpha(inside[i]);
    const bool is_escaped = i > 0 && inside[i - 1] == '\\';
    has_sign = has_sign || (is_escaped ? is_letter : kSigns.find(inside[i]) != kSigns.npos);
    has_word = has_word || (is_letter && i > 0 && is_alnum(inside[i - 1]));
    has_letter = has_letter || is_letter;
  }
  return inside.find("](") == inside.npos && (has_sign || (has_letter && !has_word && !is_display));
}

std::string without_marks(std::string_view markdown) {
  return replaced(replaced(std::string(markdown), kMarkOpen, ""), kMarkClose, "");
}

/// Copies Markdown up to the next formula, cuts the formula, and so on.
class FormulaCutter {
 public:
  FormulaCutter(std::string_view text, bool is_authors) : text_(text), is_authors_(is_authors) {}

  CutMarkdown cut() {
    while (at_ < text_.size()) copy_or_cut();
    return std::move(cut_);
  }

 private:
  void copy_or_cut() {
    const bool begins_line = at_ == 0 || text_[at_ - 1] == '\n';
    if (begins_line && copy_fenced()) return;
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("<!--")) return copy_to(end_of("-->", at_, text_.size()));
    if (is_authors_ && (cut_between("\\(", "\\)", false) || cut_between("\\[", "\\]", true) ||
                        cut_between("$`", "`$", false)))
      return;
    if (rest.front() == '\\') return copy_to(at_ + 2);
    if (rest.front() == '`') return copy_code();
    if (rest.front() != '$' || !cut_span()) copy_to(at_ + 1);
  }

  void copy_to(std::size_t end) {
    end = std::min(end, text_.size());
    cut_.markdown.append(text_.substr(at_, end - at_));
    at_ = end;
  }

  /// Returns the position after the next `word`; `fallback` if there is none.
  std::size_t end_of(std::string_view word, std::size_t from, std::size_t fallback) const {
    const std::size_t found = text_.find(word, from);
    return found == text_.npos ? fallback : found + word.size();
  }

  /// Copies a fenced code block. Returns false if none begins here.
  bool copy_fenced() {
    const std::string_view fence = fence_of(line_at(at_));
    if (fence.empty()) return false;
    do {
      copy_to(end_of("\n", at_, text_.size()));
    } while (at_ < text_.size() && !fence_of(line_at(at_)).starts_with(fence));
    copy_to(end_of("\n", at_, text_.size()));
    return true;
  }

  std::string_view line_at(std::size_t begin) const {
    return text_.substr(begin, text_.find('\n', begin) - begin);
  }

  /// Copies a code span, which ends at as many backticks as it begins with.
  void copy_code() {
    const std::size_t begin = std::min(text_.find_first_not_of('`', at_), text_.size());
    const std::size_t backticks = begin - at_;
    for (std::size_t i = begin; i < paragraph_end(); ++i) {
      if (text_[i] != '`') continue;
      const std::size_t end = std::min(text_.find_first_not_of('`', i), text_.size());
      if (end - i == backticks) return copy_to(end);
      i = end;
    }
    copy_to(begin);
  }

  /// Returns the end of the paragraph around `at_`, before a blank line.
  std::size_t paragraph_end() {
    if (at_ < paragraph_end_) return paragraph_end_;
    paragraph_end_ = at_;
    do {
      paragraph_end_ = end_of("\n", paragraph_end_, text_.size());
    } while (paragraph_end_ < text_.size() &&
             line_at(paragraph_end_).find_first_not_of(" \t\r>") != text_.npos);
    return paragraph_end_;
  }

  /// Puts a mark in place of a formula with dollars. Returns false if none begins here.
  bool cut_span() {
    const bool is_display = text_.substr(at_).starts_with("$$");
    const auto close = is_display ? display_close() : inline_close();
    if (!close) return false;
    const std::size_t dollars = is_display ? 2 : 1;
    put_mark(std::string(text_.substr(at_ + dollars, *close - at_ - dollars)), is_display,
             *close + dollars);
    return true;
  }

  /// Puts a mark in place of a formula between `open` and `close`. Returns false if none begins
  /// here.
  bool cut_between(std::string_view open, std::string_view close, bool is_display) {
    if (!text_.substr(at_).starts_with(open)) return false;
    const std::size_t begin = at_ + open.size();
    std::size_t end = begin;
    while (!text_.substr(end).starts_with(close)) {
      if (end >= paragraph_end() || text_.substr(end).starts_with(open)) return false;
      end += text_[end] == '\\' ? 2 : 1;
      if (end > text_.size()) return false;
    }
    const std::string_view inside = text_.substr(begin, end - begin);
    const std::string tex(is_display ? inside : trimmed(inside));
    const bool is_formula =
        open.front() == '$' ? !tex.empty() : reads_as_formula(inside, is_display);
    // With dollars around it, the formula must be read as the same formula again.
    if (!is_formula || tex.find('$') != tex.npos || tex.ends_with('\\')) return false;
    put_mark(tex, is_display, end + close.size());
    return true;
  }

  void put_mark(std::string tex, bool is_display, std::size_t end) {
    cut_.markdown.append(kMarkOpen).append(std::to_string(cut_.spans.size())).append(kMarkClose);
    const std::string_view uncounted = text_.substr(line_position_, at_ - line_position_);
    line_ += static_cast<int>(std::ranges::count(uncounted, '\n'));
    line_position_ = at_;
    cut_.spans.push_back({std::move(tex), is_display, line_});
    at_ = end;
  }

  /// Returns the position of the dollar that closes `$…$`; nothing if this is no formula.
  std::optional<std::size_t> inline_close() {
    const std::size_t end = paragraph_end();
    if (at_ + 1 >= end || is_space(text_[at_ + 1])) return {};
    for (std::size_t i = at_ + 1; i < end; ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (text_[i] == '$') {
        const bool digit_follows = i + 1 < text_.size() && is_digit(text_[i + 1]);
        if (is_space(text_[i - 1]) || digit_follows) return {};
        return i;
      }
    }
    return {};
  }

  /// Returns the position of the dollars that close `$$…$$`; nothing if this is no formula.
  std::optional<std::size_t> display_close() {
    const std::size_t close = text_.find("$$", at_ + 2);
    if (close == text_.npos || close >= paragraph_end()) return {};
    const std::string_view inside = text_.substr(at_ + 2, close - at_ - 2);
    if (std::ranges::all_of(inside, is_space)) return {};
    return close;
  }

  std::string_view text_;
  bool is_authors_;
  std::size_t at_ = 0;  ///< The text before this position is copied or cut.
  std::size_t paragraph_end_ = 0;
  std::size_t line_position_ = 0;
  int line_ = 1;  ///< The number of the line around `line_position_`.
  CutMarkdown cut_;
};

}  // namespace

std::string MathSpan::source() const {
  const std::string dollars = is_display ? "$$" : "$";
  return dollars + tex + dollars;
}

CutMarkdown cut_math(std::string_view markdown) {
  return FormulaCutter(without_marks(markdown), false).cut();
}

CutMarkdown cut_author_math(std::string_view markdown) {
  return FormulaCutter(without_marks(markdown), true).cut();
}

std::vector<CutPiece> split_at_marks(std::string_view text, const std::vector<MathSpan>& spans) {
  std::vector<CutPiece> pieces;
  std::size_t begin = 0;
  for (std::size_t open; (open = text.find(kMarkOpen, begin)) != text.npos;) {
    if (open > begin) pieces.push_back({std::string(text.substr(begin, open - begin)), nullptr});
    const std::size_t first_digit = open + kMarkOpen.size();
    const std::size_t close = text.find(kMarkClose, first_digit);
    const auto index = leading_number<std::size_t>(std::string_view(text).substr(first_digit));
    pieces.push_back({"", &spans.at(index.value_or(0))});
    begin = close + kMarkClose.size();
  }
  if (begin < text.size()) pieces.push_back({std::string(text.substr(begin)), nullptr});
  return pieces;
}

std::string with_math_source(std::string_view text, const std::vector<MathSpan>& spans) {
  std::string whole;
  for (const CutPiece& piece : split_at_marks(text, spans)) {
    whole += piece.span == nullptr ? piece.text : piece.span->source();
  }
  return whole;
}

Formulas parse_formulas(std::string_view json) {
  try {
    Formulas formulas;
    const nlohmann::json all = nlohmann::json::parse(json);
    for (const auto& [source, forms] : all.items()) {
      formulas[source] = {forms.at("mathml"), forms.at("typst")};
    }
    return formulas;
  } catch (const nlohmann::json::exception&) {
    throw Error("the formulas' forms cannot be read");
  }
}

std::string formulas_json(const Formulas& formulas) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [source, forms] : formulas) {
    json[source] = {{"mathml", forms.mathml}, {"typst", forms.typst}};
  }
  return json.dump(1) + "\n";
}

const Formula* find_formula(const MathSpan& span, const Formulas& note_formulas) {
  static const Formulas section_formulas =
      parse_formulas(embedded::document().at("src/document/formulas.json"));
  const std::string source = span.source();
  for (const Formulas* formulas : {&section_formulas, &note_formulas}) {
    const auto found = formulas->find(source);
    if (found != formulas->end()) return &found->second;
  }
  return nullptr;
}

}  // namespace labreport
