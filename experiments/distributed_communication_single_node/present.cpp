// Builds the datasets and facts of section.md: times by size, ranks and library.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ranges>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "experiments/common/command.h"
#include "experiments/distributed_communication_single_node/links.h"
#include "experiments/distributed_communication_single_node/measured.h"
#include "experiments/problems.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::distributed_communication_single_node {
namespace {

constexpr const char* kProblem = "distributed_communication_single_node";
constexpr std::int64_t kHandoutRanks[]{2, 4, 6};
constexpr double kNsPerMs = 1e6, kNsPerUs = 1e3, kGiga = 1e9, kMega = 1e6;
constexpr double kNearRing = 0.2;  // Smaller relative deviations from the ring's formula agree.
constexpr std::string_view kSkipped = "skipped: ";

using Groups = std::vector<Group>;

/// "1 MB" (10⁶ bytes), "1 GB" (10⁹ bytes).
std::string size_words(std::int64_t bytes) {
  constexpr std::int64_t kMegabyte = 1'000'000, kGigabyte = 1'000'000'000;
  if (bytes >= kGigabyte) return format_count(bytes / kGigabyte) + " GB";
  return format_count(bytes / kMegabyte) + " MB";
}

/// One size of the handout, over one library among one number of ranks.
struct GridRow {
  std::string library;
  std::int64_t ranks;
  std::string size;
  std::optional<Timing> timing;
  double factor;  ///< busbw / algbw
  std::string reason;
  std::vector<std::string> flags = {};

  Value or_reason(const std::function<Value(const Timing&)>& value) const {
    return timing ? value(*timing) : Value::missing(reason);
  }
};

const std::vector<Column<GridRow>> kGrid{
    {"library", "Library", &GridRow::library},
    {"ranks", "Ranks", &GridRow::ranks, "", {Notation::kCount}},
    {"size", "Size", &GridRow::size},
    {"ms", "Time",
     [](const GridRow& row) {
       return row.or_reason([](const Timing& timing) { return timing.ns / kNsPerMs; });
     },
     "ms"},
    {"mean", "Mean",
     [](const GridRow& row) {
       return row.or_reason([](const Timing& timing) {
         const double mean = timing.mean_ns / kNsPerMs;
         return timing.deviation_ns ? Value(mean, *timing.deviation_ns / kNsPerMs) : Value(mean);
       });
     },
     "ms"},
    {"fastest", "Fastest rank",
     [](const GridRow& row) {
       return row.or_reason([](const Timing& timing) { return timing.fastest_ns / kNsPerMs; });
     },
     "ms"},
    {"lag",
     "Last start",
     [](const GridRow& row) {
       return row.or_reason([](const Timing& timing) { return timing.lag_ns / kNsPerUs; });
     },
     "µs",
     {Notation::kSignificant, 3}},
    {"calls",
     "Calls",
     [](const GridRow& row) {
       return row.or_reason([](const Timing& timing) { return timing.calls; });
     },
     "",
     {Notation::kCount}},
    {"algbw",
     "algbw",
     [](const GridRow& row) {
       return row.or_reason([](const Timing& timing) { return timing.algbw() / kGiga; });
     },
     "GB/s",
     {Notation::kSignificant, 3}},
    {"busbw",
     "busbw",
     [](const GridRow& row) {
       return row.or_reason(
           [&](const Timing& timing) { return timing.algbw() * row.factor / kGiga; });
     },
     "GB/s",
     {Notation::kSignificant, 3}}};

/// A measured size of the sweep, and the fitted line's time for that size.
struct SweepRow {
  std::string series;
  std::int64_t bytes;
  std::string method;
  double us, algbw, busbw;
  std::optional<double> line_us;
  std::int64_t calls, wrong;
  std::vector<std::string> flags;
};

const std::vector<Column<SweepRow>> kSweep{
    {"series", "Library and ranks", &SweepRow::series},
    {"bytes", "Size", &SweepRow::bytes, "B", {Notation::kCount}},
    {"method", "Method", &SweepRow::method},
    {"us", "Time", &SweepRow::us, "µs"},
    {"line_us", "α + S/β", [](const SweepRow& row) { return Value(row.line_us); }, "µs"},
    {"algbw", "algbw", &SweepRow::algbw, "GB/s", {Notation::kSignificant, 3}},
    {"busbw", "busbw", &SweepRow::busbw, "GB/s", {Notation::kSignificant, 3}},
    {"calls", "Calls", &SweepRow::calls, "", {Notation::kCount}},
    {"wrong", "Wrong", &SweepRow::wrong, "", {Notation::kCount}}};

struct LineRow {
  std::string library;
  std::int64_t ranks;
  Line line;
  double factor;
  std::optional<Link> link;

  double busbw() const { return line.bytes_per_second * factor; }
};

const std::vector<Column<LineRow>> kLines{
    {"library", "Library", &LineRow::library},
    {"ranks", "Ranks", &LineRow::ranks, "", {Notation::kCount}},
    {"latency",
     "α",
     [](const LineRow& row) { return row.line.latency_ns / kNsPerUs; },
     "µs",
     {Notation::kSignificant, 3}},
    {"bandwidth",
     "β as busbw",
     [](const LineRow& row) { return row.busbw() / kGiga; },
     "GB/s",
     {Notation::kSignificant, 3}},
    {"half",
     "Half of β at",
     [](const LineRow& row) {
       return row.line.latency_ns * row.line.bytes_per_second / kGiga / kMega;
     },
     "MB",
     {Notation::kSignificant, 3}},
    {"error",
     "Farthest off",
     [](const LineRow& row) { return row.line.largest_error; },
     "%",
     {Notation::kPercent}},
    {"share",
     "Share of the link",
     [](const LineRow& row) {
       return row.link ? Value(row.busbw() / row.link->bytes_per_second) : Value();
     },
     "%",
     {Notation::kPercent}}};

struct RankRow {
  std::string series;
  std::string size;
  std::int64_t rank;
  double mean, median, lag;
  double stddev;
};

const std::vector<Column<RankRow>> kByRank{
    {"series", "Library and ranks", &RankRow::series},
    {"size", "Size", &RankRow::size},
    {"rank", "Rank", &RankRow::rank, "", {Notation::kCount}},
    {"mean", "Time", [](const RankRow& row) { return Value(row.mean, row.stddev); }, "ms"},
    {"median", "Median", &RankRow::median, "ms"},
    {"lag", "Start after the first", &RankRow::lag, "µs", {Notation::kSignificant, 3}}};

std::vector<std::int64_t> asked_sizes(const Group& group) {
  std::vector<std::int64_t> sizes;
  for (const std::int64_t bytes : kHandoutSizes) {
    if (bytes <= group.cell->spec.largest_bytes.value_or(0)) sizes.push_back(bytes);
  }
  return sizes;
}

std::vector<std::string> flags_of(const Timing& timing) {
  if (!timing.disturbed) return {};
  return {"longer than a larger size"};
}

/// A row for each size of each group. A group that did not run has a single row, at the end.
std::vector<GridRow> grid_rows(const Groups& groups) {
  std::vector<GridRow> rows, not_run;
  for (const Group& group : groups) {
    const std::vector<std::int64_t> sizes = asked_sizes(group);
    if (!group.reason.empty() && !sizes.empty()) {
      const std::string all = size_words(sizes.front()) + " to " + size_words(sizes.back());
      not_run.push_back({group.library(), group.ranks(), all, {}, 0, group.reason});
      continue;
    }
    for (const std::int64_t bytes : sizes) {
      const auto timing = group.synced(bytes);
      rows.push_back({group.library(), group.ranks(), size_words(bytes), timing,
                      bus_factor(group.ranks()), group.reason,
                      timing ? flags_of(*timing) : std::vector<std::string>()});
    }
  }
  rows.insert(rows.end(), not_run.begin(), not_run.end());
  return rows;
}

/// A row for each size, by every method or only by the one that the line is fitted to.
std::vector<SweepRow> sweep_rows(const Groups& groups, bool every_method) {
  std::vector<SweepRow> rows;
  for (const Group& group : groups) {
    const auto line = line_through(group.swept());
    for (const auto& [method, words] :
         {std::pair(metric::kSynced, "synchronized"), std::pair(metric::kInPlace, "in place"),
          std::pair(metric::kOutOfPlace, "out of place")}) {
      const bool fitted = method == group.swept_method();
      if (!fitted && !every_method) continue;
      for (const Timing& timing : group.timings(method)) {
        const auto line_us =
            fitted && line ? std::optional(line->ns(timing.bytes) / kNsPerUs) : std::nullopt;
        rows.push_back({.series = group.words(),
                        .bytes = timing.bytes,
                        .method = words,
                        .us = timing.ns / kNsPerUs,
                        .algbw = timing.algbw() / kGiga,
                        .busbw = group.busbw(timing) / kGiga,
                        .line_us = line_us,
                        .calls = timing.calls,
                        .wrong = timing.wrong,
                        .flags = flags_of(timing)});
      }
    }
  }
  return rows;
}

std::vector<LineRow> line_rows(const RunView& view, const Groups& groups) {
  std::vector<LineRow> rows;
  for (const Group& group : groups) {
    const auto line = line_through(group.swept());
    if (!line) continue;
    std::optional<Link> link;
    const Launch* launch = ok_launch(*group.cell);
    if (launch != nullptr && launch->device && group.cell->spec.device == DeviceKind::kCuda) {
      const auto device = static_cast<std::size_t>(*launch->device);
      link = nominal_link(view.run().devices.at(device).name);
    }
    rows.push_back({group.library(), group.ranks(), *line, bus_factor(group.ranks()), link});
  }
  return rows;
}

std::vector<RankRow> rank_rows(const Groups& groups) {
  std::vector<RankRow> rows;
  for (const Group& group : groups) {
    const Launch* launch = ok_launch(*group.cell);
    if (launch == nullptr) continue;
    for (const MeasuredRow& row : measured_rows(*launch, metric::kAllReduce)) {
      bool complete = true;
      const auto number = [&](std::string_view name) {
        const auto value = row.number(name);
        complete = complete && value;
        return value.value_or(0);
      };
      const auto bytes = static_cast<std::int64_t>(number(column::kBytes));
      if (row.text(column::kMethod) != metric::kSynced || !is_handout_size(bytes)) continue;
      const RankRow rank{.series = group.words(),
                         .size = size_words(bytes),
                         .rank = static_cast<std::int64_t>(number(column::kRank)),
                         .mean = number(column::kMeanNs) / kNsPerMs,
                         .median = number(column::kMedianNs) / kNsPerMs,
                         .lag = number(column::kLagNs) / kNsPerUs,
                         .stddev = number(column::kStddevNs) / kNsPerMs};
      if (complete) rows.push_back(rank);
    }
  }
  return rows;
}

constexpr Notation kThree{Notation::kSignificant, 3};

/// The undisturbed timings of the sizes that the handout asks for, smallest first.
std::vector<Timing> asked_timings(const Group& group) {
  std::vector<Timing> timings;
  for (const std::int64_t bytes : asked_sizes(group)) {
    if (const auto timing = group.undisturbed(bytes)) timings.push_back(*timing);
  }
  return timings;
}

/// The first group with two undisturbed sizes, over NCCL if possible; null if there is none.
const Group* answered_group(const Groups& groups) {
  for (const Collectives library : {Collectives::kNccl, Collectives::kGloo}) {
    for (const Group& group : groups) {
      if (group.collectives() == library && asked_timings(group).size() > 1) return &group;
    }
  }
  return nullptr;
}

/// The time of the sweep's smallest size, if it is at least a fifth of `small`'s time and explains
/// why `small` takes longer in proportion to its bytes than `large`.
std::optional<Facts> latency(const Group& group, const Timing& small, const Timing& large) {
  constexpr double kLatency = 0.2, kAccounts = 1.5;
  constexpr std::int64_t kKibibyte = 1024;
  const Timing least = group.timings(metric::kSynced).front();
  const double bytes = static_cast<double>(small.bytes) / static_cast<double>(large.bytes);
  const double accounted = least.ns + (large.ns - least.ns) * bytes;
  const bool close = small.ns < kAccounts * accounted && accounted < kAccounts * small.ns;
  const bool written = least.bytes >= kKibibyte && least.bytes % kKibibyte == 0;
  if (!written || least.bytes * 10 > small.bytes || least.disturbed) return std::nullopt;
  if (least.ns < kLatency * small.ns || !close) return std::nullopt;
  return Facts()
      .set("least", format_count(least.bytes / kKibibyte) + " KiB")
      .set("ms", least.ns / kNsPerMs, kThree);
}

Facts by_size(const Group& group) {
  const std::vector<Timing> timings = asked_timings(group);
  const Timing &small = timings.front(), &large = timings.back();
  return Facts()
      .set("small", size_words(small.bytes))
      .set("large", size_words(large.bytes))
      .set("small_ms", small.ns / kNsPerMs, kThree)
      .set("large_ms", large.ns / kNsPerMs, kThree)
      .set("times", format_factor(large.ns / small.ns))
      .set("sizes", format_count(large.bytes / small.bytes))
      .set("busbw", group.busbw(large) / kGiga, kThree)
      .when("latency", latency(group, small, large));
}

/// Compares `few` with its library's group of the most ranks, at the largest size that both have.
std::optional<Facts> by_ranks(const Groups& groups, const Group& few) {
  const Group* many = nullptr;
  for (const Group& group : groups) {
    const bool same = group.library() == few.library() && group.ranks() > few.ranks();
    if (same && group.reason.empty()) many = &group;
  }
  for (const std::int64_t bytes : std::views::reverse(kHandoutSizes)) {
    const auto a = few.undisturbed(bytes);
    const auto b = many == nullptr ? std::nullopt : many->undisturbed(bytes);
    if (!a || !b) continue;
    const double ratio = b->ns / a->ns;
    const double ring = bus_factor(many->ranks()) / bus_factor(few.ranks());
    return Facts()
        .set("size", size_words(bytes))
        .set("many", format_count(many->ranks()))
        .set("few", format_count(few.ranks()))
        .set("ratio", format_ratio(ratio))
        .set("ring", format_ratio(ring))
        .flag("explained", std::abs(ratio / ring - 1) <= kNearRing);
  }
  return std::nullopt;
}

/// Compares Gloo with NCCL on equally many ranks, at the smallest and the largest size both have.
std::optional<Facts> by_library(const Groups& groups, const Group& nccl) {
  for (const Group& gloo : groups) {
    if (gloo.library() == nccl.library() || gloo.ranks() != nccl.ranks()) continue;
    std::vector<std::pair<std::int64_t, double>> ratios;
    for (const std::int64_t bytes : kHandoutSizes) {
      const auto a = gloo.undisturbed(bytes), b = nccl.undisturbed(bytes);
      if (a && b) ratios.emplace_back(bytes, a->ns / b->ns);
    }
    if (ratios.size() < 2) continue;
    return Facts()
        .set("small", size_words(ratios.front().first))
        .set("large", size_words(ratios.back().first))
        .set("small_ratio", format_factor(ratios.front().second))
        .set("large_ratio", format_factor(ratios.back().second));
  }
  return std::nullopt;
}

/// The numbers of ranks that did not run, and the reason if all have the same.
std::optional<Facts> missing(const Groups& groups) {
  std::vector<std::string> ranks;
  std::set<std::string> reasons;
  for (const Group& group : groups) {
    const std::string count = format_count(group.ranks());
    if (group.reason.empty()) continue;
    if (std::ranges::find(ranks, count) == ranks.end()) ranks.push_back(count);
    reasons.insert(group.reason);
  }
  if (ranks.empty()) return std::nullopt;
  std::string reason = reasons.size() == 1 ? *reasons.begin() : "“What ran” gives the reasons";
  if (reason.starts_with(kSkipped)) reason.erase(0, kSkipped.size());
  return Facts().set("ranks", join_words(ranks)).set("reason", reason);
}

/// The handout's sizes and numbers of ranks that the run did not plan.
std::optional<Facts> left_out(const Groups& groups) {
  std::vector<std::string> sizes, ranks;
  for (const std::int64_t bytes : kHandoutSizes) {
    const bool planned = std::ranges::any_of(groups, [bytes](const Group& group) {
      return bytes <= group.cell->spec.largest_bytes.value_or(0);
    });
    if (!planned) sizes.push_back(size_words(bytes));
  }
  for (const std::int64_t count : kHandoutRanks) {
    const bool planned =
        std::ranges::any_of(groups, [count](const Group& group) { return group.ranks() == count; });
    if (!planned) ranks.push_back(format_count(count));
  }
  if (sizes.empty() && ranks.empty()) return std::nullopt;
  std::vector<std::string> all;
  if (!sizes.empty()) all.push_back(fmt::format("{}", fmt::join(sizes, " and ")));
  if (!ranks.empty()) all.push_back(fmt::format("{} ranks", fmt::join(ranks, " and ")));
  return Facts().set("what", fmt::format("{}", fmt::join(all, ", and ")));
}

/// A condition recorded by the first launch over NCCL, which all others share; may be empty.
std::string nccl_condition(const Groups& groups, std::string_view name) {
  for (const Group& group : groups) {
    const Launch* launch = ok_launch(*group.cell);
    if (launch == nullptr || group.collectives() != Collectives::kNccl) continue;
    const std::string text = collectives_condition(*launch, name);
    if (!text.empty()) return text;
  }
  return "";
}

/// The number of rounds in which sizes took turns; nothing if a launch measured them one by one.
std::optional<double> rounds_of(const Groups& groups) {
  std::optional<double> rounds;
  for (const Group& group : groups) {
    const Launch* launch = ok_launch(*group.cell);
    if (launch == nullptr) continue;
    const Metric* condition = launch->find_condition(metric::kCollectives, metric::kRounds);
    if (condition == nullptr) return std::nullopt;
    rounds = condition->number();
  }
  return rounds;
}

void add_conditions(Facts& facts, const Groups& groups) {
  const std::string nccl = nccl_condition(groups, metric::kLibrary);
  facts.when("nccl", !nccl.empty(), "version", nccl);
  const std::string why_not = nccl_condition(groups, metric::kOutOfPlace);
  facts.flag("out_of_place", !nccl.empty() && why_not.empty());
  facts.when("in_place_alone", !nccl.empty() && !why_not.empty(), "why", why_not);
  facts.flag("gloo", std::ranges::count(groups, Collectives::kGloo, &Group::collectives) > 0);
  const CellSpec& spec = groups.front().cell->spec;
  facts.set("warmup", format_count(spec.warmup.value_or(0)));
  facts.set("steps", format_count(spec.steps.value_or(0)));
  const auto rounds = rounds_of(groups);
  facts.when("in_rounds", rounds.has_value(), "rounds",
             format_count(static_cast<std::int64_t>(rounds.value_or(0))));
}

}  // namespace

Presentation present(const RunView& view) {
  const Groups groups = groups_of(view);
  if (groups.empty()) return {};
  PartContent part;
  const Group* group = answered_group(groups);
  part.facts.flag("nothing", group == nullptr);
  part.facts.when("one", group ? std::optional(by_size(*group)
                                                   .set("library", group->library())
                                                   .set("ranks", format_count(group->ranks()))
                                                   .when("ranks_grow", by_ranks(groups, *group))
                                                   .when("libraries", by_library(groups, *group)))
                               : std::nullopt);
  part.facts.when("missing", group ? missing(groups) : std::nullopt);
  part.facts.when("left_out", left_out(groups));
  part.facts.flag("wrong", std::ranges::any_of(groups, [](const Group& any) {
                    return std::ranges::any_of(any.timings(metric::kSynced), &Timing::wrong);
                  }));
  add_conditions(part.facts, groups);
  part.datasets = {make_dataset("grid", kGrid, grid_rows(groups)),
                   make_dataset("sweep", kSweep, sweep_rows(groups, /*every_method=*/false)),
                   make_dataset("lines", kLines, line_rows(view, groups)),
                   make_dataset("every-size", kSweep, sweep_rows(groups, /*every_method=*/true)),
                   make_dataset("by-rank", kByRank, rank_rows(groups))};
  part.details.tables = {command_table(view.run(), kProblem, {groups.front().cell})};
  part.cells = view.cells(CellKind::kAllReduce);
  return {{"", std::move(part)}};
}

}  // namespace labreport::distributed_communication_single_node
