#include "results/json_reader.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

namespace labreport {
namespace {

constexpr std::size_t kQuotedLength = 40;

/// Past the end where the text is no index.
std::size_t index_of(const std::string& text) {
  std::size_t index = std::string::npos;
  std::from_chars(text.data(), text.data() + text.size(), index);
  return index;
}

}  // namespace

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

JsonReader JsonReader::follow(std::span<const std::string> steps) const {
  if (steps.empty()) return *this;
  const JsonValue* next = value_->is_object() ? find(steps.front()) : nullptr;
  if (value_->is_array() && index_of(steps.front()) < value_->size()) {
    next = &(*value_)[index_of(steps.front())];
  }
  return next == nullptr ? *this : JsonReader(*next, *document_).follow(steps.subspan(1));
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
  std::string text = value_->dump(-1, ' ', true);
  if (text.size() > kQuotedLength) text = text.substr(0, kQuotedLength) + "…";
  return text;
}

}  // namespace labreport
