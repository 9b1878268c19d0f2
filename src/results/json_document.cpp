#include "results/json_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace labreport {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Without recursion, so that no nesting is too deep; every number to its last bit.
constexpr unsigned kStrictly = rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag |
                               rapidjson::kParseValidateEncodingFlag;

struct Refusal {
  const char* problem;
  const char* remedy;
};

Refusal refusal_of(rapidjson::ParseErrorCode code) {
  switch (code) {
    case rapidjson::kParseErrorStringInvalidEncoding:
      return {"this is not UTF-8", "save it as UTF-8, or copy it again byte for byte"};
    case rapidjson::kParseErrorStringUnicodeSurrogateInvalid:
      return {"\\u escapes half a character", "write both halves, or the character itself"};
    case rapidjson::kParseErrorStringEscapeInvalid:
    case rapidjson::kParseErrorStringUnicodeEscapeInvalidHex:
      return {"a text holds a control character, or a backslash that escapes nothing",
              "write \\n, \\t or \\u001b for control characters, \\\\ for a backslash"};
    case rapidjson::kParseErrorNumberTooBig:
      return {"a number is too large", "10^18 is the most"};
    case rapidjson::kParseErrorDocumentRootNotSingular:
      return {"there is more behind the document", "leave one document in the file"};
    default:
      return {"this is not JSON", "`python3 -m json.tool` shows the place"};
  }
}

[[noreturn]] void refuse(std::string_view text, std::size_t offset, const std::string& origin,
                         rapidjson::ParseErrorCode code) {
  const auto line = 1 + std::ranges::count(text.substr(0, offset), '\n');
  Refusal refusal = refusal_of(is_utf8(text) ? code : rapidjson::kParseErrorStringInvalidEncoding);
  if (offset >= text.size()) {
    refusal = {"the file ends in the middle of the document", "it was cut short: copy it again"};
  }
  throw InputError(fmt::format("{}: line {}: {}", origin, line, refusal.problem), refusal.remedy);
}

bool repeats_a_key(const JsonValue& object) {
  std::vector<std::string_view> keys;
  for (const auto& member : object.GetObject()) keys.push_back(view(member.name));
  std::ranges::sort(keys);
  return std::ranges::adjacent_find(keys) != keys.end();
}

/// Readers would differ in which of the two they take.
const JsonValue* object_with_repeated_key(const JsonDocument& document) {
  std::vector<const JsonValue*> left{&document};
  const auto later = [&](const JsonValue& value) {
    if (value.IsObject() || value.IsArray()) left.push_back(&value);
  };
  while (!left.empty()) {
    const JsonValue& value = *left.back();
    left.pop_back();
    if (value.IsArray()) std::ranges::for_each(value.GetArray(), later);
    if (!value.IsObject()) continue;
    if (repeats_a_key(value)) return &value;
    for (const auto& member : value.GetObject()) later(member.value);
  }
  return nullptr;
}

/// Looked for only when somebody complains, so that reading need not carry it along. Nothing where
/// `wanted` is not within so many levels.
std::optional<std::string> path_to(const JsonValue& wanted, const JsonValue& from, int levels) {
  if (&from == &wanted) return "";
  if (levels == 0) return std::nullopt;
  if (from.IsArray()) {
    for (rapidjson::SizeType i = 0; i < from.Size(); ++i) {
      if (const auto rest = path_to(wanted, from[i], levels - 1)) {
        return fmt::format("[{}]{}", i, *rest);
      }
    }
  } else if (from.IsObject()) {
    for (const auto& member : from.GetObject()) {
      if (const auto rest = path_to(wanted, member.value, levels - 1)) {
        return fmt::format(".{}{}", view(member.name), *rest);
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view view(const JsonValue& text) { return {text.GetString(), text.GetStringLength()}; }

bool is_integer(const JsonValue& value) { return value.IsInt64() || value.IsUint64(); }

std::string path_to(const JsonValue& wanted, const JsonValue& document) {
  constexpr int kDeepest = 32;  // below all that is read
  const std::string path = path_to(wanted, document, kDeepest).value_or("");
  if (path.empty()) return "the document";
  return path.front() == '.' ? path.substr(1) : path;
}

JsonDocument parse_json(std::string_view text, const std::string& origin) {
  // The parser takes a zero byte for the end, whatever follows it.
  const std::size_t zero = text.find('\0');
  std::string ended(text.substr(0, zero));
  ended.append(3, '\0');  // read too where a character of several bytes is cut off at the end
  JsonDocument document;
  document.Parse<kStrictly>(ended.c_str() + (text.starts_with(kByteOrderMark) ? 3 : 0));
  if (document.HasParseError())
    refuse(text, document.GetErrorOffset(), origin, document.GetParseError());
  if (zero != std::string_view::npos)
    refuse(text, zero, origin, rapidjson::kParseErrorValueInvalid);
  if (const JsonValue* object = object_with_repeated_key(document)) {
    throw InputError(
        fmt::format("{}: {}: a key stands there twice", origin, path_to(*object, document)),
        "leave one of them");
  }
  return document;
}

}  // namespace labreport
