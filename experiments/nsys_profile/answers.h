// What answers of one profile and of several have in common.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "document/facts.h"
#include "experiments/nsys_profile/profile.h"

namespace labreport::nsys_profile {

/// Of the row of the profile that the answer speaks of, the sentences whose condition holds; and
/// `profiles`, a list of every row's values. Rows have the `words` of their profile.
template <typename Row>
struct Situation {
  const char* name;
  std::function<bool(const Row&)> holds;
};
template <typename Row>
void set_situations(Facts& facts, const Profiles& profiles, const std::vector<Row>& rows,
                    Facts (*values)(const Row&), const std::vector<Situation<Row>>& situations) {
  std::vector<Facts> list;
  for (const Row& row : rows) list.push_back(values(row));
  const std::string words = profiles.foremost == nullptr ? "" : profiles.foremost->words;
  const auto row = std::ranges::find(rows, words, &Row::words);
  for (const auto& [name, holds] : situations) {
    const bool held = row != rows.end() && holds(*row);
    facts.when(name, held ? std::optional(values(*row)) : std::nullopt);
  }
  facts.list("profiles", std::move(list));
}

/// A value over several rows, from the least to the most: "30.4 % (small at context 2,048) to
/// 64.5 % (xl at context 512)", or one number where the ends are written alike.
template <typename Row>
struct RangeOf {
  std::string name;
  std::function<double(const Row&)> value;
  Notation notation;
  std::string unit;
};
template <typename Row>
std::string range_words(const std::vector<Row>& rows, const RangeOf<Row>& of) {
  const auto [low, high] = std::ranges::minmax(rows, {}, of.value);
  const auto end = [&](const Row& row) {
    return format_value(of.value(row), of.notation) + " " + of.unit;
  };
  if (end(low) == end(high)) return end(low);
  return end(low) + " (" + low.words + ") to " + end(high) + " (" + high.words + ")";
}

/// The ranges by name, and the rows' `count`; nothing of a single row.
template <typename Row>
std::optional<Facts> ranges(const std::vector<Row>& rows, const std::vector<RangeOf<Row>>& wanted) {
  if (rows.size() < 2) return std::nullopt;
  Facts facts;
  facts.set("count", rows.size(), {Notation::kCount});
  for (const RangeOf<Row>& of : wanted) facts.set(of.name, range_words(rows, of));
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
