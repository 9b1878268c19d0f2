#include "document/comparison/diff_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/format.h"
#include "base/statistics.h"
#include "base/text.h"

namespace labreport {
namespace {

std::vector<double> ratios_of(const std::vector<const ComparedRow*>& rows) {
  std::vector<double> ratios;
  for (const ComparedRow* row : rows) {
    if (row->ratio) ratios.push_back(*row->ratio);
  }
  return ratios;
}

std::vector<const ComparedRow*> steps_of(const Comparison& comparison) {
  std::vector<const ComparedRow*> rows;
  for (const ComparedRow& row : comparison.rows) {
    if (row.measure == Measure::kStep) rows.push_back(&row);
  }
  return rows;
}

std::string verdict_words(const std::vector<const ComparedRow*>& rows) {
  std::vector<std::string> parts;
  for (const auto verdict :
       {Verdict::kFaster, Verdict::kSlower, Verdict::kSame, Verdict::kUnclear}) {
    const auto count = std::ranges::count_if(rows, [&](const ComparedRow* row) {
      return row->judged && row->judged->verdict == verdict;
    });
    if (count > 0) parts.push_back(fmt::format("{} {}", count, name(verdict)));
  }
  return parts.empty() ? "" : " Verdicts on B: " + join_words(parts) + ".";
}

std::string ratio_words(const std::vector<double>& ratios) {
  if (ratios.size() == 1) return fmt::format("One row: B ÷ A is {}.", format_ratio(ratios[0]));
  const auto less = std::ranges::count_if(ratios, [](double ratio) { return ratio < 1; });
  const auto [low, high] = std::ranges::minmax(ratios);
  return fmt::format(
      "B needs less than A in {} of {} rows; the median ratio is {} ×, the least {} ×, the largest "
      "{} ×.",
      less, ratios.size(), format_ratio(median(ratios)), format_ratio(low), format_ratio(high));
}

/// Why there are ratios and no verdicts, or what the verdicts rest on.
std::string relation_words(const Comparison& comparison) {
  const std::string reasons = join(comparison.related.reasons, "; ");
  switch (comparison.related.relation) {
    case Relation::kSameMachine:
      return "Same machine: " + comparison.related.agreement +
             " are equal. Rows with at least three launches a side get a verdict.";
    case Relation::kSameProcessor:
      return "Same processor model: ratios, no verdicts (" + reasons + ").";
    case Relation::kSameModel:
      return "Same model, different machine: ratios, no verdicts (" + reasons + ").";
    case Relation::kDifferentHardware:
      return "Different hardware: ratios beside what the measured limits predict, no verdicts.";
    case Relation::kImported:
      break;
  }
  return "Imported numbers: ratios, no verdicts (" + reasons + ").";
}

bool any_by_floor(const Comparison& comparison) {
  return std::ranges::any_of(comparison.rows, &ComparedRow::interval_by_floor);
}

}  // namespace

std::vector<std::string> notices_of(const Comparison& comparison) {
  std::vector<std::string> notices{relation_words(comparison)};
  for (const std::string& mismatch : comparison.mismatches) {
    notices.push_back("Allowed mismatch: " + mismatch + ". Ratios compare different work.");
  }
  if (comparison.a.edition != comparison.b.edition) {
    notices.push_back("Different editions: " + comparison.a.edition + " against " +
                      comparison.b.edition + "; networks match by their hyper-parameters.");
  }
  return notices;
}

std::vector<KeyNumber> key_numbers_of(const Comparison& comparison) {
  std::vector<KeyNumber> key_numbers{
      {"cells match", format_count(static_cast<std::int64_t>(comparison.matched)), "sides"}};
  const std::vector<double> ratios = ratios_of(steps_of(comparison));
  if (!ratios.empty()) {
    key_numbers.push_back(
        {"median B ÷ A of whole steps", format_ratio(median(ratios)) + " ×", "sides"});
    const auto [low, high] = std::ranges::minmax(ratios);
    key_numbers.push_back({"least and largest of them",
                           format_ratio(low) + " and " + format_ratio(high) + " ×", "sides"});
  }
  if (comparison.related.relation != Relation::kSameMachine) return key_numbers;
  key_numbers.push_back(
      {"faster, slower, same, unclear",
       fmt::format("{}, {}, {}, {}", comparison.count(Verdict::kFaster),
                   comparison.count(Verdict::kSlower), comparison.count(Verdict::kSame),
                   comparison.count(Verdict::kUnclear)),
       "method"});
  return key_numbers;
}

std::string part_words(const DiffRows& rows, Relation relation) {
  std::vector<const ComparedRow*> plain;
  for (const NumberedRow& row : rows) plain.push_back(row.row);
  const std::vector<double> ratios = ratios_of(plain);
  if (ratios.empty()) return "No row has a value on both sides.";
  std::string text = ratio_words(ratios);
  if (relation == Relation::kSameMachine) text += verdict_words(plain);
  const auto departing = std::ranges::count_if(
      plain, [](const ComparedRow* row) { return row->prediction.departure.has_value(); });
  if (departing > 0) {
    text += fmt::format(
        " {} from what peak and bandwidth predict.",
        departing == 1 ? std::string("1 row departs") : fmt::format("{} rows depart", departing));
  }
  return text;
}

std::string unrecorded_words(const std::vector<const ComparedRow*>& rows) {
  std::string text;
  for (const auto& [who, side] :
       {std::pair{"A", &ComparedRow::a}, std::pair{"B", &ComparedRow::b}}) {
    const auto count = std::ranges::count_if(
        rows, [side](const ComparedRow* row) { return (row->*side).unrecorded; });
    if (count > 0) {
      text += fmt::format(" {} that the other run has {} not in {}.",
                          format_plural(count, "number"), count == 1 ? "is" : "are", who);
    }
  }
  return text;
}

std::string method_of(const Comparison& comparison) {
  const Relation relation = comparison.related.relation;
  std::string text =
      "A launch is one process and counts once: by the median of its counted steps. A side’s value "
      "is the geometric mean of its launches, a ratio is B’s value over A’s. Below 1 B needs less "
      "time or memory. The 95 % interval is Welch’s, on the logarithms of launch medians; with "
      "fewer than two launches a side it is unknown and not shown, unless a noise floor is.\n";
  if (any_by_floor(comparison)) {
    text +=
        "\n† Fewer than two launches a side: the interval assumes that they vary as launches of "
        "the "
        "run’s other cells did, by the noise floor that the run keeps. Where the interval holds 1, "
        "the difference may be chance.\n";
  }
  if (relation == Relation::kDifferentHardware) {
    text +=
        "\n“By peak” is A’s measured matrix rate in the row’s precision over B’s, “by bandwidth” "
        "the same for copies. A time that either sets lies at one of them, a mixture between; a "
        "remark says by how much a ratio lies outside both, if by more than a tenth. Shares are of "
        "each run’s own measured limits: of the matrix rate, for the optimizer of the bandwidth "
        "(28 bytes a parameter at least).\n";
  }
  if (relation == Relation::kSameMachine) {
    text +=
        "\nVerdicts: Welch’s t with Holm’s correction over all rows at 5 %, and a smallest effect "
        "of interest of 1 %. “Detectable” is the change that would have been found with 90 % "
        "power. "
        "Rows flagged as slowed down or shared are unclear.\n";
  }
  return text;
}

}  // namespace labreport
