#include "experiments/mixed_precision_accumulation/present.h"

#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "experiments/common/command.h"
#include "experiments/common/table_cells.h"
#include "experiments/mixed_precision_accumulation/tables.h"
#include "results/metric_names.h"

namespace labreport::mixed_precision_accumulation {
namespace {

constexpr const char* kProblem = "mixed_precision_accumulation";

/// What the handout expects to be seen; anything else is told as plain values.
bool as_expected(const std::vector<Loop>& loops) {
  const Loop* fp32 = find(loops, metric::kFp32Loop);
  const Loop* fp16 = find(loops, metric::kFp16Loop);
  const Loop* mixed = find(loops, metric::kMixedLoop);
  const Loop* cast = find(loops, metric::kCastLoop);
  if (fp32 == nullptr || fp16 == nullptr || mixed == nullptr || cast == nullptr) return false;
  if (fp16->sums.size() < 2) return false;  // no last addition to speak of
  const bool same = mixed->sums == cast->sums;
  const bool accumulator = std::abs(fp16->accumulator_error()) > std::abs(fp16->input_error());
  const bool input = std::abs(mixed->input_error()) > std::abs(mixed->accumulator_error());
  return same && accumulator && input && std::abs(fp32->error()) < std::abs(mixed->error());
}

void set_expected(Facts& facts, const std::vector<Loop>& loops) {
  const Loop& fp16 = *find(loops, metric::kFp16Loop);
  const Loop& mixed = *find(loops, metric::kMixedLoop);
  facts.set("fp32", digits(find(loops, metric::kFp32Loop)->last()));
  facts.set("fp16", digits(fp16.last()));
  facts.set("mixed", digits(mixed.last()));
  facts.set("spacing", digits(unit_in_last_place(fp16.last(), fp16.significand)));
  facts.set("last_addition", digits(fp16.last() - fp16.sums[fp16.sums.size() - 2]));
  facts.set("addend", digits(mixed.addend));
  facts.set("input_error", format_significant(mixed.input_error(), 3));
  facts.set("rest", error_digits(mixed.accumulator_error()));
  facts.flag("no_rest", error_digits(mixed.accumulator_error()) == "0");
}

std::vector<Facts> values(const std::vector<Loop>& loops) {
  std::vector<Facts> list;
  for (const Loop& loop : loops) {
    list.emplace_back();
    list.back().set("loop", loop.label);
    list.back().set("value", digits(loop.last()));
    list.back().set("error", error_digits(loop.error()));
  }
  return list;
}

/// Names of the loops in which processor and GPU differ.
std::vector<std::string> differing(const std::vector<Loop>& loops) {
  std::vector<std::string> names;
  for (const Loop& loop : loops) {
    if (!loop.host_sums.empty() && loop.host_sums != loop.sums) names.emplace_back(loop.label);
  }
  return names;
}

Facts make_facts(const std::vector<Loop>& loops, const std::string& reason) {
  Facts facts;
  const bool expected = as_expected(loops);
  facts.flag("measured", !loops.empty());
  facts.flag("expected", expected);
  facts.flag("otherwise", !loops.empty() && !expected);
  for (const char* name :
       {"fp32", "fp16", "mixed", "spacing", "addend", "input_error", "rest", "last_addition"}) {
    facts.set(name, "");
  }
  facts.flag("no_rest", false);
  if (expected) set_expected(facts, loops);
  facts.list("loops", values(loops));
  const std::vector<std::string> differ = differing(loops);
  const bool beside = !loops.empty() && !loops.front().host_sums.empty();
  facts.flag("beside", beside);
  facts.flag("same_bits", beside && differ.empty());
  facts.flag("differs", !differ.empty());
  facts.set("differing", join_words(differ));
  facts.flag("missing", !reason.empty());
  facts.set("reason", reason);
  return facts;
}

PartContent content(const RunView& view, const Cell& cell) {
  const Launch* launch = ok_launch(cell);
  const auto loops = launch == nullptr ? std::vector<Loop>() : loops_of(*launch);
  PartContent part;
  part.facts = make_facts(loops, reason_missing(cell));
  part.cells = {&cell};
  if (!loops.empty()) {
    part.figures = {errors_figure(loops)};
    part.tables = {sums_table(loops), stalls_table(loops)};
  }
  part.drawer.tables = {commands_table(view.run(), kProblem, {{"the loops", &cell}})};
  return part;
}

}  // namespace

Presentation present(const RunView& view) {
  const Cell* cell = view.cell(CellKind::kAccumulation);
  if (cell == nullptr) return {};
  return {.parts = {{"", content(view, *cell)}}, .glance = {}};
}

}  // namespace labreport::mixed_precision_accumulation
