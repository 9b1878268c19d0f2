#include "document/formulas.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "embedded/document.h"

namespace labreport {
namespace {

// A mark is the number of its span between these two noncharacters. They are removed from the
// Markdown first, so no text can forge a mark.
constexpr std::string_view kMarkOpen = "\uFDD0";
constexpr std::string_view kMarkClose = "\uFDD1";

bool is_space(char letter) { return std::string_view(" \t\r\n").find(letter) != std::string::npos; }

/// Returns the fence that a line opens, "```" or longer, after its quote and list marks; empty if
/// none.
std::string_view fence_of(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t>-*+.0123456789"), line.size()));
  if (!line.starts_with("```") && !line.starts_with("~~~")) return {};
  const std::size_t length = std::min(line.find_first_not_of(line.front()), line.size());
  const bool code_span = line.front() == '`' && line.find('`', length) != line.npos;
  return code_span ? std::string_view() : line.substr(0, length);
}

class Cutter {
 public:
  explicit Cutter(std::string_view text) : text_(text) {}

  CutMarkdown cut() {
    while (at_ < text_.size()) step();
    return std::move(cut_);
  }

 private:
  void step() {
    const bool line_start = at_ == 0 || text_[at_ - 1] == '\n';
    if (line_start && copy_fenced()) return;
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("<!--")) return copy_to(after("-->", at_, text_.size()));
    if (rest.front() == '\\') return copy_to(at_ + 2);
    if (rest.front() == '`') return copy_code();
    if (rest.front() != '$' || !cut_span()) copy_to(at_ + 1);
  }

  void copy_to(std::size_t end) {
    end = std::min(end, text_.size());
    cut_.markdown.append(text_.substr(at_, end - at_));
    at_ = end;
  }

  std::size_t after(std::string_view mark, std::size_t from, std::size_t otherwise) const {
    const std::size_t found = text_.find(mark, from);
    return found == text_.npos ? otherwise : found + mark.size();
  }

  bool copy_fenced() {
    const std::string_view fence = fence_of(line_at(at_));
    if (fence.empty()) return false;
    do {
      copy_to(after("\n", at_, text_.size()));
    } while (at_ < text_.size() && !fence_of(line_at(at_)).starts_with(fence));
    copy_to(after("\n", at_, text_.size()));
    return true;
  }

  std::string_view line_at(std::size_t begin) const {
    return text_.substr(begin, text_.find('\n', begin) - begin);
  }

  /// Copies a code span, which ends at as many backticks as it begins with.
  void copy_code() {
    const std::size_t begin = std::min(text_.find_first_not_of('`', at_), text_.size());
    const std::size_t length = begin - at_;
    for (std::size_t i = begin; i < paragraph_end(); ++i) {
      if (text_[i] != '`') continue;
      const std::size_t end = std::min(text_.find_first_not_of('`', i), text_.size());
      if (end - i == length) return copy_to(end);
      i = end;
    }
    copy_to(begin);
  }

  /// The end of the paragraph around `at_`, before a blank line.
  std::size_t paragraph_end() {
    if (at_ < paragraph_end_) return paragraph_end_;
    paragraph_end_ = at_;
    do {
      paragraph_end_ = after("\n", paragraph_end_, text_.size());
    } while (paragraph_end_ < text_.size() &&
             line_at(paragraph_end_).find_first_not_of(" \t\r>") != text_.npos);
    return paragraph_end_;
  }

  bool cut_span() {
    const bool display = text_.substr(at_).starts_with("$$");
    const auto close = display ? display_close() : inline_close();
    if (!close) return false;
    const std::size_t dollars = display ? 2 : 1;
    const std::string tex(text_.substr(at_ + dollars, *close - at_ - dollars));
    cut_.markdown.append(kMarkOpen).append(std::to_string(cut_.spans.size())).append(kMarkClose);
    line_ += static_cast<int>(std::ranges::count(text_.substr(counted_, at_ - counted_), '\n'));
    counted_ = at_;
    cut_.spans.push_back({tex, display, line_});
    at_ = *close + dollars;
    return true;
  }

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

  std::optional<std::size_t> display_close() {
    const std::size_t close = text_.find("$$", at_ + 2);
    if (close == text_.npos || close >= paragraph_end()) return {};
    const std::string_view inside = text_.substr(at_ + 2, close - at_ - 2);
    if (std::ranges::all_of(inside, is_space)) return {};
    return close;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t paragraph_end_ = 0;
  int line_ = 1;  ///< The line, from 1, of position `counted_`.
  std::size_t counted_ = 0;
  CutMarkdown cut_;
};

}  // namespace

std::string MathSpan::source() const {
  const std::string dollars = display ? "$$" : "$";
  return dollars + tex + dollars;
}

CutMarkdown cut_math(std::string_view markdown) {
  const std::string clean =
      replaced(replaced(std::string(markdown), kMarkOpen, ""), kMarkClose, "");
  return Cutter(clean).cut();
}

std::vector<CutPiece> at_marks(std::string_view text, const std::vector<MathSpan>& spans) {
  std::vector<CutPiece> pieces;
  std::size_t begin = 0;
  for (std::size_t open; (open = text.find(kMarkOpen, begin)) != text.npos;) {
    if (open > begin) pieces.push_back({std::string(text.substr(begin, open - begin)), nullptr});
    const std::size_t number = open + kMarkOpen.size();
    const std::size_t close = text.find(kMarkClose, number);
    std::size_t index = 0;
    std::from_chars(text.data() + number, text.data() + close, index);
    pieces.push_back({"", &spans.at(index)});
    begin = close + kMarkClose.size();
  }
  if (begin < text.size()) pieces.push_back({std::string(text.substr(begin)), nullptr});
  return pieces;
}

std::string with_math_source(std::string_view text, const std::vector<MathSpan>& spans) {
  std::string whole;
  for (const CutPiece& piece : at_marks(text, spans)) {
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

const Formula* find_formula(const MathSpan& span, const Formulas& more) {
  static const Formulas sections =
      parse_formulas(embedded::document().at("src/document/formulas.json"));
  const std::string source = span.source();
  for (const Formulas* formulas : {&sections, &more}) {
    const auto found = formulas->find(source);
    if (found != formulas->end()) return &found->second;
  }
  return nullptr;
}

}  // namespace labreport
