#include "imports/row_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "imports/words.h"

namespace labreport {
namespace {

constexpr std::int64_t kLargest = 1'000'000'000;

/// What a row needs: its name, the flag that says it, and what the handout says.
struct NeededFact {
  Role role;
  std::string_view name;
  std::string_view flag;
  std::string_view handout = {};
};
constexpr auto kNeeded = std::to_array<NeededFact>({
    {Role::kGpu, "GPU", "--gpu NAME"},
    {Role::kUnit, "unit", "--unit s, --unit ms or --unit us"},
    {Role::kContext, "context", "--context N"},
    {Role::kPrecision, "precision", "--precision NAME"},
    {Role::kBatch, "batch", "--batch N", "4"},
    {Role::kWarmup, "warmup", "--warmup N", "5"},
    {Role::kSteps, "steps", "--steps N", "10"},
});

const NeededFact& needed_fact(Role role) {
  return *std::ranges::find(kNeeded, role, &NeededFact::role);
}

std::optional<std::int64_t> whole(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool all = error == std::errc() && end == text.data() + text.size();
  return all && value >= 0 && value <= kLargest ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string RowFacts::cell(Role role) const {
  const ImportColumn* column = find_column(columns_, role);
  if (column == nullptr) return "";
  return plain_cell(row_.cells.at(static_cast<std::size_t>(column - columns_.data())));
}

std::optional<std::string> RowFacts::fact(Role role) {
  const auto& [_, what, flag, handout] = needed_fact(role);
  if (has(role) && cell(role).empty()) throw LeftOut(fmt::format("no {} is given", what));
  if (has(role)) return cell(role);
  if (declared_.facts.contains(role)) return declared_.facts.at(role);
  if (handout.empty()) {
    into_.missing[std::string(flag)] = fmt::format("nothing says the {}", what);
    return std::nullopt;
  }
  into_.assumed.insert(
      fmt::format("{0} {1}, as in the handout: --{0} says otherwise", what, handout));
  return std::string(handout);
}

std::int64_t RowFacts::number(Role role) {
  const std::string written = fact(role).value_or("1");
  const auto value = whole(written);
  if (value && (*value > 0 || role == Role::kWarmup)) return *value;
  refuse(fmt::format("{} {} is no whole number", needed_fact(role).name, in_quotes(written)));
}

Precision RowFacts::precision() {
  const std::string written = fact(Role::kPrecision).value_or("fp32");
  if (const auto named = precision_named(written)) return *named;
  const ImportColumn* column = find_column(columns_, Role::kPrecision);
  const auto yes = parse_yes_no(written);
  if (!yes || !column->meaning.precision) {
    throw LeftOut(in_quotes(written) + " is no precision of a step");
  }
  if (column->meaning.name == "mixed_precision") {
    into_.assumed.insert(in_quotes(column->name) + " means BF16, as in the handout");
  }
  return *yes ? *column->meaning.precision : Precision::kFp32;
}

Subject RowFacts::subject() const {
  std::string written = cell(Role::kMode);
  if (find_column(columns_, Role::kMode)->meaning.name == "forward_only") {
    const auto only = parse_yes_no(written);
    if (only) written = *only ? "forward" : "forward_backward";
  }
  const auto meaning = quantity_of(written);
  if (meaning && meaning->subject) return *meaning->subject;
  throw LeftOut(in_quotes(written) + " is no pass, step or peak of the vocabulary");
}

void RowFacts::check_number(Role role, std::int64_t expected) const {
  if (cell(role).empty() || whole(cell(role)) == expected) return;
  refuse(fmt::format("size {} has {} {}, not {}", in_quotes(cell(Role::kSize)),
                     find_column(columns_, role)->name, expected, in_quotes(cell(role))),
         "another network needs another name");
}

void RowFacts::refuse(const std::string& problem, const std::string& remedy) const {
  refuse_line(declared_.file, row_.line, problem, remedy);
}

}  // namespace labreport
