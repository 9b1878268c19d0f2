#include "orchestrate/group.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <regex>
#include <utility>

#include "base/format.h"
#include "base/lists.h"
#include "base/machine.h"
#include "base/text.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

bool is_timeout(const Outcome& outcome) { return std::holds_alternative<TimedOut>(outcome); }

/// Returns how severe the rank's end is. The most severe end explains the others.
int severity(const RankResult& rank) {
  const Outcome& outcome = rank.result.launch.outcome;
  if (is_ok(outcome)) return 0;
  if (rank.was_stopped) return 1;
  if (rank.failed_in_collective) return 2;
  if (std::holds_alternative<Skipped>(outcome)) return 3;
  if (is_timeout(outcome)) return 4;
  if (std::holds_alternative<Failed>(outcome)) return 5;
  if (std::holds_alternative<Crashed>(outcome)) return 6;
  return rank.result.is_device_unusable ? 8 : 7;
}

std::size_t rank_at_fault(const std::vector<RankResult>& ranks) {
  return static_cast<std::size_t>(std::ranges::max_element(ranks, {}, severity) - ranks.begin());
}

Outcome joint_outcome(const std::vector<RankResult>& ranks, double collective_limit_seconds) {
  const std::size_t fault_rank = rank_at_fault(ranks);
  const RankResult& fault = ranks[fault_rank];
  const Outcome& outcome = fault.result.launch.outcome;
  const auto hung_rank = std::ranges::find_if(ranks, &RankResult::was_stopped);
  if (fault.failed_in_collective && hung_rank != ranks.end()) {
    return TimedOut{collective_limit_seconds, hung_rank - ranks.begin()};
  }
  if (fault.failed_in_collective && std::holds_alternative<Crashed>(outcome)) {
    return Failed{
        fmt::format("a collective waited {:g} s for another rank: the ranks' collectives differ in "
                    "number or order",
                    collective_limit_seconds)};
  }
  // If all ranks ran to the launch's limit, it is unknown which one hung.
  const bool all_hung = std::ranges::all_of(ranks, [](const RankResult& rank) {
    return rank.was_stopped || is_timeout(rank.result.launch.outcome);
  });
  if (is_timeout(outcome) && !fault.failed_in_collective && all_hung) return outcome;
  return with_rank(outcome, static_cast<std::int64_t>(fault_rank));
}

void add_ok_rank(LaunchResult& result, const LaunchResult& other, std::size_t rank) {
  for (const std::string& warning : other.launch.warnings) {
    result.launch.warnings.push_back(fmt::format("rank {}: {}", rank, warning));
  }
  result.launch.wall_ns = std::max(result.launch.wall_ns, other.launch.wall_ns);
  if (!other.device) return;
  if (!other.device->uuid_hash.empty()) {
    result.launch.conditions.push_back(
        text_metric(metric::kRank, std::to_string(rank), other.device->uuid_hash));
  }
  if (result.device && result.device->name != other.device->name) {
    result.launch.warnings.push_back(fmt::format("rank {} ran on {}", rank, other.device->name));
  }
}

}  // namespace

std::size_t slots_needed(const CellSpec& spec, std::size_t slot_count) {
  if (!spec.ranks) return 1;
  return spec.device == DeviceKind::kCpu ? slot_count : static_cast<std::size_t>(spec.ranks->count);
}

std::optional<std::string> too_few_slots(const CellSpec& spec, const std::vector<Slot>& slots,
                                         bool gpus_are_named) {
  if (!spec.ranks || spec.device == DeviceKind::kCpu) return std::nullopt;
  const auto whole_gpus =
      std::ranges::count_if(slots, [](const Slot& slot) { return slot.is_whole_gpu; });
  if (whole_gpus >= spec.ranks->count) return std::nullopt;
  if (whole_gpus == 0) return "NCCL joins whole GPUs, and this host's are divided (MIG) or absent";
  return (gpus_are_named ? "--gpus names " : "this host has ") + format_plural(whole_gpus, "GPU");
}

std::vector<Slot> rank_slots(const CellSpec& spec, const std::vector<Slot>& taken) {
  const auto count = static_cast<std::size_t>(spec.ranks->count);
  if (spec.device == DeviceKind::kCuda) {
    std::vector<Slot> slots(taken.begin(), taken.begin() + static_cast<std::ptrdiff_t>(count));
    if (joins_by_itself(spec)) {
      const std::string all = join(each(slots, &Slot::gpu_uuids), ",");
      for (Slot& slot : slots) slot.gpu_uuids = all;
      return slots;
    }
    for (std::size_t rank = 0; rank < count; ++rank) {
      for (std::size_t other = 0; other < count; ++other) {
        if (other != rank) slots[rank].gpu_uuids += "," + taken[other].gpu_uuids;
      }
    }
    return slots;
  }
  const std::vector<int> cores = usable_cores();
  const std::size_t cores_per_rank = cores.size() / count;
  std::vector<Slot> slots(count);
  for (std::size_t rank = 0; rank < count && cores_per_rank > 0; ++rank) {
    const auto begin = cores.begin() + static_cast<std::ptrdiff_t>(rank * cores_per_rank);
    slots[rank].cores.assign(begin, begin + static_cast<std::ptrdiff_t>(cores_per_rank));
  }
  return slots;
}

RankResult rank_result(LaunchResult result, const CompletedProcess& process, bool asked_to_stop) {
  const bool reported_collective_failure =
      process.exit_status == kCollectiveFailedStatus && process.signal == 0;
  RankResult rank{std::move(result), reported_collective_failure, false};
  if (is_ok(rank.result.launch.outcome)) return rank;
  rank.was_stopped = asked_to_stop && (process.signal == SIGTERM || process.signal == SIGKILL);
  // NCCL's watchdog aborts the process on a thread whose exceptions nobody can catch.
  const bool watchdog_aborted =
      process.signal == SIGABRT && process.messages.find("ProcessGroupNCCL") != std::string::npos;
  rank.failed_in_collective = reported_collective_failure || watchdog_aborted;
  Outcome& outcome = rank.result.launch.outcome;
  const bool crashed = std::holds_alternative<Crashed>(outcome);
  if (rank.was_stopped || crashed) rank.place = place_of_user_code(process.messages);
  if (crashed && process.messages.find("gloo::EnforceNotMet") != std::string::npos) {
    outcome = Failed{fmt::format(
        "Gloo ended it{}{}: it received more bytes than it expected, so the ranks' collectives "
        "differ in kind, order or size",
        rank.place.empty() ? "" : " at ", rank.place)};
  }
  return rank;
}

std::string place_of_user_code(const std::string& messages) {
  static const std::regex kFrame(R"re(  File "([^"]+)", line (\d+) in (\S+))re");
  for (std::sregex_iterator frame(messages.begin(), messages.end(), kFrame), end; frame != end;
       ++frame) {
    const std::string file = (*frame)[1];
    const bool is_library = file.starts_with('<') || file.find("/torch/") != file.npos ||
                            file.find("/labreport_") != file.npos;
    if (is_library) continue;
    return fmt::format("{}:{}, in {}", std::filesystem::path(file).filename().string(),
                       (*frame)[2].str(), (*frame)[3].str());
  }
  return "";
}

LaunchResult joint_result(std::vector<RankResult> ranks, double collective_limit_seconds) {
  const bool all_are_ok = std::ranges::all_of(
      ranks, [](const RankResult& rank) { return is_ok(rank.result.launch.outcome); });
  const std::size_t source_rank = all_are_ok ? 0 : rank_at_fault(ranks);
  LaunchResult result = ranks[source_rank].result;
  if (!all_are_ok) result.launch.outcome = joint_outcome(ranks, collective_limit_seconds);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (ranks[rank].place.empty()) continue;
    result.launch.warnings.push_back(fmt::format("rank {} stood at {}", rank, ranks[rank].place));
  }
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (rank != source_rank && is_ok(ranks[rank].result.launch.outcome)) {
      add_ok_rank(result, ranks[rank].result, rank);
    }
  }
  return result;
}

}  // namespace labreport
