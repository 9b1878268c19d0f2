#include "results/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace labreport {
namespace {

constexpr std::size_t kDeepest = 32;  // levels, far below all that is read

struct Problem {
  std::string_view sign;  ///< What the parser says of it.
  const char* problem;
  const char* remedy;
};

constexpr Problem kCut{"", "the file ends in the middle of the document",
                       "it was cut short: copy it again"};
constexpr Problem kNotUtf8{"", "this is not UTF-8",
                           "save it as UTF-8, or copy it again byte for byte"};
constexpr Problem kNotJson{"", "this is not JSON", "`python3 -m json.tool` shows the place"};
constexpr const char* kEscape =
    "a text holds a control character, or a backslash that escapes nothing";
constexpr const char* kEscapeRemedy =
    "write \\n, \\t or \\u001b for control characters, \\\\ for a backslash";
constexpr Problem kProblems[]{
    {"surrogate", "\\u escapes half a character", "write both halves, or the character itself"},
    {"control character", kEscape, kEscapeRemedy},
    {"after backslash", kEscape, kEscapeRemedy},
    {"4 hex digits", kEscape, kEscapeRemedy},
    {"number overflow", "a number is too large", "10^18 is the most"},
    {"expected end of input", "there is more behind the document",
     "leave one document in the file"}};

/// The parser's words, without the piece of the text that it quotes.
std::string_view own_words(std::string_view message) {
  return message.substr(0, message.find("; last read"));
}

const Problem& problem_of(std::string_view text, std::string_view message) {
  if (!is_utf8(text)) return kNotUtf8;
  const auto* known = std::ranges::find_if(kProblems, [&](const Problem& problem) {
    return own_words(message).find(problem.sign) != std::string_view::npos;
  });
  return known == std::end(kProblems) ? kNotJson : *known;
}

[[noreturn]] void refuse(std::string_view text, std::size_t offset, const std::string& origin,
                         const Problem& problem) {
  const auto line = 1 + std::ranges::count(text.substr(0, offset), '\n');
  throw InputError(fmt::format("{}: line {}: {}", origin, line, problem.problem), problem.remedy);
}

/// Builds the document from what the parser finds.
class Builder {
 public:
  Builder(std::string_view text, JsonDocument& document) : text_(text), document_(document) {}

  bool null() { return put(nullptr); }
  bool boolean(bool value) { return put(value); }
  bool number_integer(std::int64_t value) { return put(value); }
  bool number_unsigned(std::uint64_t value) { return put(value); }
  bool number_float(double value, const std::string&) { return put(value); }
  bool string(std::string& value) { return put(std::move(value)); }
  bool binary(const JsonValue::binary_t&) { return false; }  // no text has any
  bool start_object(std::size_t) { return open(JsonValue::value_t::object); }
  bool start_array(std::size_t) { return open(JsonValue::value_t::array); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  /// Readers would differ in which of two alike they take.
  bool key(std::string& key) {
    if (left_out_ > 0) return true;
    JsonValue& object = *open_.back();
    const auto [member, is_new] =
        object.get_ref<JsonValue::object_t&>().try_emplace(std::move(key));
    if (!is_new) {
      throw InputError(fmt::format("{}: {}: a key stands there twice", document_.origin,
                                   path_to(object, document_.root)),
                       "leave one of them");
    }
    member_ = &member->second;
    return true;
  }

  /// At the end of the text the parser has read one byte more than there are.
  [[noreturn]] bool parse_error(std::size_t bytes_read, const std::string&,
                                const JsonValue::exception& error) {
    const bool cut = bytes_read > text_.size();
    refuse(text_, bytes_read - 1, document_.origin, cut ? kCut : problem_of(text_, error.what()));
  }

 private:
  bool put(JsonValue value) {
    if (left_out_ == 0) place() = std::move(value);
    return true;
  }

  bool open(JsonValue::value_t type) {
    if (left_out_ > 0 || open_.size() == kDeepest) {
      if (left_out_++ == 0) place();
      return true;
    }
    JsonValue& opened = place();
    opened = type;
    open_.push_back(&opened);
    return true;
  }

  bool close() {
    if (left_out_ > 0) {
      --left_out_;
    } else {
      open_.pop_back();
    }
    return true;
  }

  /// Of the next value: null until then.
  JsonValue& place() {
    if (++values_ > kMostValues) {
      throw InputError(fmt::format("{}: more than {} values", document_.origin, kMostValues));
    }
    if (open_.empty()) return document_.root;
    auto* items = open_.back()->get_ptr<JsonValue::array_t*>();
    return items == nullptr ? *member_ : items->emplace_back();
  }

  std::string_view text_;
  JsonDocument& document_;
  std::vector<JsonValue*> open_;
  JsonValue* member_ = nullptr;
  std::size_t values_ = 0;
  std::size_t left_out_ = 0;  ///< Levels open below the deepest.
};

/// Looked for only when somebody complains, so that reading need not carry it along.
std::optional<std::string> steps_to(const JsonValue& wanted, const JsonValue& from) {
  if (&from == &wanted) return "";
  if (!from.is_structured()) return std::nullopt;
  for (const auto& [key, part] : from.items()) {
    if (const auto rest = steps_to(wanted, part)) {
      return fmt::format(fmt::runtime(from.is_array() ? "[{}]{}" : ".{}{}"), key, *rest);
    }
  }
  return std::nullopt;
}

}  // namespace

std::string path_to(const JsonValue& wanted, const JsonValue& document) {
  const std::string path = steps_to(wanted, document).value_or("");
  if (path.empty()) return "the document";
  return path.front() == '.' ? path.substr(1) : path;
}

JsonDocument parse_json(std::string_view text, const std::string& origin) {
  // The parser takes a zero byte for the end.
  const std::size_t zero = text.find('\0');
  if (zero != text.npos) refuse(text, zero, origin, is_utf8(text) ? kNotJson : kNotUtf8);
  JsonDocument document{{}, origin};
  Builder builder(text, document);
  JsonValue::sax_parse(text, &builder);
  return document;
}

}  // namespace labreport
