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

TableView command_table(const RunView& view, const Cell& cell) {
  return {"commands",
          "The command that measures this again",
          {{"What", "", Align::kLeft}, {"Command", "", Align::kLeft, true}},
          {{{text_cell("the loops"), text_cell(command_for(view.run(), kProblem, cell.spec))},
            {},
            ""}}};
}

PartContent content(const RunView& view, const Cell& cell) {
  const Launch* launch = representative(cell);
  const bool ok = launch != nullptr && is_ok(launch->outcome);
  const auto loops = ok ? loops_of(*launch) : std::vector<Loop>();
  const std::string reason = ok                  ? ""
                             : launch == nullptr ? "not measured yet"
                                                 : describe(launch->outcome);
  PartContent part;
  part.facts = make_facts(loops, reason);
  if (!loops.empty()) {
    part.figures = {errors_figure(loops)};
    part.tables = {sums_table(loops), stalls_table(loops)};
  }
  part.drawer.tables = {command_table(view, cell)};
  part.cells = {&cell};
  return part;
}

}  // namespace

Presentation present(const RunView& view) {
  const Cell* cell = view.cell(CellKind::kAccumulation, [](const CellSpec&) { return true; });
  if (cell == nullptr) return {};
  return {.parts = {{"", content(view, *cell)}}, .glance = {}};
}

}  // namespace labreport::mixed_precision_accumulation
