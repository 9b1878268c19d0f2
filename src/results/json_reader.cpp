#include "results/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace labreport {
namespace {

constexpr std::size_t kQuotedLength = 40;

}  // namespace

Json parse_json(std::string_view text, const std::string& origin) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const auto begin = text.substr(0, std::min<std::size_t>(error.byte, text.size()));
    const auto line = 1 + std::count(begin.begin(), begin.end(), '\n');
    const bool truncated = error.byte > text.size();
    throw InputError(
        fmt::format("{}: line {}: {}", origin, line,
                    truncated ? "the file ends in the middle of the document" : "this is not JSON"),
        truncated ? "it was cut short: copy it again" : "check the file");
  }
}

JsonReader JsonReader::child(const Json& value, const std::string& step) const {
  return {value, origin_,
          path_.empty() || step.starts_with('[') ? path_ + step : path_ + "." + step};
}

JsonReader JsonReader::at(const std::string& key) const {
  if (!value_.is_object()) expected("an object");
  const auto found = value_.find(key);
  if (found == value_.end()) complain(fmt::format("the key '{}' is missing", key));
  return child(*found, key);
}

std::optional<JsonReader> JsonReader::maybe(const std::string& key) const {
  if (!value_.is_object()) expected("an object");
  const auto found = value_.find(key);
  if (found == value_.end() || found->is_null()) return std::nullopt;
  return child(*found, key);
}

void JsonReader::each(const std::function<void(const JsonReader&)>& visit) const {
  if (!value_.is_array()) expected("an array");
  for (std::size_t i = 0; i < value_.size(); ++i) visit(child(value_[i], fmt::format("[{}]", i)));
}

void JsonReader::each_member(
    const std::function<void(const std::string&, const JsonReader&)>& visit) const {
  if (!value_.is_object()) expected("an object");
  for (const auto& [key, member] : value_.items()) visit(key, child(member, key));
}

std::string JsonReader::text() const {
  if (!value_.is_string()) expected("a string");
  return value_.get<std::string>();
}

std::int64_t JsonReader::integer() const {
  if (!value_.is_number_integer()) expected("an integer");
  if (value_.is_number_unsigned() && value_.get<std::uint64_t>() > INT64_MAX) {
    expected("an integer below 2^63");
  }
  return value_.get<std::int64_t>();
}

double JsonReader::real() const {
  if (!value_.is_number()) expected("a number");
  return value_.get<double>();
}

bool JsonReader::boolean() const {
  if (!value_.is_boolean()) expected("true or false");
  return value_.get<bool>();
}

void JsonReader::expected(const std::string& what) const {
  complain(fmt::format("expected {}, found {}", what, described()));
}

void JsonReader::complain(const std::string& problem) const {
  throw InputError(
      fmt::format("{}: {}: {}", origin_, path_.empty() ? "the document" : path_, problem));
}

std::string JsonReader::described() const {
  if (value_.is_structured()) return value_.is_array() ? "an array" : "an object";
  std::string text = value_.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > kQuotedLength) text = text.substr(0, kQuotedLength) + "…";
  return text;
}

}  // namespace labreport
