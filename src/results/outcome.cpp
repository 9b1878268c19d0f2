#include "results/outcome.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "base/format.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

template <typename... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <typename... F>
Overloaded(F...) -> Overloaded<F...>;

std::string with_message(const std::string& text, const std::string& message) {
  return message.empty() ? text : text + ": " + message;
}

std::string describe_phase(const OutOfMemory& oom) {
  if (oom.phase == metric::kOther) return "out of memory between the step's phases";
  return "out of memory" + (oom.phase.empty() ? "" : " in " + oom.phase);
}

std::string describe_oom(const OutOfMemory& oom) {
  std::string text = describe_phase(oom);
  std::string separator = ": ";
  if (oom.requested_bytes) {
    text += ": tried to allocate " + format_bytes(static_cast<double>(*oom.requested_bytes));
    separator = " with ";
  }
  if (oom.in_use_bytes) {
    text += separator + format_bytes(static_cast<double>(*oom.in_use_bytes)) + " allocated";
  }
  return text;
}

/// Returns "rank 1: ", or an empty text if the launch had one process.
std::string rank_prefix(const Outcome& outcome) {
  return std::visit(
      [](const auto& alternative) -> std::string {
        if constexpr (requires { alternative.rank; }) {
          if (alternative.rank) return fmt::format("rank {}: ", *alternative.rank);
        }
        return "";
      },
      outcome);
}

}  // namespace

std::string_view status_name(const Outcome& outcome) {
  constexpr std::array<std::string_view, std::variant_size_v<Outcome>> kNames{
      "ok", "oom", "skipped", "timeout", "crashed", "error"};
  return kNames[outcome.index()];
}

Outcome with_rank(Outcome outcome, std::int64_t rank) {
  std::visit(
      [&](auto& alternative) {
        if constexpr (requires { alternative.rank; }) alternative.rank = rank;
      },
      outcome);
  return outcome;
}

std::string describe(const Outcome& outcome) {
  const auto describe_alternative = Overloaded{
      [](const Ok&) -> std::string { return "ok"; },
      [](const OutOfMemory& oom) { return describe_oom(oom); },
      [](const Skipped& skipped) { return "skipped: " + skipped.reason; },
      [](const TimedOut& timeout) {
        return "timed out after " + format_duration(timeout.limit_seconds);
      },
      [](const Crashed& crash) {
        return with_message(
            fmt::format("crashed: signal {} ({})", crash.signal, ::strsignal(crash.signal)),
            crash.message);
      },
      [](const Failed& failure) { return with_message("failed", failure.message); }};
  return rank_prefix(outcome) + std::visit(describe_alternative, outcome);
}

std::string describe_briefly(const Outcome& outcome) {
  const auto* oom = std::get_if<OutOfMemory>(&outcome);
  return oom == nullptr ? describe(outcome) : rank_prefix(outcome) + describe_phase(*oom);
}

bool is_ok(const Outcome& outcome) { return std::holds_alternative<Ok>(outcome); }

bool does_not_fit(const Outcome& outcome) {
  return std::holds_alternative<OutOfMemory>(outcome) || std::holds_alternative<Skipped>(outcome);
}

bool is_failure(const Outcome& outcome) {
  return std::holds_alternative<TimedOut>(outcome) || std::holds_alternative<Crashed>(outcome) ||
         std::holds_alternative<Failed>(outcome);
}

}  // namespace labreport
