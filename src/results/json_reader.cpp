#include "results/json_reader.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace labreport {
namespace {

constexpr std::size_t kQuotedLength = 40;

nlohmann::json scalar(const JsonValue& value) {
  if (value.IsString()) return view(value);
  if (value.IsBool()) return value.GetBool();
  if (value.IsUint64()) return value.GetUint64();
  if (value.IsInt64()) return value.GetInt64();
  return value.IsNumber() ? nlohmann::json(value.GetDouble()) : nlohmann::json();
}

}  // namespace

const JsonValue* JsonReader::find(std::string_view key) const {
  if (!value_.IsObject()) expected("an object");
  for (const auto& member : value_.GetObject()) {
    if (view(member.name) == key) return &member.value;
  }
  return nullptr;
}

JsonReader JsonReader::at(std::string_view key) const {
  const JsonValue* found = find(key);
  if (found == nullptr) complain(fmt::format("the key '{}' is missing", key));
  return {*found, root_};
}

std::optional<JsonReader> JsonReader::maybe(std::string_view key) const {
  const JsonValue* found = find(key);
  if (found == nullptr || found->IsNull()) return std::nullopt;
  return JsonReader(*found, root_);
}

std::size_t JsonReader::count(std::size_t most) const {
  if (!value_.IsArray()) expected("an array");
  if (value_.Size() > most) {
    complain(fmt::format("a list of {} items, and {} are the most", value_.Size(), most));
  }
  return value_.Size();
}

void JsonReader::each(const std::function<void(const JsonReader&)>& visit, std::size_t most) const {
  count(most);
  for (const JsonValue& element : value_.GetArray()) visit({element, root_});
}

void JsonReader::each_member(
    const std::function<void(const std::string&, const JsonReader&)>& visit) const {
  if (!value_.IsObject()) expected("an object");
  if (value_.MemberCount() > kMostItems) {
    complain(fmt::format("{} keys, and {} are the most", value_.MemberCount(), kMostItems));
  }
  for (const auto& member : value_.GetObject()) {
    if (member.name.GetStringLength() > kMostLabel) complain("a key is too long");
    visit(std::string(view(member.name)), {member.value, root_});
  }
}

std::string JsonReader::text(std::size_t most) const {
  if (!value_.IsString()) expected("a string");
  if (value_.GetStringLength() > most) {
    complain(
        fmt::format("a text of {} bytes, and {} are the most", value_.GetStringLength(), most));
  }
  return std::string(view(value_));
}

std::int64_t JsonReader::integer() const {
  if (!is_integer(value_)) expected("an integer");
  if (!value_.IsInt64() || value_.GetInt64() > kMostInteger || value_.GetInt64() < -kMostInteger) {
    expected("an integer of at most 10^16");
  }
  return value_.GetInt64();
}

double JsonReader::real() const {
  if (!value_.IsNumber()) expected("a number");
  if (std::abs(value_.GetDouble()) > kMostReal) expected("a number of at most 10^18");
  return value_.GetDouble();
}

bool JsonReader::boolean() const {
  if (!value_.IsBool()) expected("true or false");
  return value_.GetBool();
}

void JsonReader::expected(const std::string& what) const {
  complain(fmt::format("expected {}, found {}", what, described()));
}

void JsonReader::complain(const std::string& problem) const {
  throw InputError(
      fmt::format("{}: {}: {}", root_->second, path_to(value_, root_->first), problem));
}

std::string JsonReader::described() const {
  if (value_.IsArray()) return "an array";
  if (value_.IsObject()) return "an object";
  std::string text = scalar(value_).dump(-1, ' ', true);
  if (text.size() > kQuotedLength) text = text.substr(0, kQuotedLength) + "…";
  return text;
}

}  // namespace labreport
