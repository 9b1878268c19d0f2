// What answers of one profile and of several have in common.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "document/facts.h"
#include "experiments/common/change.h"
#include "experiments/nsys_profile/profile.h"

namespace labreport::nsys_profile {

/// The row of the profile that the answer speaks of; null: none. Rows have their profile's `words`.
template <typename Row>
const Row* foremost_of(const Profiles& profiles, const std::vector<Row>& rows) {
  const std::string words = profiles.foremost == nullptr ? "" : profiles.foremost->words;
  const auto row = std::ranges::find(rows, words, &Row::words);
  return row == rows.end() ? nullptr : &*row;
}

/// The values of a row, in each situation that holds for it.
template <typename Row>
struct Situation {
  const char* name;
  std::function<bool(const Row&)> holds;
};
template <typename Row>
void set_situations(Facts& facts, const Row* row, Facts (*values)(const Row&),
                    const std::vector<Situation<Row>>& situations) {
  for (const auto& [name, holds] : situations) {
    facts.when(name, row != nullptr && holds(*row), row == nullptr ? Facts() : values(*row));
  }
}

/// A value over several rows: "30.4 to 64.5 %", or one number where the ends are written alike.
template <typename Row>
struct RangeOf {
  std::string name;
  std::function<double(const Row&)> value;
  Notation notation;
};

/// The ranges by name, and the rows' `count`; nothing of a single row.
template <typename Row>
std::optional<Facts> ranges(const std::vector<Row>& rows, const std::vector<RangeOf<Row>>& wanted) {
  if (rows.size() < 2) return std::nullopt;
  Facts facts;
  facts.set("count", rows.size(), {Notation::kCount});
  for (const RangeOf<Row>& of : wanted) {
    const auto [low, high] = std::ranges::minmax(rows, {}, of.value);
    facts.set(of.name, from_to(format_value(of.value(low), of.notation),
                               format_value(of.value(high), of.notation)));
  }
  return facts;
}

}  // namespace labreport::nsys_profile
