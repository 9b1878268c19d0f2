// Part (e): the largest allocations of the forward pass, and where they come from.
#include <algorithm>

#include "base/text.h"
#include "experiments/memory_profiling/byte_cells.h"
#include "experiments/memory_profiling/forward_groups.h"
#include "experiments/memory_profiling/parts.h"
#include "experiments/memory_profiling/peak_chart.h"
#include "experiments/memory_profiling/timeline.h"
#include "plan/memory.h"

namespace labreport::memory_profiling {
namespace {

constexpr std::size_t kRows = 10;
constexpr std::size_t kSources = 4;

/// "96 by MaskedScores in layers/attn and 64 by Softmax in layers/attn"
std::string source_words(const std::vector<Group>& largest) {
  std::vector<std::string> words;
  if (largest.size() == 1 && largest.front().count == 1) {
    return where(largest.front().operation, largest.front().module, largest.front().op);
  }
  for (const Group& group : largest) {
    words.push_back(format_count(static_cast<std::int64_t>(group.count)) + " by " +
                    where(group.operation, group.module, group.op));
  }
  if (words.size() > kSources) {
    words.resize(kSources);
    words.emplace_back("others that the table lists");
  }
  return join_words(words);
}

/// "B · S · d_ff · 4" as TeX.
std::string as_math(std::string formula) {
  for (const auto& [plain, tex] :
       {std::pair{"·", "\\cdot"}, std::pair{"²", "^2"}, std::pair{"d_ff", "d_\\mathrm{ff}"}}) {
    const std::string_view old = plain;
    for (auto at = formula.find(old); at != formula.npos; at = formula.find(old, at + 1)) {
      formula.replace(at, old.size(), tex);
    }
  }
  return "$" + formula + "$";
}

Facts sentence(const Forward& forward) {
  const std::vector<Group> largest = largest_of(forward.groups);
  double count = 0;
  for (const Group& group : largest) count += group.count;
  const std::string formula =
      size_formula(forward.step->spec(), static_cast<std::int64_t>(largest.front().bytes));
  Facts facts;
  facts.set("words", forward.profile->words);
  facts.flag("grad", forward.grad());
  facts.set("bytes", format_bytes(largest.front().bytes));
  facts.flag("one", count == 1);
  facts.set("count", format_count(static_cast<std::int64_t>(count)));
  facts.set("sources", source_words(largest));
  facts.flag("formula", !formula.empty());
  facts.set("formula_words", formula);
  facts.set_markdown("formula_math", as_math(formula));
  const auto scores = static_cast<double>(score_bytes(forward.step->spec()));
  facts.set("scores", format_bytes(scores));
  facts.flag("are_scores", largest.front().bytes == scores);
  return facts;
}

RowView group_row(const Forward& forward, const Group& group, const ByteUnit& unit) {
  const std::string formula =
      size_formula(forward.step->spec(), static_cast<std::int64_t>(group.bytes));
  return {
      {text_cell(forward.profile->place), bytes_cell(group.bytes, unit), count_cell(group.count),
       formula.empty() ? missing_cell() : text_cell(formula),
       text_cell(category_words(group.category)), text_cell(group.operation), text_cell(group.op),
       text_cell(short_path(group.module)), text_cell(group.layers), text_cell(group.freed)},
      {},
      ""};
}

TableView groups_table(const std::string& slug, const std::string& title,
                       const std::vector<Forward>& forwards) {
  TableView table{slug, title, {}, {}};
  double most = 0;
  for (const Forward& forward : forwards) most = std::max(most, forward.groups.front().bytes);
  const ByteUnit unit = byte_unit(most);
  table.columns = {{"Context", "", Align::kLeft},  {"Size", unit.name, Align::kRight},
                   {"Count", "", Align::kRight},   {"Formula", "", Align::kLeft},
                   {"Category", "", Align::kLeft}, {"Operation", "", Align::kLeft},
                   {"Operator", "", Align::kLeft}, {"Module", "", Align::kLeft},
                   {"Layers", "", Align::kLeft},   {"Freed", "", Align::kLeft}};
  for (const Forward& forward : forwards) {
    for (std::size_t i = 0; i < std::min(forward.groups.size(), kRows); ++i) {
      table.rows.push_back(group_row(forward, forward.groups[i], unit));
    }
  }
  return table;
}

std::string last_of(const std::string& path, const std::string& separator) {
  const auto at = path.rfind(separator);
  return at == path.npos ? path : path.substr(at + separator.size());
}

/// "linear: mm"; "mul" where the operator is an operation of its own.
std::string operation_label(const Group& group) {
  const std::string op = last_of(group.op, "::");
  const bool plain = group.operation.empty() || group.operation == group.op;
  return plain ? op : last_of(group.operation, "::") + ": " + op;
}

/// The module's last name tells those apart that would read alike, then a number.
std::vector<std::string> bar_labels(const std::vector<Group>& groups) {
  std::vector<std::string> labels;
  for (const Group& group : groups) {
    const std::string label = operation_label(group);
    const auto same = std::ranges::count(groups, label, operation_label);
    std::string own = same > 1 ? label + ", " + last_of(group.module, "/") : label;
    for (int i = 2; std::ranges::find(labels, own) != labels.end(); ++i) {
      own = label + ", " + last_of(group.module, "/") + " (" + std::to_string(i) + ")";
    }
    labels.push_back(own);
  }
  return labels;
}

Figure largest_figure(const Forward& forward) {
  const ByteUnit unit = byte_unit(forward.groups.front().bytes);
  std::vector<RankedBar> bars;
  const std::vector<Group> groups(
      forward.groups.begin(),
      forward.groups.begin() + static_cast<std::ptrdiff_t>(std::min(forward.groups.size(), kRows)));
  const std::vector<std::string> labels = bar_labels(groups);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Group& group = groups[i];
    const std::string times = "× " + format_count(static_cast<std::int64_t>(group.count));
    bars.push_back({labels[i], group.bytes / unit.bytes, format_bytes(group.bytes) + " " + times,
                    times, category_words(group.category)});
  }
  return {.slug = "memory-largest",
          .title = "The largest allocations of the forward pass, " + forward.profile->words,
          .caption =
              "Each bar is one allocation's size; behind it, how many of them a forward "
              "pass makes. The colour says what becomes of them: *activations* are kept for "
              "backward.",
          .alt = "Bars of allocation sizes, ranked. The table below holds the same rows.",
          .spec = ranked_chart({"Size of one allocation", unit.name}, bars),
          .data = {}};
}

const Forward& reference(const RunView& view, const std::vector<Forward>& forwards) {
  const auto context = [](const Forward& forward) { return forward.profile->context(); };
  const auto found = std::ranges::find(forwards, view.edition().reference_context, context);
  return found == forwards.end() ? forwards.back() : *found;
}

}  // namespace

PartContent present_largest(const RunView& view, const std::vector<Profile>& profiles) {
  PartContent part;
  set_common(part.facts, view, profiles);
  // The question is about a forward pass.
  part.facts.list("missing", missing_facts(answered(profiles), Mode::kForward));
  const std::vector<Forward> forwards = forwards_of(answered(profiles), true);
  std::vector<Facts> sentences;
  for (const Forward& forward : forwards) sentences.push_back(sentence(forward));
  part.facts.flag("nothing", forwards.empty());
  part.facts.flag("several", forwards.size() > 1);
  part.facts.list("contexts", std::move(sentences));
  if (forwards.empty()) return part;
  const Forward& shown = reference(view, forwards);
  const std::string title = std::string("The largest allocations of a forward pass ") +
                            (shown.grad() ? "with grad" : "without grad");
  part.figures = {largest_figure(shown)};
  part.tables = {groups_table("largest", title, {shown})};
  if (forwards.size() > 1) {
    part.drawer.tables = {groups_table("largest-all", title + ", every context", forwards)};
  }
  const std::vector<Forward> without = forwards_of(answered(profiles), false);
  if (forwards.front().grad() && !without.empty()) {
    part.drawer.tables.push_back(groups_table(
        "largest-inference", "The largest allocations of an inference forward", without));
  }
  return part;
}

}  // namespace labreport::memory_profiling
