// What answers of one profile and of several have in common.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "document/facts.h"

namespace labreport::nsys_profile {

/// Of a single row the sentences whose condition holds, and `profiles`, a list of every row's
/// values.
template <typename Row>
struct Situation {
  const char* name;
  std::function<bool(const Row&)> holds;
};
template <typename Row>
void set_situations(Facts& facts, const std::vector<Row>& rows, Facts (*values)(const Row&),
                    const std::vector<Situation<Row>>& situations) {
  std::vector<Facts> list;
  for (const Row& row : rows) list.push_back(values(row));
  for (const auto& [name, holds] : situations) {
    const bool held = rows.size() == 1 && holds(rows.front());
    facts.when(name, held ? std::optional(list.front()) : std::nullopt);
  }
  facts.list("profiles", std::move(list));
}

/// The ends of a value over several rows, which have `words`: `low`, `low_words`, `high`,
/// `high_words` behind the prefix, and `count`.
template <typename Row>
struct RangeOf {
  std::string prefix;
  std::function<double(const Row&)> value;
  Notation notation = {};
};
template <typename Row>
Facts ranges(const std::vector<Row>& rows, const std::vector<RangeOf<Row>>& wanted) {
  Facts facts;
  facts.set("count", rows.size(), {Notation::kCount});
  for (const auto& [prefix, value, notation] : wanted) {
    const auto [low, high] = std::ranges::minmax(rows, {}, value);
    facts.set(prefix + "low", value(low), notation);
    facts.set(prefix + "low_words", low.words);
    facts.set(prefix + "high", value(high), notation);
    facts.set(prefix + "high_words", high.words);
  }
  return facts;
}

/// The words of those rows that `wanted` wants.
template <typename Row>
std::vector<std::string> words_of(const std::vector<Row>& rows,
                                  const std::function<bool(const Row&)>& wanted) {
  std::vector<std::string> words;
  for (const Row& row : rows) {
    if (wanted(row)) words.push_back(row.words);
  }
  return words;
}

}  // namespace labreport::nsys_profile
