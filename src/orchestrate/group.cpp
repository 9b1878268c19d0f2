#include "orchestrate/group.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "base/format.h"
#include "base/machine.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

bool is_timeout(const Outcome& outcome) { return std::holds_alternative<TimedOut>(outcome); }

/// The severity of a rank's end: a more severe one explains the others.
int severity(const RankEnd& rank) {
  const Outcome& outcome = rank.answer.body.outcome;
  if (is_ok(outcome)) return 0;
  if (rank.stopped) return 1;
  if (rank.gave_up) return 2;
  if (std::holds_alternative<Skipped>(outcome)) return 3;
  if (is_timeout(outcome)) return 4;
  if (std::holds_alternative<Failed>(outcome)) return 5;
  if (std::holds_alternative<Crashed>(outcome)) return 6;
  return rank.answer.device_unusable ? 8 : 7;
}

std::size_t at_fault(const std::vector<RankEnd>& ranks) {
  return static_cast<std::size_t>(std::ranges::max_element(ranks, {}, severity) - ranks.begin());
}

Outcome joint_outcome(const std::vector<RankEnd>& ranks, double collective_seconds) {
  const std::size_t worst = at_fault(ranks);
  const RankEnd& fault = ranks[worst];
  const Outcome& outcome = fault.answer.body.outcome;
  const auto stopped = std::ranges::find_if(ranks, &RankEnd::stopped);
  if (fault.gave_up && stopped != ranks.end()) {
    return TimedOut{collective_seconds, stopped - ranks.begin()};
  }
  // If all ranks ran to the launch's limit, it is unknown which one hung.
  const bool all_timed_out = std::ranges::all_of(ranks, [](const RankEnd& rank) {
    return rank.stopped || is_timeout(rank.answer.body.outcome);
  });
  if (is_timeout(outcome) && !fault.gave_up && all_timed_out) return outcome;
  return with_rank(outcome, static_cast<std::int64_t>(worst));
}

void add_rank(Answer& answer, const Answer& other, std::size_t number) {
  for (const std::string& warning : other.body.warnings) {
    answer.body.warnings.push_back(fmt::format("rank {}: {}", number, warning));
  }
  answer.body.wall_ns = std::max(answer.body.wall_ns, other.body.wall_ns);
  if (!other.device) return;
  if (!other.device->uuid_hash.empty()) {
    answer.body.conditions.push_back(
        text_metric(metric::kRank, std::to_string(number), other.device->uuid_hash));
  }
  if (answer.device && answer.device->name != other.device->name) {
    answer.body.warnings.push_back(fmt::format("rank {} ran on {}", number, other.device->name));
  }
}

}  // namespace

std::size_t slots_needed(const CellSpec& spec, std::size_t slots) {
  if (!spec.ranks) return 1;
  return spec.device == DeviceKind::kCpu ? slots : static_cast<std::size_t>(spec.ranks->count);
}

std::optional<std::string> too_few_slots(const CellSpec& spec, const std::vector<Slot>& slots,
                                         bool named_gpus) {
  if (!spec.ranks || spec.device == DeviceKind::kCpu) return std::nullopt;
  const auto gpus = std::ranges::count_if(slots, [](const Slot& slot) { return slot.whole_gpu; });
  if (gpus >= spec.ranks->count) return std::nullopt;
  if (gpus == 0) return "NCCL joins whole GPUs, and this host's are divided (MIG) or absent";
  return (named_gpus ? "--gpus names " : "this host has ") + format_plural(gpus, "GPU");
}

std::vector<Slot> rank_slots(const CellSpec& spec, const std::vector<Slot>& taken) {
  const auto count = static_cast<std::size_t>(spec.ranks->count);
  if (spec.device == DeviceKind::kCuda) {
    std::vector<Slot> slots(taken.begin(), taken.begin() + static_cast<std::ptrdiff_t>(count));
    for (std::size_t rank = 0; rank < count; ++rank) {
      for (std::size_t other = 0; other < count; ++other) {
        if (other != rank) slots[rank].gpu_uuid += "," + taken[other].gpu_uuid;
      }
    }
    return slots;
  }
  const std::vector<int> cores = usable_cores();
  const std::size_t share = cores.size() / count;
  std::vector<Slot> slots(count);
  for (std::size_t rank = 0; rank < count && share > 0; ++rank) {
    const auto begin = cores.begin() + static_cast<std::ptrdiff_t>(rank * share);
    slots[rank].cores.assign(begin, begin + static_cast<std::ptrdiff_t>(share));
  }
  return slots;
}

RankEnd rank_end(Answer judged, const Ended& ended, bool asked_to_stop) {
  const bool lost = ended.exit_status == kLostGroupStatus && ended.signal == 0;
  RankEnd end{std::move(judged), lost, false};
  if (is_ok(end.answer.body.outcome)) return end;
  end.stopped = asked_to_stop && (ended.signal == SIGTERM || ended.signal == SIGKILL);
  // NCCL's watchdog aborts the process on a thread whose exceptions nobody can catch.
  end.gave_up = end.gave_up || (ended.signal == SIGABRT &&
                                ended.messages.find("ProcessGroupNCCL") != std::string::npos);
  return end;
}

Answer joined(std::vector<RankEnd> ranks, double collective_seconds) {
  const bool all_ok = std::ranges::all_of(
      ranks, [](const RankEnd& rank) { return is_ok(rank.answer.body.outcome); });
  const std::size_t speaker = all_ok ? 0 : at_fault(ranks);
  Answer answer = ranks[speaker].answer;
  if (!all_ok) answer.body.outcome = joint_outcome(ranks, collective_seconds);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (rank != speaker && is_ok(ranks[rank].answer.body.outcome)) {
      add_rank(answer, ranks[rank].answer, rank);
    }
  }
  return answer;
}

}  // namespace labreport
