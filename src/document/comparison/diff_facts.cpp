#include "document/comparison/diff_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/format.h"
#include "base/statistics.h"
#include "base/text.h"
#include "embedded/document.h"

namespace labreport {

std::string cell_label(const CellSpec& spec, const std::string& size) {
  std::vector<std::string> words;
  words.push_back(!size.empty() ? size
                  : spec.model  ? fmt::format("d_model {}", spec.model->d_model)
                                : replaced(std::string(name(spec.kind)), "_", "-"));
  if (spec.context) words.push_back("context " + format_count(*spec.context));
  if (spec.precision && spec.precision != Precision::kFp32) {
    words.emplace_back(describe(*spec.precision));
  }
  if (spec.mode) words.emplace_back(describe(*spec.mode));
  if (spec.ranks) {
    words.push_back(
        fmt::format("{} ranks over {}", spec.ranks->count, describe(spec.ranks->collectives)));
  }
  if (spec.scheme) words.emplace_back(describe(*spec.scheme));
  if (spec.sharding) words.emplace_back(describe(*spec.sharding));
  if (spec.bucket) words.push_back(format_count(*spec.bucket) + " B");
  return join(words, ", ");
}

std::string departure_words(double departure) {
  const std::string percent = format_fixed(std::abs(departure - 1) * 100, 0);
  return percent + (departure > 1 ? " % more time" : " % less time");
}

std::string model_name(const ComparedRun& side) {
  return side.model.empty() ? "labreport’s network" : side.model;
}

SideNames names_of(const Comparison& comparison) {
  constexpr std::size_t kLongest = 40;  // of what a sentence can carry
  const auto is_name = [](const std::string& name) {
    return !name.empty() && name.size() <= kLongest;
  };
  const std::string& a = comparison.a.device;
  const std::string& b = comparison.b.device;
  const bool two_models = comparison.of_two_models();
  if (two_models && a == b) return {model_name(comparison.a), model_name(comparison.b)};
  if (two_models || a == b || !is_name(a) || !is_name(b)) return {};
  return {"the " + replaced(a, "NVIDIA ", ""), "the " + replaced(b, "NVIDIA ", "")};
}

std::string at_start(const std::string& name) {
  return name.starts_with("the ") ? "T" + name.substr(1) : name;
}

namespace {

using Ratios = std::vector<double>;

/// Smaller changes of a median are not called faster or slower: the smallest effect of a verdict.
bool is_equal(double ratio) {
  return std::abs(std::log(ratio)) < std::log1p(JudgeOptions().smallest_effect);
}

Ratios ratios_of(const std::vector<DiffRow>& rows) {
  Ratios ratios;
  for (const DiffRow& row : rows) {
    if (row.row->ratio) ratios.push_back(*row.row->ratio);
  }
  return ratios;
}

Ratios inverted(Ratios ratios) {
  for (double& ratio : ratios) ratio = 1 / ratio;
  return ratios;
}

/// One situation: the median of `ratios`, of `first` against `second`.
Facts median_facts(const Ratios& ratios, const std::string& first, const std::string& second,
                   const RowNoun& noun) {
  Facts facts;
  facts.set("first", at_start(first));
  facts.set("second", second);
  facts.set("median", format_ratio(median(ratios)));
  facts.set("one", noun.one);
  facts.set("many", noun.many);
  facts.set("count", format_count(static_cast<std::int64_t>(ratios.size())));
  const auto [low, high] = std::ranges::minmax(ratios);
  facts.set("low", format_ratio(low));
  facts.set("high", format_ratio(high));
  return facts;
}

/// Of section.md: who is ahead by how much, in the only row or in the median of some.
constexpr const char* kSituations[]{"one_faster",      "some_faster",      "one_equal",
                                    "some_equal",      "one_memory",       "some_memory",
                                    "one_same_memory", "some_same_memory", "all_same_memory"};

/// The one of section.md's situations that holds, and its values; none where there is no ratio.
std::pair<std::string, Facts> situation(const std::vector<DiffRow>& rows, const std::string& a,
                                        const std::string& b, const RowNoun& noun) {
  const Ratios ratios = ratios_of(rows);
  if (ratios.empty()) return {};
  const double middle = median(ratios);
  const std::string of = ratios.size() == 1 ? "one_" : "some_";
  if (rows.front().in_bytes()) {
    if (ratios.size() > 1 && std::ranges::all_of(ratios, is_equal))
      return {"all_same_memory", median_facts(ratios, b, a, noun)};
    return {of + (is_equal(middle) ? "same_memory" : "memory"), median_facts(ratios, b, a, noun)};
  }
  if (is_equal(middle)) return {of + "equal", median_facts(inverted(ratios), b, a, noun)};
  return {of + "faster", middle < 1 ? median_facts(inverted(ratios), b, a, noun)
                                    : median_facts(ratios, a, b, noun)};
}

/// "large, context 512, forward (11 % less time)": the first few.
std::string departing_words(const std::vector<DiffRow>& rows) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> words;
  for (const DiffRow& row : rows) {
    const auto& departure = row.row->prediction.departure;
    if (!departure) continue;
    const bool whole = row.row->measure == Measure::kStep;
    words.push_back(fmt::format("{} ({}{})", cell_label(row.row->spec, row.row->size),
                                whole ? "" : describe(row.row->measure) + ": ",
                                departure_words(*departure)));
  }
  if (words.size() <= kNamed) return join(words, "; ");
  const std::size_t more = words.size() - kNamed;
  words.resize(kNamed);
  return join(words, "; ") + fmt::format("; and {} more", more);
}

std::vector<Facts> unrecorded(const std::vector<const ComparedRow*>& rows) {
  std::vector<Facts> sides;
  for (const auto& [who, side] :
       {std::pair{"A", &ComparedRow::a}, std::pair{"B", &ComparedRow::b}}) {
    const auto count = std::ranges::count_if(
        rows, [side](const ComparedRow* row) { return (row->*side).unrecorded; });
    if (count == 0) continue;
    Facts& facts = sides.emplace_back();
    facts.set("numbers", format_plural(count, "number"));
    facts.set("is", count == 1 ? "is" : "are");
    facts.set("side", who);
  }
  return sides;
}

bool any_judged(const Comparison& comparison) {
  return std::ranges::any_of(comparison.rows, is_judged);
}

std::string same_machine_words(const Comparison& comparison) {
  const std::string equal = "Same machine: " + comparison.related.agreement + " are equal. ";
  if (any_judged(comparison)) {
    return equal + "Rows with at least three launches a side get a verdict.";
  }
  return equal + (comparison.mismatches.empty()
                      ? "Ratios, no verdicts: too few launches, three a side are needed."
                      : "Ratios, no verdicts.");
}

/// Why there are ratios and no verdicts, or what the verdicts rest on.
std::string why_verdicts(const Comparison& comparison) {
  const std::string reasons = join(comparison.related.reasons, "; ");
  switch (comparison.related.relation) {
    case Relation::kSameMachine:
      return same_machine_words(comparison);
    case Relation::kSameProcessor:
      return "Same CPU model: ratios, no verdicts (" + reasons + ").";
    case Relation::kSameModel:
      return "Same model, different machine: ratios, no verdicts (" + reasons + ").";
    case Relation::kDifferentHardware:
      return "Different hardware: ratios beside what the measured limits predict, no verdicts.";
    case Relation::kImported:
      break;
  }
  return "Imported numbers: ratios, no verdicts (" + reasons + ").";
}

/// What changed between two revisions is part of every ratio. An import's is none of its numbers'.
std::string revision_words(const ComparedRun& a, const ComparedRun& b) {
  constexpr std::size_t kShort = 8;
  const bool known = !a.revision.empty() && !b.revision.empty();
  if (!known || a.revision == b.revision || a.source != b.source) return "";
  return fmt::format(" Measured by different revisions of labreport: {} vs. {}.",
                     a.revision.substr(0, kShort), b.revision.substr(0, kShort));
}

}  // namespace

std::string verdict_words(const std::vector<DiffRow>& rows) {
  std::vector<std::string> parts;
  for (const auto verdict :
       {Verdict::kFaster, Verdict::kSlower, Verdict::kSame, Verdict::kUnclear}) {
    const auto count = std::ranges::count_if(rows, [&](const DiffRow& row) {
      return is_judged(*row.row) && row.row->judged->verdict == verdict;
    });
    if (count > 0) parts.push_back(fmt::format("{} {}", count, name(verdict)));
  }
  return join_words(parts);
}

Facts facts_of(const std::vector<DiffRow>& rows, const std::vector<const ComparedRow*>& all,
               const Comparison& comparison, const RowNoun& noun) {
  const auto [a, b] = names_of(comparison);
  const auto [holds, values] = situation(rows, a, b, noun);
  Facts facts;
  facts.flag("none", holds.empty());
  for (const std::string name : kSituations) {
    facts.when(name, name == holds ? std::optional(values) : std::nullopt);
  }
  const std::string verdicts = verdict_words(rows);
  facts.when("verdicts", !verdicts.empty(), "counts", verdicts);
  const std::string departing = departing_words(rows);
  facts.when("departing", !departing.empty(), "rows", departing);
  facts.list("unrecorded", unrecorded(all));
  facts.set("name_b", at_start(b));
  facts.flag("intervals", std::ranges::any_of(rows, [](const DiffRow& row) {
               return row.row->interval.has_value();
             }));
  facts.flag("of_memory", !rows.empty() && rows.front().in_bytes());
  return facts;
}

std::string relation_words(const Comparison& comparison) {
  std::string words = why_verdicts(comparison) + revision_words(comparison.a, comparison.b);
  for (const std::string& mismatch : comparison.mismatches) {
    words += " Allowed mismatch: " + mismatch + ". Ratios compare different work.";
  }
  if (comparison.a.edition != comparison.b.edition) {
    words += " Different editions: " + comparison.a.edition + " vs. " + comparison.b.edition +
             "; networks match by their hyper-parameters.";
  }
  return words;
}

std::string method_of(const Comparison& comparison) {
  constexpr const char* kWords = "src/document/comparison/method.md";
  Facts facts;
  facts.flag("different", comparison.related.relation == Relation::kDifferentHardware);
  facts.flag("places", !place_facts(comparison).empty());
  facts.flag("judged", any_judged(comparison));
  return render_words(embedded::document().at(kWords), facts, kWords);
}

}  // namespace labreport
