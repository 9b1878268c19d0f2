#include "orchestrate/shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/format.h"

namespace labreport {
namespace {

constexpr std::int64_t kMostShards = 10000;

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

std::map<std::string, double> seconds_by_group(const std::vector<GroupTime>& cells) {
  std::map<std::string, double> seconds;
  for (const GroupTime& cell : cells) seconds[cell.group] += cell.seconds;
  return seconds;
}

bool is_everywhere(const CellSpec& spec) { return spec.kind == CellKind::kLimits; }

}  // namespace

Shard parse_shard(const std::string& text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto number = number_in(std::string_view(text).substr(0, slash));
  const auto of = number_in(std::string_view(text).substr(std::min(slash + 1, text.size())));
  if (number && of && *number >= 1 && *number <= *of && *of <= kMostShards) return {*number, *of};
  throw InputError("--shard is '" + text + "'",
                   "give K/N, the number of this task, from 1, and how many there are, as 2/4");
}

std::string words(const Shard& shard) { return fmt::format("shard {}/{}", shard.number, shard.of); }

std::string shard_group(const CellSpec& spec) {
  if (spec.ranks) return "ranks";
  std::string group(name(spec.kind));
  if (const auto& sweep = spec.attention) {
    return group + fmt::format(".{}.d{}", name(sweep->method), sweep->head_dim);
  }
  const bool by_network = spec.kind == CellKind::kTiming || spec.kind == CellKind::kKernels;
  if (!by_network || !spec.model) return group;
  const ModelShape& model = *spec.model;
  group += fmt::format(".d{}-f{}-l{}-h{}-v{}.b{}", model.d_model, model.d_ff, model.layers,
                       model.heads, model.vocab, spec.batch.value_or(0));
  if (spec.kind == CellKind::kTiming) group += fmt::format(".c{}", spec.context.value_or(0));
  return group;
}

std::map<std::string, std::size_t> partition(const std::vector<GroupTime>& cells,
                                             std::size_t parts) {
  const auto seconds = seconds_by_group(cells);
  std::vector<std::pair<std::string, double>> groups(seconds.begin(), seconds.end());
  std::ranges::stable_sort(groups, std::greater(), &std::pair<std::string, double>::second);
  std::vector<double> busy(parts, 0);
  std::vector<std::size_t> filled(parts, 0);  // groups that take no time are distributed, too
  std::map<std::string, std::size_t> part_of;
  for (const auto& [group, more] : groups) {
    std::size_t least = 0;
    for (std::size_t part = 1; part < parts; ++part) {
      if (std::pair(busy[part], filled[part]) < std::pair(busy[least], filled[least])) least = part;
    }
    part_of[group] = least;
    busy[least] += more;
    ++filled[least];
  }
  return part_of;
}

Shards::Shards(const std::vector<std::pair<CellSpec, double>>& cells, std::int64_t of) {
  std::vector<GroupTime> times;
  for (const auto& [spec, seconds] : cells) {
    all_ += seconds;
    if (is_everywhere(spec)) {
      everywhere_ += seconds;
    } else {
      times.push_back({shard_group(spec), seconds});
    }
  }
  parts_ = partition(times, static_cast<std::size_t>(of));
  const auto groups = static_cast<std::int64_t>(parts_.size());
  if (of > groups) {
    throw InputError(fmt::format("{} are more than the plan's {} of cells that stay together",
                                 format_plural(of, "task"), format_plural(groups, "group")),
                     fmt::format("start at most {}", groups));
  }
  std::vector<double> busy(static_cast<std::size_t>(of), everywhere_);
  for (const auto& [group, seconds] : seconds_by_group(times)) {
    busy[parts_.at(group)] += seconds;
    longest_group_ = std::max(longest_group_, everywhere_ + seconds);
  }
  longest_part_ = std::ranges::max(busy);
}

std::vector<PlannedCell> Shards::part(std::vector<PlannedCell> planned, std::int64_t number) const {
  std::erase_if(planned, [&](const PlannedCell& cell) {
    const auto part = parts_.find(shard_group(cell.spec));
    return !is_everywhere(cell.spec) && part != parts_.end() &&
           part->second != static_cast<std::size_t>(number - 1);
  });
  return planned;
}

double Shards::speedup() const { return all_ / longest_part_; }
double Shards::most_speedup() const { return all_ / longest_group_; }

}  // namespace labreport
