#include "results/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/text.h"

namespace labreport {
namespace {

constexpr std::size_t kMaxDepth = 32;  // levels of arrays and objects; a run has fewer

struct ParseProblem {
  std::string_view message_part;  ///< The part of nlohmann::json's message that tells the problem.
  const char* problem;
  const char* remedy;
};

constexpr ParseProblem kTruncated{"", "the file ends in the middle of the document",
                                  "it was cut short: copy it again"};
constexpr ParseProblem kNotUtf8{"", "this is not UTF-8",
                                "save it as UTF-8, or copy it again byte for byte"};
constexpr ParseProblem kNotJson{"", "this is not JSON", "`python3 -m json.tool` shows the place"};
constexpr const char* kBadEscape =
    "a text holds a control character, or a backslash that escapes nothing";
constexpr const char* kBadEscapeRemedy =
    "write \\n, \\t or \\u001b for control characters, \\\\ for a backslash";
constexpr ParseProblem kKnownProblems[]{
    {"surrogate", "\\u escapes half a character", "write both halves, or the character itself"},
    {"control character", kBadEscape, kBadEscapeRemedy},
    {"after backslash", kBadEscape, kBadEscapeRemedy},
    {"4 hex digits", kBadEscape, kBadEscapeRemedy},
    {"number overflow", "a number is too large", "10^18 is the most"},
    {"expected end of input", "there is more behind the document",
     "leave one document in the file"}};

const ParseProblem& problem_of(std::string_view text, std::string_view message) {
  if (!is_utf8(text)) return kNotUtf8;
  // After "; last read", the parser's message quotes the input.
  const std::string_view unquoted = message.substr(0, message.find("; last read"));
  const auto* match = std::ranges::find_if(kKnownProblems, [&](const ParseProblem& problem) {
    return unquoted.find(problem.message_part) != std::string_view::npos;
  });
  return match == std::end(kKnownProblems) ? kNotJson : *match;
}

[[noreturn]] void refuse(std::string_view text, std::size_t offset, const std::string& origin,
                         const ParseProblem& problem) {
  const auto line = 1 + std::ranges::count(text.substr(0, offset), '\n');
  throw InputError(fmt::format("{}: line {}: {}", origin, line, problem.problem), problem.remedy);
}

/// Builds the document from the events of the library's SAX parser. The functions' names and
/// signatures are the library's.
class DocumentBuilder {
 public:
  DocumentBuilder(std::string_view text, JsonDocument& document)
      : text_(text), document_(document) {}

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
    if (skipped_levels_ > 0) return true;
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

  /// If parsing fails at the end of the text, `bytes_read` is one more than the text has.
  [[noreturn]] bool parse_error(std::size_t bytes_read, const std::string&,
                                const JsonValue::exception& error) {
    const bool is_truncated = bytes_read > text_.size();
    refuse(text_, bytes_read - 1, document_.origin,
           is_truncated ? kTruncated : problem_of(text_, error.what()));
  }

 private:
  bool put(JsonValue value) {
    if (skipped_levels_ == 0) next_slot() = std::move(value);
    return true;
  }

  bool open(JsonValue::value_t type) {
    if (skipped_levels_ > 0 || open_.size() == kMaxDepth) {
      if (skipped_levels_++ == 0) next_slot();
      return true;
    }
    JsonValue& opened = next_slot();
    opened = type;
    open_.push_back(&opened);
    return true;
  }

  bool close() {
    if (skipped_levels_ > 0) {
      --skipped_levels_;
    } else {
      open_.pop_back();
    }
    return true;
  }

  /// Counts the next value and returns its place in the document, which is null until it is set.
  JsonValue& next_slot() {
    if (++document_.value_count > kMaxJsonValues) {
      throw InputError(fmt::format("{}: more than {} values", document_.origin, kMaxJsonValues));
    }
    if (open_.empty()) return document_.root;
    auto* items = open_.back()->get_ptr<JsonValue::array_t*>();
    return items == nullptr ? *member_ : items->emplace_back();
  }

  std::string_view text_;
  JsonDocument& document_;
  std::vector<JsonValue*> open_;    ///< The arrays and objects around the next value.
  JsonValue* member_ = nullptr;     ///< The value of the key that was read last.
  std::size_t skipped_levels_ = 0;  ///< Open arrays and objects deeper than kMaxDepth.
};

/// Searches for `value` below `root` and returns its path. Only error messages need a path, so
/// readers do not store it.
std::optional<std::string> find_path(const JsonValue& value, const JsonValue& root) {
  if (&root == &value) return "";
  if (!root.is_structured()) return std::nullopt;
  for (const auto& [key, child] : root.items()) {
    if (const auto rest = find_path(value, child)) {
      return fmt::format(fmt::runtime(root.is_array() ? "[{}]{}" : ".{}{}"), key, *rest);
    }
  }
  return std::nullopt;
}

/// Returns the value as JSON, cut after 40 bytes.
std::string excerpt(const JsonValue& value) {
  constexpr std::size_t kMaxExcerpt = 40;
  std::string text = value.dump(-1, ' ', true);
  if (text.size() > kMaxExcerpt) text = text.substr(0, kMaxExcerpt) + "…";
  return text;
}

}  // namespace

std::string path_to(const JsonValue& value, const JsonValue& root) {
  const std::string path = find_path(value, root).value_or("");
  if (path.empty()) return "the document";
  return path.front() == '.' ? path.substr(1) : path;
}

JsonDocument parse_json(std::string_view text, const std::string& origin) {
  // The parser would take a zero byte for the end of the text.
  const std::size_t zero = text.find('\0');
  if (zero != text.npos) refuse(text, zero, origin, is_utf8(text) ? kNotJson : kNotUtf8);
  JsonDocument document{{}, origin};
  DocumentBuilder builder(text, document);
  JsonValue::sax_parse(text, &builder);
  return document;
}

const JsonValue* JsonReader::find(std::string_view key) const {
  if (!value_->is_object()) throw_expected("an object");
  const auto found = value_->find(key);
  return found == value_->end() ? nullptr : &*found;
}

JsonReader JsonReader::at(std::string_view key) const {
  const JsonValue* found = find(key);
  if (found == nullptr) throw_error(fmt::format("the key '{}' is missing", key));
  return {*found, *document_};
}

std::optional<JsonReader> JsonReader::find_non_null(std::string_view key) const {
  const JsonValue* found = find(key);
  if (found == nullptr || found->is_null()) return std::nullopt;
  return JsonReader(*found, *document_);
}

bool JsonReader::has(std::string_view key) const { return find(key) != nullptr; }

std::size_t JsonReader::item_count(std::size_t max_items) const {
  if (!value_->is_array()) throw_expected("an array");
  if (value_->size() > max_items) {
    throw_error(fmt::format("a list of {} items, and {} are the most", value_->size(), max_items));
  }
  return value_->size();
}

void JsonReader::for_each_item(const std::function<void(const JsonReader&)>& visit,
                               std::size_t max_items) const {
  item_count(max_items);  // throws if there are too many
  for (const JsonValue& element : *value_) visit({element, *document_});
}

void JsonReader::for_each_member(
    const std::function<void(const std::string&, const JsonReader&)>& visit) const {
  if (!value_->is_object()) throw_expected("an object");
  if (value_->size() > kMaxListItems) {
    throw_error(fmt::format("{} keys, and {} are the most", value_->size(), kMaxListItems));
  }
  for (const auto& [key, member] : value_->items()) {
    if (key.size() > kMaxLabelBytes) throw_error("a key is too long");
    visit(key, {member, *document_});
  }
}

void JsonReader::refuse_unknown_keys(const std::function<bool(std::string_view)>& is_known) const {
  if (!value_->is_object()) throw_expected("an object");
  if (document_->unknown_names == UnknownNames::kIgnored) return;
  for (const auto& [key, member] : value_->items()) {
    if (!is_known(key)) throw_error("unknown key " + excerpt(JsonValue(key)));
  }
}

std::string JsonReader::text(std::size_t max_bytes) const {
  const auto* text = value_->get_ptr<const std::string*>();
  if (text == nullptr) throw_expected("a string");
  if (text->size() > max_bytes) {
    throw_error(fmt::format("a text of {} bytes, and {} are the most", text->size(), max_bytes));
  }
  return *text;
}

std::int64_t JsonReader::integer() const {
  if (!value_->is_number_integer()) throw_expected("an integer");
  const auto beyond = [](auto number) {
    return std::cmp_greater(number, kMaxInteger) || std::cmp_less(number, -kMaxInteger);
  };
  const bool too_large = value_->is_number_unsigned() ? beyond(value_->get<std::uint64_t>())
                                                      : beyond(value_->get<std::int64_t>());
  if (too_large) throw_expected("an integer of at most 10^16");
  return value_->get<std::int64_t>();
}

double JsonReader::real() const {
  if (!value_->is_number()) throw_expected("a number");
  const auto number = value_->get<double>();
  if (std::abs(number) > kMaxReal) throw_expected("a number of at most 10^18");
  if (number != 0 && std::abs(number) < kMinNonzeroReal)
    throw_expected("0 or a number of at least 10^-45");
  return number;
}

bool JsonReader::boolean() const {
  if (!value_->is_boolean()) throw_expected("true or false");
  return value_->get<bool>();
}

void JsonReader::throw_expected(const std::string& what) const {
  throw_error(fmt::format("expected {}, found {}", what, describe_value()));
}

void JsonReader::throw_error(const std::string& problem, const std::string& remedy) const {
  throw InputError(
      fmt::format("{}: {}: {}", document_->origin, path_to(*value_, document_->root), problem),
      remedy);
}

std::string JsonReader::describe_value() const {
  if (value_->is_array()) return "an array";
  if (value_->is_object()) return "an object";
  return excerpt(*value_);
}

}  // namespace labreport
