#include "results/request.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "results/run_json_keys.h"

namespace labreport {
namespace {

/// Keys of run.json are flag names: "separate_warmups" → "--separate-warmups".
std::string flag_of(const char* key) { return "--" + replaced(key, "_", "-"); }

std::vector<std::string> values_of(const std::optional<std::string>& text) { return {*text}; }
std::vector<std::string> values_of(const std::vector<std::string>& texts) { return texts; }
std::vector<std::string> values_of(bool /*given*/) { return {}; }

}  // namespace

std::vector<std::string> GivenFlag::words() const {
  if (values.empty()) return {name};
  std::vector<std::string> words;
  for (const std::string& value : values) words.insert(words.end(), {name, value});
  return words;
}

std::vector<GivenFlag> given_flags(const Request& request) {
  std::vector<GivenFlag> given;
  const auto add = [&](const auto& member) {
    const auto& value = request.*member.pointer;
    if (!is_empty(value)) given.push_back({flag_of(member.key), values_of(value)});
  };
  std::apply([&](const auto&... member) { (add(member), ...); }, kMembers<Request>);
  return given;
}

std::vector<std::string> words_of(const Request& request) {
  std::vector<std::string> words;
  for (const GivenFlag& flag : given_flags(request)) {
    std::ranges::copy(flag.words(), std::back_inserter(words));
  }
  return words;
}

Request with_flag(Request request, const std::string& name, const Request& other) {
  const auto copy_if_named = [&](const auto& member) {
    if (flag_of(member.key) == name) request.*member.pointer = other.*member.pointer;
  };
  std::apply([&](const auto&... member) { (copy_if_named(member), ...); }, kMembers<Request>);
  return request;
}

}  // namespace labreport
