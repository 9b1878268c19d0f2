#include "orchestrate/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "base/messages.h"
#include "base/statistics.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/shipped_variant.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

constexpr std::size_t kCellWidth = 55;
constexpr double kTera = 1e12;

/// Returns "116.7 ± 0.3 ms" without the warm-up steps. Sharding cells record no warm-up steps.
std::string step_words(const CellSpec& spec, const Launch& launch) {
  std::vector<double> steps = launch.numbers(metric::kStep, metric::kTotal);
  const bool has_no_warmup = spec.kind == CellKind::kSharding;
  const auto warmup = static_cast<std::size_t>(has_no_warmup ? 0 : spec.warmup.value_or(0));
  if (steps.size() <= warmup) return "ok";
  steps.erase(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(warmup));
  for (double& step : steps) step /= kNanosecondsPerMillisecond;
  if (steps.size() == 1) return format_significant(steps.front()) + " ms";
  return format_with_deviation(mean(steps), sample_stddev(steps)).joined() + " ms";
}

std::string matrix_rate_words(const Launch& launch) {
  std::string text;
  for (const Metric& rate : launch.metrics) {
    const auto numbers = rate.numbers();
    if (rate.tag != metric::kMatrixRate || numbers.empty()) continue;
    text += fmt::format("{} {} · ", rate.name, format_significant(median(numbers) / kTera, 3));
  }
  if (text.empty()) return "ok";
  return text.substr(0, text.size() - std::string_view(" · ").size()) + " TFLOP/s";
}

std::string memory_words(const Launch& launch) {
  const auto bytes = launch.number(metric::kMemory, metric::kPeakAllocated);
  return bytes ? "peak " + format_bytes(*bytes) : "ok";
}

/// Returns "1,122 ms in 9,539 kernels".
std::string kernels_words(const Launch& launch) {
  const auto busy_ns = launch.number(metric::kProfile, metric::kBusy);
  const auto count = launch.number(metric::kProfile, metric::kKernels);
  if (!busy_ns || !count) return "ok";
  return fmt::format("{} ms in {}", format_significant(*busy_ns / kNanosecondsPerMillisecond),
                     format_plural(static_cast<std::int64_t>(*count), "kernel"));
}

/// Returns "7 of 10 lengths".
std::string attention_words(const Launch& launch) {
  const auto rows = measured_rows(launch, metric::kAttention);
  const auto ran = std::ranges::count_if(
      rows, [](const MeasuredRow& row) { return row.text(column::kOutcome) == metric::kRan; });
  return fmt::format("{} of {}", ran, format_plural(std::ssize(rows), "length"));
}

/// Cuts the text to the terminal's width, because a wrapped line could not be overwritten.
std::string cut_to_terminal_width(const std::string& text, std::FILE* stream) {
  winsize size{};
  ioctl(fileno(stream), TIOCGWINSZ, &size);
  const std::size_t columns = size.ws_col > 1 ? size.ws_col - 1u : 79u;
  for (std::size_t i = 0, column = 0; i < text.size(); ++i) {
    const bool begins_character = (text[i] & 0xC0) != 0x80;
    if (begins_character && column++ == columns) return text.substr(0, i);
  }
  return text;
}

}  // namespace

std::string cell_words(const CellSpec& spec) {
  std::string text = fmt::format("{:<7}", name(spec.kind));
  if (spec.model) text += fmt::format(" {:<7}", spec.size);
  if (spec.context) text += fmt::format(" ctx {:<5}", *spec.context);
  if (spec.precision) text += fmt::format(" {:<5}", name(*spec.precision));
  if (spec.mode) text += fmt::format(" {:<17}", describe(*spec.mode));
  if (spec.attention) {
    text += fmt::format(" {} d {} {}", describe(spec.attention->backend), spec.attention->head_dim,
                        name(spec.attention->method));
  }
  if (spec.variant) text += fmt::format(" {}", describe(*spec.variant));
  if (spec.blocks_per_checkpoint) text += fmt::format(" groups of {}", *spec.blocks_per_checkpoint);
  if (spec.ranks) {
    text += fmt::format(" {} {} ranks", describe(spec.ranks->collectives), spec.ranks->count);
  }
  if (spec.sharding) text += fmt::format(" {}", describe(*spec.sharding));
  if (spec.scheme) text += fmt::format(" {}", describe(*spec.scheme));
  if (spec.bucket_bytes) text += fmt::format(" of {} B", format_count(*spec.bucket_bytes));
  if (spec.kind == CellKind::kLadder && is_compiled(spec)) {
    text += " torch.compile";
  } else if (!spec.implementation.empty()) {
    text += " " + spec.implementation;
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string result_words(const CellSpec& spec, const Launch& launch) {
  if (!is_ok(launch.outcome)) return describe(launch.outcome);
  if (spec.kind == CellKind::kTiming || spec.kind == CellKind::kLadder ||
      spec.kind == CellKind::kSharding || spec.kind == CellKind::kDataParallel) {
    return step_words(spec, launch);
  }
  if (spec.kind == CellKind::kLimits) return matrix_rate_words(launch);
  if (spec.kind == CellKind::kMemory || spec.kind == CellKind::kCheckpointing) {
    return memory_words(launch);
  }
  if (spec.kind == CellKind::kKernels) return kernels_words(launch);
  if (spec.kind == CellKind::kAttention) return attention_words(launch);
  return "ok";
}

TerminalDisplay::TerminalDisplay(std::FILE* stream) : stream_(stream) {
  const char* terminal = std::getenv("TERM");
  const char* no_color = std::getenv("NO_COLOR");
  has_live_line_ =
      isatty(fileno(stream)) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
  has_colors_ = has_live_line_ && (no_color == nullptr || *no_color == '\0');
}

TerminalDisplay::~TerminalDisplay() { clear(); }

void TerminalDisplay::clear() {
  if (!has_live_line_) return;
  std::fputs("\r\033[K", stream_);
  std::fflush(stream_);
}

void TerminalDisplay::launch_started(const CellSpec& spec, const RunProgress& progress) {
  current_cell_ = cell_words(spec);
  started_at_ = std::chrono::steady_clock::now();
  tick(progress);
}

void TerminalDisplay::launch_finished(const CellSpec& spec, const Launch& launch,
                                      const RunProgress& progress) {
  clear();
  const auto width = std::to_string(progress.total).size();
  const std::string line =
      fmt::format("[{:>{}}/{}]  {:<{}}  {}", progress.done, width, progress.total, cell_words(spec),
                  kCellWidth, result_words(spec, launch));
  const char* color = is_failure(launch.outcome) ? "\033[31m" : "\033[33m";  // red : yellow
  const bool is_plain = !has_colors_ || is_ok(launch.outcome);
  say_to(stream_, fmt::format("{}{}{}\n", is_plain ? "" : color, line, is_plain ? "" : "\033[0m"));
  for (const std::string& warning : launch.warnings) {
    // The line above names the reason; the run keeps the traceback.
    if (!warning.starts_with("Traceback "))
      say_to(stream_, fmt::format("  warning: {}\n", warning));
  }
  std::fflush(stream_);
}

void TerminalDisplay::tick(const RunProgress& progress) {
  if (!has_live_line_) return;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started_at_;
  const std::string line =
      fmt::format("[{}/{}]  {}  {} · about {} left", progress.done, progress.total, current_cell_,
                  format_duration(static_cast<double>(static_cast<int>(elapsed.count()))),
                  format_duration(progress.remaining_seconds));
  say_to(stream_, fmt::format("\r\033[K{}", cut_to_terminal_width(line, stream_)));
  std::fflush(stream_);
}

std::optional<std::chrono::milliseconds> TerminalDisplay::tick_interval() const {
  if (!has_live_line_) return std::nullopt;
  return std::chrono::milliseconds(1000);
}

}  // namespace labreport
