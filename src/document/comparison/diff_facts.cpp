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
  if (spec.bucket_bytes) words.push_back(format_count(*spec.bucket_bytes) + " B");
  return join(words, ", ");
}

std::string time_change_words(double ratio) {
  const std::string percent = format_fixed(std::abs(ratio - 1) * 100, 0);
  return percent + (ratio > 1 ? " % more time" : " % less time");
}

std::string model_name(const ComparedRun& side) {
  return side.implementation.empty() ? "labreport’s network" : side.implementation;
}

namespace {

constexpr std::size_t kMaxDeviceName = 40;  // More characters do not fit a sentence.

std::string short_device(const std::string& device) {
  const std::string name = replaced(device, "NVIDIA ", "");
  return name.substr(0, name.find(' '));
}

/// Names the two runs of one device by edition, day or minute. The names are empty if none differs.
std::pair<std::string, std::string> run_labels(const ComparedRun& a, const ComparedRun& b) {
  constexpr std::size_t kDateLength = std::string_view("2026-05-01").size();
  constexpr std::size_t kMinuteLength = std::string_view("2026-05-01T12:34").size();
  if (a.edition != b.edition) return {a.edition, b.edition};
  for (const std::size_t length : {kDateLength, kMinuteLength}) {
    const std::string first = a.started_at.substr(0, length),
                      second = b.started_at.substr(0, length);
    if (!first.empty() && !second.empty() && first != second)
      return {replaced(first, "T", " "), replaced(second, "T", " ")};
  }
  return {};
}

}  // namespace

SideNames side_names(const Comparison& comparison) {
  const ComparedRun &a = comparison.a, &b = comparison.b;
  const bool one_device = a.device == b.device;
  if (comparison.has_two_implementations()) {
    if (!one_device) return {};
    const auto short_model_name = [](const ComparedRun& side) {
      return side.implementation.empty()
                 ? "labreport"
                 : side.implementation.substr(0, side.implementation.rfind('-'));
    };
    const bool are_distinct = short_model_name(a) != short_model_name(b);
    return {model_name(a), model_name(b), are_distinct ? short_model_name(a) : model_name(a),
            are_distinct ? short_model_name(b) : model_name(b)};
  }
  if (one_device) {
    const auto [first, second] = run_labels(a, b);
    if (first.empty()) return {};
    const char* suffix = a.edition != b.edition ? " edition’s run" : "";
    const std::string prefix = a.edition != b.edition ? "the " : "the run of ";
    return {prefix + first + suffix, prefix + second + suffix, first, second};
  }
  if (a.device.empty() || b.device.empty() || a.device.size() > kMaxDeviceName ||
      b.device.size() > kMaxDeviceName) {
    return {};
  }
  std::string first = short_device(a.device), second = short_device(b.device);
  if (first == second) {
    first = replaced(a.device, "NVIDIA ", "");
    second = replaced(b.device, "NVIDIA ", "");
  }
  return {"the " + first, "the " + second, first, second};
}

std::string with_capital_the(const std::string& name) {
  return name.starts_with("the ") ? "T" + name.substr(1) : name;
}

namespace {

/// The situations of section.md. The median of the rows' ratios decides which one holds.
constexpr const char* kSituations[]{"faster", "equal", "memory", "same_memory"};

/// Sets the situation that holds; none if no row has a ratio. Launch-bound steps count only if
/// there are no other rows with a ratio.
void set_situation(Facts& facts, const std::vector<DiffRow>& rows, const SideNames& names,
                   const SideRuns& runs, const RowNoun& noun) {
  std::vector<double> all_ratios, ratios;
  for (const DiffRow& row : rows) {
    if (!row.compared->ratio) continue;
    all_ratios.push_back(*row.compared->ratio);
    if (!is_launch_bound(runs, row.compared->spec)) ratios.push_back(*row.compared->ratio);
  }
  const bool some_left_out = !ratios.empty() && ratios.size() < all_ratios.size();
  if (ratios.empty()) ratios = all_ratios;
  facts.flag("none", ratios.empty());
  const double median_ratio = ratios.empty() ? 1 : median(ratios);
  // If the median is nearer to 1 than the smallest effect of a verdict, the sides count as equal.
  const bool is_equal =
      std::abs(std::log(median_ratio)) < std::log1p(JudgeOptions().smallest_effect);
  const bool in_bytes = !rows.empty() && rows.front().is_in_bytes();
  const std::string chosen = ratios.empty() ? ""
                             : in_bytes     ? (is_equal ? "same_memory" : "memory")
                                            : (is_equal ? "equal" : "faster");
  const bool b_first = in_bytes || median_ratio < 1;
  const Facts values =
      Facts()
          .set("first", with_capital_the(b_first ? names.b : names.a))
          .set("second", b_first ? names.a : names.b)
          .set("median",
               format_ratio(in_bytes ? median_ratio : std::max(median_ratio, 1 / median_ratio)))
          .set("rows", describe_median(static_cast<std::int64_t>(ratios.size()), noun) +
                           (some_left_out ? " that are not launch-bound" : ""));
  for (const std::string name : kSituations) facts.when(name, name == chosen, values);
}

/// Counts for each side the numbers that it did not record.
std::vector<Facts> unrecorded_facts(const std::vector<const ComparedRow*>& rows,
                                    const SideNames& names) {
  std::vector<Facts> sides;
  for (const auto& [who, side] :
       {std::pair{names.a, &ComparedRow::a}, std::pair{names.b, &ComparedRow::b}}) {
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

bool has_verdicts(const Comparison& comparison) {
  return std::ranges::any_of(comparison.rows, is_judged);
}

/// Says which machines ran, and why that allows verdicts or only ratios.
std::string machine_words(const Comparison& comparison) {
  const SideNames names = side_names(comparison);
  std::string reasons = join(comparison.machines.reasons, "; ");
  for (const auto& [subject, name] : {std::pair{"A is", names.a}, std::pair{"B is", names.b}})
    reasons = replaced(reasons, subject, name + " is");
  switch (comparison.machines.relation) {
    case Relation::kSameMachine:
      return "Same machine: " + comparison.machines.equal_facts + " are equal. " +
             (has_verdicts(comparison) ? "Rows with at least three launches a side get a verdict."
              : comparison.mismatches.empty()
                  ? "Ratios, no verdicts: too few launches, three a side are needed."
                  : "Ratios, no verdicts.");
    case Relation::kSameProcessor:
      return "Same CPU model: ratios, no verdicts (" + reasons + ").";
    case Relation::kSameDeviceModel:
      return "Same model, different machine: ratios, no verdicts (" + reasons + ").";
    case Relation::kDifferentHardware:
      return "Different hardware: ratios beside what the measured limits predict, no verdicts.";
    case Relation::kImported:
      break;
  }
  return "Imported numbers: ratios, no verdicts (" + reasons + ").";
}

}  // namespace

std::string describe_median(std::int64_t count, const RowNoun& noun) {
  return count == 1 ? fmt::format("the only {} that both runs have", noun.singular)
                    : fmt::format("the median of {} {}", format_count(count), noun.plural);
}

std::string verdict_counts(const std::vector<DiffRow>& rows) {
  std::vector<std::string> parts;
  for (const auto verdict :
       {Verdict::kFaster, Verdict::kSlower, Verdict::kSame, Verdict::kUnclear}) {
    const auto count = std::ranges::count_if(rows, [&](const DiffRow& row) {
      return is_judged(*row.compared) && row.compared->judgment->verdict == verdict;
    });
    if (count > 0) parts.push_back(fmt::format("{} {}", count, name(verdict)));
  }
  return join_words(parts);
}

Facts section_facts(const std::vector<DiffRow>& rows,
                    const std::vector<const ComparedRow*>& problem_rows,
                    const Comparison& comparison, const SideRuns& runs, const RowNoun& noun) {
  const SideNames names = side_names(comparison);
  Facts facts;
  set_situation(facts, rows, names, runs, noun);
  const std::string verdicts = verdict_counts(rows);
  facts.when("verdicts", !verdicts.empty(), "counts", verdicts);
  facts.list("unrecorded", unrecorded_facts(problem_rows, names));
  facts.set("name_b", names.b).set("head_a", names.title_a).set("head_b", names.title_b);
  facts.flag("intervals", std::ranges::any_of(rows, [](const DiffRow& row) {
               return row.compared->interval.has_value();
             }));
  facts.flag("of_memory", !rows.empty() && rows.front().is_in_bytes());
  return facts;
}

std::string relation_words(const Comparison& comparison) {
  constexpr std::size_t kShortRevision = 8;
  const ComparedRun &a = comparison.a, &b = comparison.b;
  std::string words = machine_words(comparison);
  // Ratios contain the changes between the revisions, unless one run only imported its numbers.
  const bool revisions_known = !a.revision.empty() && !b.revision.empty() && a.source == b.source;
  if (revisions_known && a.revision != b.revision) {
    words +=
        fmt::format(" Measured by different revisions of labreport: {} vs. {}.",
                    a.revision.substr(0, kShortRevision), b.revision.substr(0, kShortRevision));
  }
  for (const std::string& mismatch : comparison.mismatches) {
    words += " Allowed mismatch: " + mismatch + ". Ratios compare different work.";
  }
  if (a.edition != b.edition) {
    words += " Different editions: " + a.edition + " vs. " + b.edition +
             "; networks match by their hyper-parameters.";
  }
  return words;
}

std::string method_words(const Comparison& comparison) {
  constexpr const char* kMethodPath = "src/document/comparison/method.md";
  Facts facts;
  const SideNames names = side_names(comparison);
  facts.set("a", names.a).set("b", names.b);
  facts.flag("different", comparison.machines.relation == Relation::kDifferentHardware);
  facts.flag("places", !place_facts(comparison).empty());
  facts.flag("judged", has_verdicts(comparison));
  return render_words(embedded::document().at(kMethodPath), facts, kMethodPath);
}

}  // namespace labreport
