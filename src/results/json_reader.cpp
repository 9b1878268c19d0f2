#include "results/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace labreport {
namespace {

constexpr std::size_t kDeepest = 32;  // levels; documents of labreport have fewer

struct Problem {
  std::string_view sign;  ///< Text in the parser's message.
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

const Problem& problem_of(std::string_view text, std::string_view message) {
  if (!is_utf8(text)) return kNotUtf8;
  // The rest of the parser's message quotes a piece of the input.
  const std::string_view unquoted = message.substr(0, message.find("; last read"));
  const auto* known = std::ranges::find_if(kProblems, [&](const Problem& problem) {
    return unquoted.find(problem.sign) != std::string_view::npos;
  });
  return known == std::end(kProblems) ? kNotJson : *known;
}

[[noreturn]] void refuse(std::string_view text, std::size_t offset, const std::string& origin,
                         const Problem& problem) {
  const auto line = 1 + std::ranges::count(text.substr(0, offset), '\n');
  throw InputError(fmt::format("{}: line {}: {}", origin, line, problem.problem), problem.remedy);
}

/// Builds the document from the parser's events.
class Builder {
 public:
  Builder(std::string_view text, JsonDocument& document) : text_(text), document_(document) {}

  bool null() { return put(nullptr); }
  bool boolean(bool value) { return put(value); }
  bool number_integer(std::int64_t value) { return put(value); }
  bool number_unsigned(std::uint64_t value) { return put(value); }
  bool number_float(double value, const std::string&) { return put(value); }
  bool string(std::string& value) { return put(std::move(value)); }
  bool binary(const JsonValue::binary_t&) { return false; }  // JSON text has no binary values
  bool start_object(std::size_t) { return open(JsonValue::value_t::object); }
  bool start_array(std::size_t) { return open(JsonValue::value_t::array); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  /// Refuses a repeated key, because readers differ in which of the two values they take.
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

  /// The parser counts one byte more than the text has if it fails at the end.
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

  /// Returns the slot for the next value; it is null until the value is set.
  JsonValue& place() {
    if (++document_.values > kMostValues) {
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
  std::size_t left_out_ = 0;  ///< Open levels beyond kDeepest.
};

/// Searches for the path from `from` to `value`, for complaints, so readers need not store it.
std::optional<std::string> steps_to(const JsonValue& value, const JsonValue& from) {
  if (&from == &value) return "";
  if (!from.is_structured()) return std::nullopt;
  for (const auto& [key, part] : from.items()) {
    if (const auto rest = steps_to(value, part)) {
      return fmt::format(fmt::runtime(from.is_array() ? "[{}]{}" : ".{}{}"), key, *rest);
    }
  }
  return std::nullopt;
}

std::string quoted(const JsonValue& value) {
  constexpr std::size_t kQuotedLength = 40;
  std::string text = value.dump(-1, ' ', true);
  if (text.size() > kQuotedLength) text = text.substr(0, kQuotedLength) + "…";
  return text;
}

}  // namespace

std::string path_to(const JsonValue& value, const JsonValue& document) {
  const std::string path = steps_to(value, document).value_or("");
  if (path.empty()) return "the document";
  return path.front() == '.' ? path.substr(1) : path;
}

JsonDocument parse_json(std::string_view text, const std::string& origin) {
  // The parser would take a zero byte for the end of the text.
  const std::size_t zero = text.find('\0');
  if (zero != text.npos) refuse(text, zero, origin, is_utf8(text) ? kNotJson : kNotUtf8);
  JsonDocument document{{}, origin};
  Builder builder(text, document);
  JsonValue::sax_parse(text, &builder);
  return document;
}

const JsonValue* JsonReader::find(std::string_view key) const {
  if (!value_->is_object()) expected("an object");
  const auto found = value_->find(key);
  return found == value_->end() ? nullptr : &*found;
}

JsonReader JsonReader::at(std::string_view key) const {
  const JsonValue* found = find(key);
  if (found == nullptr) complain(fmt::format("the key '{}' is missing", key));
  return {*found, *document_};
}

std::optional<JsonReader> JsonReader::maybe(std::string_view key) const {
  const JsonValue* found = find(key);
  if (found == nullptr || found->is_null()) return std::nullopt;
  return JsonReader(*found, *document_);
}

bool JsonReader::has(std::string_view key) const { return find(key) != nullptr; }

std::size_t JsonReader::count(std::size_t most) const {
  if (!value_->is_array()) expected("an array");
  if (value_->size() > most) {
    complain(fmt::format("a list of {} items, and {} are the most", value_->size(), most));
  }
  return value_->size();
}

void JsonReader::each(const std::function<void(const JsonReader&)>& visit, std::size_t most) const {
  count(most);
  for (const JsonValue& element : *value_) visit({element, *document_});
}

void JsonReader::each_member(
    const std::function<void(const std::string&, const JsonReader&)>& visit) const {
  if (!value_->is_object()) expected("an object");
  if (value_->size() > kMostItems) {
    complain(fmt::format("{} keys, and {} are the most", value_->size(), kMostItems));
  }
  for (const auto& [key, member] : value_->items()) {
    if (key.size() > kMostLabel) complain("a key is too long");
    visit(key, {member, *document_});
  }
}

void JsonReader::refuse_unknown_keys(const std::function<bool(std::string_view)>& is_known) const {
  if (!value_->is_object()) expected("an object");
  if (document_->unknown == Unknown::kLetBe) return;
  for (const auto& [key, member] : value_->items()) {
    if (!is_known(key)) complain("unknown key " + quoted(JsonValue(key)));
  }
}

std::string JsonReader::text(std::size_t most) const {
  const auto* text = value_->get_ptr<const std::string*>();
  if (text == nullptr) expected("a string");
  if (text->size() > most) {
    complain(fmt::format("a text of {} bytes, and {} are the most", text->size(), most));
  }
  return *text;
}

std::int64_t JsonReader::integer() const {
  if (!value_->is_number_integer()) expected("an integer");
  const auto beyond = [this](auto number) {
    return std::cmp_greater(number, kMostInteger) || std::cmp_less(number, -kMostInteger);
  };
  const bool too_large = value_->is_number_unsigned() ? beyond(value_->get<std::uint64_t>())
                                                      : beyond(value_->get<std::int64_t>());
  if (too_large) expected("an integer of at most 10^16");
  return value_->get<std::int64_t>();
}

double JsonReader::real() const {
  if (!value_->is_number()) expected("a number");
  const auto number = value_->get<double>();
  if (std::abs(number) > kMostReal) expected("a number of at most 10^18");
  if (number != 0 && std::abs(number) < kLeastReal) expected("0 or a number of at least 10^-45");
  return number;
}

bool JsonReader::boolean() const {
  if (!value_->is_boolean()) expected("true or false");
  return value_->get<bool>();
}

void JsonReader::expected(const std::string& what) const {
  complain(fmt::format("expected {}, found {}", what, described()));
}

void JsonReader::complain(const std::string& problem, const std::string& remedy) const {
  throw InputError(
      fmt::format("{}: {}: {}", document_->origin, path_to(*value_, document_->root), problem),
      remedy);
}

std::string JsonReader::described() const {
  if (value_->is_array()) return "an array";
  if (value_->is_object()) return "an object";
  return quoted(*value_);
}

}  // namespace labreport
