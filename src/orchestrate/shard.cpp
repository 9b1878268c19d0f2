#include "orchestrate/shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "base/format.h"
#include "base/text.h"

namespace labreport {
namespace {

constexpr std::int64_t kMaxShards = 10000;

std::map<std::string, double> seconds_by_group(const std::vector<CellTime>& cells) {
  std::map<std::string, double> seconds;
  for (const CellTime& cell : cells) seconds[cell.group] += cell.seconds;
  return seconds;
}

bool is_in_every_part(const CellSpec& spec) { return spec.kind == CellKind::kLimits; }

}  // namespace

Shard parse_shard(const std::string& text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto number = parse_number<std::int64_t>(std::string_view(text).substr(0, slash));
  const auto count =
      parse_number<std::int64_t>(std::string_view(text).substr(std::min(slash + 1, text.size())));
  if (number && count && *number >= 1 && *number <= *count && *count <= kMaxShards)
    return {*number, *count};
  throw InputError("--shard is '" + text + "'",
                   "give K/N, the number of this task, from 1, and how many there are, as 2/4");
}

std::string shard_words(const Shard& shard) {
  return fmt::format("shard {}/{}", shard.number, shard.count);
}

std::string shard_group(const CellSpec& spec) {
  if (spec.ranks) return "ranks";
  std::string group(name(spec.kind));
  if (const auto& sweep = spec.attention) {
    return group + fmt::format(".{}.d{}", name(sweep->method), sweep->head_dim);
  }
  const bool depends_on_network = spec.kind == CellKind::kTiming || spec.kind == CellKind::kKernels;
  if (!depends_on_network || !spec.model) return group;
  const ModelShape& model = *spec.model;
  group += fmt::format(".d{}-f{}-l{}-h{}-v{}.b{}", model.d_model, model.d_ff, model.layers,
                       model.heads, model.vocab, spec.batch.value_or(0));
  if (spec.kind == CellKind::kTiming) group += fmt::format(".c{}", spec.context.value_or(0));
  return group;
}

std::map<std::string, std::size_t> partition(const std::vector<CellTime>& cells,
                                             std::size_t parts) {
  const auto seconds = seconds_by_group(cells);
  std::vector<std::pair<std::string, double>> groups(seconds.begin(), seconds.end());
  std::ranges::stable_sort(groups, std::greater(), &std::pair<std::string, double>::second);
  std::vector<double> part_seconds(parts, 0);
  std::vector<std::size_t> group_counts(parts, 0);  // spreads groups that take no time
  std::map<std::string, std::size_t> part_of;
  const auto load = [&](std::size_t part) {
    return std::pair(part_seconds[part], group_counts[part]);
  };
  for (const auto& [group, group_seconds] : groups) {
    std::size_t lightest = 0;
    for (std::size_t part = 1; part < parts; ++part) {
      if (load(part) < load(lightest)) lightest = part;
    }
    part_of[group] = lightest;
    part_seconds[lightest] += group_seconds;
    ++group_counts[lightest];
  }
  return part_of;
}

Shards::Shards(const std::vector<std::pair<CellSpec, double>>& cells, std::int64_t count) {
  std::vector<CellTime> times;
  for (const auto& [spec, seconds] : cells) {
    total_seconds_ += seconds;
    if (is_in_every_part(spec)) {
      every_part_seconds_ += seconds;
    } else {
      times.push_back({shard_group(spec), seconds});
    }
  }
  parts_ = partition(times, static_cast<std::size_t>(count));
  const auto groups = static_cast<std::int64_t>(parts_.size());
  if (count > groups) {
    throw InputError(fmt::format("{} are more than the plan's {} of cells that stay together",
                                 format_plural(count, "task"), format_plural(groups, "group")),
                     fmt::format("start at most {}", groups));
  }
  std::vector<double> part_seconds(static_cast<std::size_t>(count), every_part_seconds_);
  for (const auto& [group, seconds] : seconds_by_group(times)) {
    part_seconds[parts_.at(group)] += seconds;
    longest_group_seconds_ = std::max(longest_group_seconds_, every_part_seconds_ + seconds);
  }
  longest_part_seconds_ = std::ranges::max(part_seconds);
}

std::vector<PlannedCell> Shards::part(std::vector<PlannedCell> planned, std::int64_t number) const {
  std::erase_if(planned, [&](const PlannedCell& cell) {
    const auto part = parts_.find(shard_group(cell.spec));
    return !is_in_every_part(cell.spec) && part != parts_.end() &&
           part->second != static_cast<std::size_t>(number - 1);
  });
  return planned;
}

double Shards::speedup() const { return total_seconds_ / longest_part_seconds_; }
double Shards::max_speedup() const { return total_seconds_ / longest_group_seconds_; }

}  // namespace labreport
