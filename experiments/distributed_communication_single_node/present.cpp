// Builds the datasets and facts of section.md: times by size, ranks and library.
#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/common/all_reduces.h"
#include "experiments/common/command.h"
#include "experiments/problems.h"
#include "plan/datasheet.h"
#include "results/metric_names.h"

namespace labreport::distributed_communication_single_node {
namespace {

constexpr const char* kProblem = "distributed_communication_single_node";
constexpr double kNsPerMs = 1e6, kNsPerUs = 1e3, kGiga = 1e9, kMega = 1e6;

using Groups = std::vector<AllReduceGroup>;

/// Returns "1 MB" (10⁶ bytes) or "1 GB" (10⁹ bytes).
std::string whole_size_words(std::int64_t bytes) {
  constexpr std::int64_t kMegabyte = 1'000'000, kGigabyte = 1'000'000'000;
  if (bytes >= kGigabyte) return format_count(bytes / kGigabyte) + " GB";
  return format_count(bytes / kMegabyte) + " MB";
}

/// One size of the handout in one group, or all its sizes together if the group did not run.
struct GridRow {
  const AllReduceGroup* group;
  std::string size;
  std::optional<AllReduceTiming> timing = {};
  std::vector<std::string> flags = {};
};

/// Returns a column's function that shows what `getter` returns, or why there is no timing.
template <typename Getter>
std::function<Value(const GridRow&)> timing_value(Getter getter) {
  return [getter](const GridRow& row) {
    return row.timing ? Value(std::invoke(getter, *row.timing)) : Value::missing(row.group->reason);
  };
}

const std::vector<Column<GridRow>> kGrid{
    {"library", "Library", [](const GridRow& row) { return row.group->library(); }},
    {"ranks", "Ranks", [](const GridRow& row) { return row.group->ranks(); }, "", kAsCount},
    {"size", "Size", &GridRow::size},
    {"ms", "Time", timing_value([](const auto& timing) { return timing.slowest_ns / kNsPerMs; }),
     "ms"},
    {"mean", "Mean", timing_value([](const auto& timing) {
       const double mean = timing.mean_ns / kNsPerMs;
       return timing.deviation_ns ? Value(mean, *timing.deviation_ns / kNsPerMs) : Value(mean);
     }),
     "ms"},
    {"fastest", "Fastest rank",
     timing_value([](const auto& timing) { return timing.fastest_ns / kNsPerMs; }), "ms"},
    {"lag", "Last start",
     timing_value([](const auto& timing) { return timing.start_lag_ns / kNsPerUs; }), "µs",
     kThreeDigits},
    {"algbw", "algbw", timing_value([](const auto& timing) { return timing.algbw() / kGiga; }),
     "GB/s", kThreeDigits},
    {"busbw", "busbw",
     [](const GridRow& row) {
       return row.timing ? Value(row.group->busbw(*row.timing) / kGiga)
                         : Value::missing(row.group->reason);
     },
     "GB/s", kThreeDigits}};

/// A measured size of the sweep, and the fitted line's time for that size.
struct SweepRow {
  std::string series;
  std::int64_t bytes;
  std::string method;
  double measured_us, algbw_gb_per_s, busbw_gb_per_s;
  std::optional<double> line_us;
  std::int64_t calls, wrong_elements;
  std::vector<std::string> flags;
};

const std::vector<Column<SweepRow>> kSweep{
    {"series", "Library and ranks", &SweepRow::series},
    {"bytes", "Size", &SweepRow::bytes, "B", kAsCount},
    {"method", "Method", &SweepRow::method},
    {"us", "Time", &SweepRow::measured_us, "µs"},
    {"line_us", "α + S/β", &SweepRow::line_us, "µs"},
    {"algbw", "algbw", &SweepRow::algbw_gb_per_s, "GB/s", kThreeDigits},
    {"busbw", "busbw", &SweepRow::busbw_gb_per_s, "GB/s", kThreeDigits},
    {"calls", "Calls", &SweepRow::calls, "", kAsCount},
    {"wrong", "Wrong", &SweepRow::wrong_elements, "", kAsCount}};

struct LineRow {
  const AllReduceGroup* group;
  FittedLine line;
  std::optional<DatasheetLink> link;

  double busbw() const { return line.bytes_per_second * bus_factor(group->ranks()); }
};

const std::vector<Column<LineRow>> kLines{
    {"library", "Library", [](const LineRow& row) { return row.group->library(); }},
    {"ranks", "Ranks", [](const LineRow& row) { return row.group->ranks(); }, "", kAsCount},
    {"latency", "α", [](const LineRow& row) { return row.line.latency_ns / kNsPerUs; }, "µs",
     kThreeDigits},
    {"bandwidth", "β as busbw", [](const LineRow& row) { return row.busbw() / kGiga; }, "GB/s",
     kThreeDigits},
    {"half", "Half of β at",
     [](const LineRow& row) {
       return row.line.latency_ns * row.line.bytes_per_second / kGiga / kMega;
     },
     "MB", kThreeDigits},
    {"error",
     "Farthest off",
     [](const LineRow& row) { return row.line.largest_relative_error; },
     "%",
     {Notation::kPercent}},
    {"share",
     "Share of the link",
     [](const LineRow& row) {
       return row.link ? Value(row.busbw() / row.link->bytes_per_second) : Value();
     },
     "%",
     {Notation::kPercent}}};

/// Returns the handout's sizes that the group's cell measures, in bytes.
std::vector<std::int64_t> handout_sizes(const AllReduceGroup& group) {
  std::vector<std::int64_t> sizes;
  for (const std::int64_t bytes : kHandoutSizes) {
    if (bytes <= group.cell->spec.largest_bytes.value_or(0)) sizes.push_back(bytes);
  }
  return sizes;
}

std::vector<std::string> flags_of(const AllReduceTiming& timing) {
  std::vector<std::string> flags;
  if (timing.disturbed) flags.emplace_back("longer than a larger size");
  if (timing.wrong_elements > 0) flags.emplace_back("wrong sum");
  return flags;
}

/// Makes a row for each size of each group. A group that did not run has a single row, at the end.
std::vector<GridRow> grid_rows(const Groups& groups) {
  std::vector<GridRow> rows, not_run;
  for (const AllReduceGroup& group : groups) {
    const std::vector<std::int64_t> sizes = handout_sizes(group);
    if (!group.reason.empty() && !sizes.empty()) {
      not_run.push_back(
          {&group, whole_size_words(sizes.front()) + " to " + whole_size_words(sizes.back())});
      continue;
    }
    const std::vector<AllReduceTiming> timings = group.timings(metric::kSynced);
    for (const std::int64_t bytes : sizes) {
      GridRow& row = rows.emplace_back(GridRow{&group, whole_size_words(bytes)});
      const auto timing = std::ranges::find(timings, bytes, &AllReduceTiming::bytes);
      if (timing == timings.end()) continue;
      row.timing = *timing;
      row.flags = flags_of(*timing);
    }
  }
  return rows.empty() ? not_run : rows;  // "What ran" gives the reasons of groups without times.
}

/// Makes a row for each size, by every method or only by the one that the line is fitted to.
std::vector<SweepRow> sweep_rows(const Groups& groups, bool every_method) {
  std::vector<SweepRow> rows;
  for (const AllReduceGroup& group : groups) {
    const auto line = line_through(group.fitted_timings());
    for (const auto& [method, words] :
         {std::pair(metric::kSynced, "synchronized"), std::pair(metric::kInPlace, "in place"),
          std::pair(metric::kOutOfPlace, "out of place")}) {
      const bool is_fitted = method == group.fitted_method();
      if (!is_fitted && !every_method) continue;
      for (const AllReduceTiming& timing : group.timings(method)) {
        const auto line_us = is_fitted && line
                                 ? std::optional(line->predicted_ns(timing.bytes) / kNsPerUs)
                                 : std::nullopt;
        rows.push_back({.series = group.words(),
                        .bytes = timing.bytes,
                        .method = words,
                        .measured_us = timing.slowest_ns / kNsPerUs,
                        .algbw_gb_per_s = timing.algbw() / kGiga,
                        .busbw_gb_per_s = group.busbw(timing) / kGiga,
                        .line_us = line_us,
                        .calls = timing.calls,
                        .wrong_elements = timing.wrong_elements,
                        .flags = flags_of(timing)});
      }
    }
  }
  return rows;
}

/// Returns the data sheet's link of the group's GPU, or nothing.
std::optional<DatasheetLink> link_of(const RunView& view, const AllReduceGroup& group) {
  const Launch* launch = ok_launch(*group.cell);
  if (launch == nullptr || !launch->device || group.cell->spec.device != DeviceKind::kCuda)
    return std::nullopt;
  return datasheet_link(view.run().devices.at(static_cast<std::size_t>(*launch->device)).name);
}

std::vector<LineRow> line_rows(const RunView& view, const Groups& groups) {
  std::vector<LineRow> rows;
  for (const AllReduceGroup& group : groups) {
    if (const auto line = line_through(group.fitted_timings()))
      rows.push_back({&group, *line, link_of(view, group)});
  }
  return rows;
}

/// Returns the usable timings of the handout's sizes, smallest first.
std::vector<AllReduceTiming> usable_timings(const AllReduceGroup& group,
                                            std::string_view method = metric::kSynced) {
  std::vector<AllReduceTiming> timings;
  for (const std::int64_t bytes : handout_sizes(group)) {
    if (const auto timing = group.usable_timing(method, bytes)) timings.push_back(*timing);
  }
  return timings;
}

/// Returns the group that the answer describes: the first with two usable sizes, over NCCL if
/// possible; null if there is none.
const AllReduceGroup* described_group(const Groups& groups) {
  for (const Collectives library : {Collectives::kNccl, Collectives::kGloo}) {
    for (const AllReduceGroup& group : groups) {
      if (group.collectives() == library && usable_timings(group).size() > 1) return &group;
    }
  }
  return nullptr;
}

// The sweep's 2²⁰ bytes stand in for the handout's 1 MB if that is not usable.
const std::pair<std::int64_t, const char*> kSmallSizes[]{{1'000'000, "1 MB"}, {1 << 20, "1.05 MB"}};

/// Tells of a small size that is launch-bound: the CPU limits its calls, because c10d takes much
/// longer to make them than NCCL itself. Empty if neither small size shows it.
std::string launch_bound_sentence(const AllReduceGroup& group) {
  constexpr double kMinRatio = 1.5;
  for (const auto& [bytes, words] : kSmallSizes) {
    const auto c10d = group.usable_timing(metric::kInPlace, bytes);
    const auto nccl = group.usable_timing(metric::kOutOfPlace, bytes);
    if (!c10d || !nccl || c10d->slowest_ns < kMinRatio * nccl->slowest_ns) continue;
    return fmt::format(
        "Back to back, {} takes **{} µs** through c10d, {} µs through NCCL: it is launch-bound.",
        words, format_value(c10d->slowest_ns / kNsPerUs, kThreeDigits),
        format_value(nccl->slowest_ns / kNsPerUs, kThreeDigits));
  }
  return "";
}

/// Tells that the handout's smallest size took longer than `usable`, a larger one; else empty.
std::string disturbed_sentence(const AllReduceGroup& group, const AllReduceTiming& usable) {
  for (const AllReduceTiming& timing : group.timings(metric::kSynced)) {
    if (timing.bytes != *std::begin(kHandoutSizes) || !timing.disturbed) continue;
    if (timing.slowest_ns <= usable.slowest_ns) continue;
    return fmt::format(
        "{} took {} ms, longer than {}, so its time is not used.", whole_size_words(timing.bytes),
        format_value(timing.slowest_ns / kNsPerMs, kThreeDigits), whole_size_words(usable.bytes));
  }
  return "";
}

/// Tells what limits the handout's smallest size, or that it is not used, and which of its sizes
/// are bandwidth-bound. Returns nothing unless there are several of these. `usable` is the smallest
/// that is used.
std::optional<Facts> bound_facts(const AllReduceGroup& group, const AllReduceTiming& usable) {
  const auto fast =
      only(usable_timings(group, metric::kInPlace),
           [&](const AllReduceTiming& timing) { return group.is_bandwidth_bound(timing.bytes); });
  std::string small = disturbed_sentence(group, usable);
  if (small.empty()) small = launch_bound_sentence(group);
  if (small.empty() || fast.size() < 2) return std::nullopt;
  const auto sizes =
      each(fast, [](const AllReduceTiming& timing) { return whole_size_words(timing.bytes); });
  return Facts().set_markdown("small_size", small).set("fast", join_words(sizes));
}

/// Returns "1.30 times as long", or "about as long" below a tenth of a difference.
std::string as_long(double ratio) {
  if (ratio < 1.1 && ratio > 1 / 1.1) return "about as long";
  return (ratio < 10 ? format_ratio(ratio) : format_factor(ratio)) + " times as long";
}

/// Compares `other` with the described group at the largest size that is usable in both, and at a
/// small one. Adds nothing if no large size is.
void add_ratios(std::vector<Facts>& ratios, const std::string& how, const AllReduceGroup& described,
                const AllReduceGroup& other) {
  std::string small;
  for (const auto& [bytes, words] : kSmallSizes) {
    // Calls back to back are compared if both groups made them: they show a call's own cost.
    const auto method = described.fitted_method() == other.fitted_method()
                            ? described.fitted_method()
                            : metric::kSynced;
    const auto by_described = described.usable_timing(method, bytes),
               by_other = other.usable_timing(method, bytes);
    if (!by_described || !by_other || !small.empty()) continue;
    small = fmt::format("{} {}", words, as_long(by_other->slowest_ns / by_described->slowest_ns));
  }
  for (const std::int64_t bytes : kHandoutSizes | std::views::drop(1) | std::views::reverse) {
    const auto by_described = described.usable_timing(metric::kSynced, bytes),
               by_other = other.usable_timing(metric::kSynced, bytes);
    if (!by_described || !by_other) continue;
    ratios.emplace_back().set("sentence",
                              fmt::format("{} {} takes {}{}.", how, whole_size_words(bytes),
                                          as_long(by_other->slowest_ns / by_described->slowest_ns),
                                          small.empty() ? "" : ", " + small));
    return;
  }
}

/// Compares the described group with its library's group on the most ranks, and with the other
/// library on as many ranks. If nothing can be compared, tells which ranks were skipped and why.
std::vector<Facts> other_facts(const Groups& groups, const AllReduceGroup& described) {
  const AllReduceGroup *most_ranks = nullptr, *other_library = nullptr;
  std::vector<std::string> skipped_ranks;
  std::string why_skipped;
  for (const AllReduceGroup& group : groups) {
    const bool same_library = group.library() == described.library();
    const Launch* launch = representative(*group.cell);
    const auto* skipped = launch ? std::get_if<Skipped>(&launch->outcome) : nullptr;
    if (same_library && skipped != nullptr) {
      skipped_ranks.push_back(format_count(group.ranks()));
      why_skipped = skipped->reason;
    }
    if (!group.reason.empty()) continue;
    if (same_library && group.ranks() > described.ranks()) most_ranks = &group;
    if (!same_library && group.ranks() == described.ranks()) other_library = &group;
  }
  std::vector<Facts> ratios;
  if (most_ranks != nullptr) {
    const double more_bytes = bus_factor(most_ranks->ranks()) / bus_factor(described.ranks());
    add_ratios(ratios,
               fmt::format("Among {} ranks a ring sends {} times the bytes:",
                           format_count(most_ranks->ranks()), format_ratio(more_bytes)),
               described, *most_ranks);
  }
  if (other_library != nullptr)
    add_ratios(ratios, "Over " + other_library->library(), described, *other_library);
  if (ratios.empty() && !skipped_ranks.empty())
    ratios.emplace_back().set("sentence", fmt::format("{} ranks did not run: {}.",
                                                      join_words(skipped_ranks), why_skipped));
  return ratios;
}

/// Tells how many more bytes a ring sends among the numbers of ranks that did not run.
std::optional<Facts> ring_facts(const Groups& groups, const AllReduceGroup* described) {
  if (described == nullptr) return std::nullopt;
  std::vector<std::string> counts, factors;
  for (const AllReduceGroup& group : groups) {
    if (group.reason.empty() || group.library() != described->library()) continue;
    counts.push_back(format_count(group.ranks()));
    factors.push_back(format_ratio(bus_factor(group.ranks()) / bus_factor(described->ranks())));
  }
  if (counts.empty()) return std::nullopt;
  return Facts()
      .set("factors", join_words(factors))
      .set("counts", join_words(counts))
      .set("described", format_count(described->ranks()));
}

Facts answer_facts(const RunView& view, const Groups& groups, const AllReduceGroup& described) {
  const std::vector<AllReduceTiming> usable = usable_timings(described);
  const AllReduceTiming &small = usable.front(), &large = usable.back();
  const auto link = link_of(view, described);
  return Facts()
      .set("library", described.library())
      .set("ranks", format_count(described.ranks()))
      .set("small", whole_size_words(small.bytes))
      .set("small_ms", small.slowest_ns / kNsPerMs, kThreeDigits)
      .set("large", whole_size_words(large.bytes))
      .set("large_ms", large.slowest_ns / kNsPerMs, kThreeDigits)
      .set("busbw", described.busbw(large) / kGiga, kThreeDigits)
      .set("of_link",
           link ? fmt::format(" of {}’s {:.0f} one way", link->name, link->bytes_per_second / kGiga)
                : "")
      .when("bounds", bound_facts(described, small))
      .list("others", other_facts(groups, described));
}

/// Returns the first text `name` that a launch over NCCL recorded; empty if none did.
std::string nccl_text(const Groups& groups, std::string_view name) {
  for (const AllReduceGroup& group : groups) {
    const Launch* launch = ok_launch(*group.cell);
    if (launch == nullptr || group.collectives() != Collectives::kNccl) continue;
    const std::string text = library_text(*launch, name);
    if (!text.empty()) return text;
  }
  return "";
}

/// Returns the number of rounds, each of which measures every size; nothing if a launch had none.
std::optional<double> rounds_of(const Groups& groups) {
  std::optional<double> rounds;
  for (const AllReduceGroup& group : groups) {
    const Launch* launch = ok_launch(*group.cell);
    if (launch == nullptr) continue;
    const Metric* condition = launch->find_condition(metric::kCollectives, metric::kRounds);
    if (condition == nullptr) return std::nullopt;
    rounds = condition->number();
  }
  return rounds;
}

void add_conditions(Facts& facts, const Groups& groups) {
  std::vector<std::string> measured_ranks;
  for (const AllReduceGroup& group : groups) {
    if (group.reason.empty()) measured_ranks.push_back(format_count(group.ranks()));
  }
  facts.set("measured", join_words(distinct(measured_ranks)));
  const std::string nccl = nccl_text(groups, metric::kLibrary);
  facts.when("nccl", !nccl.empty(), "version", nccl);
  // A launch that did not measure out of place recorded the reason.
  const std::string why_not = nccl_text(groups, metric::kOutOfPlace);
  facts.when("in_place_alone", !nccl.empty() && !why_not.empty(), "why", why_not);
  const CellSpec& spec = groups.front().cell->spec;
  facts.set("warmup", format_count(spec.warmup.value_or(0)));
  facts.set("steps", format_count(spec.steps.value_or(0)));
  const auto rounds = rounds_of(groups);
  facts.when("in_rounds", rounds.has_value(), "rounds",
             format_count(static_cast<std::int64_t>(rounds.value_or(0))));
}

}  // namespace

Presentation present(const RunView& view) {
  const Groups groups = all_reduce_groups(view);
  if (groups.empty()) return {};
  PartContent part;
  const AllReduceGroup* described = described_group(groups);
  part.set_answer(described ? std::optional(answer_facts(view, groups, *described)) : std::nullopt);
  part.facts.when("ring", ring_facts(groups, described));
  add_conditions(part.facts, groups);
  part.datasets = {make_dataset("grid", kGrid, grid_rows(groups)),
                   make_dataset("sweep", kSweep, sweep_rows(groups, /*every_method=*/false)),
                   make_dataset("lines", kLines, line_rows(view, groups)),
                   make_dataset("every-size", kSweep, sweep_rows(groups, /*every_method=*/true))};
  part.details.tables = {command_table(view.run(), kProblem, {groups.front().cell})};
  part.cells = view.cells(CellKind::kAllReduce);
  return {{"", std::move(part)}};
}

}  // namespace labreport::distributed_communication_single_node
