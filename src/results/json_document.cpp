#include "results/json_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/error.h"

namespace labreport {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Without recursion, so that no nesting is too deep; every number to its last bit.
constexpr unsigned kStrictly = rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag |
                               rapidjson::kParseValidateEncodingFlag;

[[noreturn]] void refuse(std::string_view text, std::size_t offset, const std::string& origin) {
  const auto line = 1 + std::ranges::count(text.substr(0, offset), '\n');
  const bool truncated = offset >= text.size();
  throw InputError(
      fmt::format("{}: line {}: {}", origin, line,
                  truncated ? "the file ends in the middle of the document" : "this is not JSON"),
      truncated ? "it was cut short: copy it again" : "check the file");
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
  if (document.HasParseError()) refuse(text, document.GetErrorOffset(), origin);
  if (zero != std::string_view::npos) refuse(text, zero, origin);
  if (const JsonValue* object = object_with_repeated_key(document)) {
    throw InputError(
        fmt::format("{}: {}: a key stands there twice", origin, path_to(*object, document)),
        "leave one of them");
  }
  return document;
}

}  // namespace labreport
