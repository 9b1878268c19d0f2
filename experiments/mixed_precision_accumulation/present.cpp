// Builds the datasets and facts of section.md from the loops' sums after every addition.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "experiments/common/command.h"
#include "experiments/problems.h"
#include "results/metric_names.h"

namespace labreport::mixed_precision_accumulation {
namespace {

struct Loop {
  std::string_view name;       ///< The metric's name.
  std::string_view label;      ///< "FP32 += FP16"
  double exact_addend = 0.01;  ///< The number that should be added.
  bool is_extra = false;       ///< True if the handout does not ask for the loop.
  double addend = 0;           ///< The number that was added: `exact_addend`, rounded to its dtype.
  std::vector<double> sums = {};
  std::vector<double> host_sums = {};  ///< The CPU's sums, if `sums` are a GPU's.

  /// Returns sum − additions · exact addend.
  double error_after(std::size_t additions) const {
    return sums[additions - 1] - static_cast<double>(additions) * exact_addend;
  }
  double error() const { return error_after(sums.size()); }
  /// Returns the number of additions after which the absolute error is largest.
  std::size_t worst_addition() const {
    std::size_t worst = 1;
    for (std::size_t n = 2; n <= sums.size(); ++n) {
      if (std::abs(error_after(n)) > std::abs(error_after(worst))) worst = n;
    }
    return worst;
  }
  /// Returns the part of `error()` from rounding the exact addend.
  double input_error() const { return static_cast<double>(sums.size()) * (addend - exact_addend); }
  double accumulator_error() const { return error() - input_error(); }
  bool errs_in_accumulator() const {
    return std::abs(accumulator_error()) > std::abs(input_error());
  }
  double increase(std::size_t addition) const { return sums[addition] - sums[addition - 1]; }
};

const std::vector<Loop> kKnownLoops{
    {.name = metric::kFp32Loop, .label = "FP32 += FP32"},
    {.name = metric::kFp16Loop, .label = "FP16 += FP16"},
    {.name = metric::kMixedLoop, .label = "FP32 += FP16"},
    {.name = metric::kCastLoop, .label = "FP32 += FP16 cast to FP32"},
    {.name = metric::kBf16Loop, .label = "BF16 += BF16", .is_extra = true},
    {.name = metric::kExactLoop, .label = "FP32 += halves", .exact_addend = 0.5, .is_extra = true}};

/// Returns the handout's loops in its order, then extra ones. Leaves out loops that did not run.
std::vector<Loop> loops_of(const Launch& launch) {
  const auto numbers = [&](std::string_view tag, std::string_view name) {
    const Metric* metric = launch.find(tag, name);
    return metric == nullptr ? std::vector<double>() : metric->numbers();
  };
  std::vector<Loop> loops;
  for (Loop loop : kKnownLoops) {
    loop.sums = numbers(metric::kRunningSum, loop.name);
    loop.host_sums = numbers(metric::kHostRunningSum, loop.name);
    const std::vector<double> addend = numbers(metric::kAddend, loop.name);
    if (loop.sums.empty() || addend.empty()) continue;
    loop.addend = addend.front();
    loops.push_back(std::move(loop));
  }
  return loops;
}

/// Returns null if no loop has that name.
const Loop* find_loop(const std::vector<Loop>& loops, std::string_view name) {
  const auto found = std::ranges::find(loops, name, &Loop::name);
  return found == loops.end() ? nullptr : &*found;
}

constexpr const char* kProblem = "mixed_precision_accumulation";
constexpr Notation kSum{Notation::kFixed, 4};  // PyTorch prints four decimals.
constexpr Notation kError{Notation::kNoTrailingZeros, 3};
constexpr Notation kRelative{Notation::kRelativeError, 2};
constexpr std::size_t kAdditionsPerPoint = 10;
constexpr std::size_t kShownAdditions[]{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};

/// Sets errors below 1e-12 to 0, because they come from computing the error in doubles.
double without_noise(double error) { return std::abs(error) < 1e-12 ? 0 : error; }

/// Returns the loop's label, with spaces that do not wrap.
std::string name_of(const Loop& loop) {
  return replaced(std::string(loop.label) + (loop.is_extra ? " (extra)" : ""), " ", "\u00a0");
}

const std::vector<Column<Loop>> kSumColumns{
    {"loop", "Loop", name_of},
    {"sum", "Final value", [](const Loop& loop) { return loop.sums.back(); }, "", kSum},
    {"error", "Error", [](const Loop& loop) { return without_noise(loop.error()); }, "", kError},
    {"relative", "Relative error",
     [](const Loop& loop) {
       return loop.error() / (loop.exact_addend * static_cast<double>(loop.sums.size()));
     },
     "%", kRelative},
    {"input_error", "Input rounding",
     [](const Loop& loop) { return without_noise(loop.input_error()); }, "", kError},
    {"accumulator_error", "Accumulator rounding",
     [](const Loop& loop) { return without_noise(loop.accumulator_error()); }, "", kError}};

struct RunningError {
  std::string loop;
  std::size_t additions;
  double error;
};

const std::vector<Column<RunningError>> kRunningErrorColumns{
    {"loop", "Loop", &RunningError::loop},
    {"additions", "Additions", &RunningError::additions, "", {Notation::kCount}},
    {"error", "Absolute error", &RunningError::error, "", kError}};

bool mixed_loops_agree(const std::vector<Loop>& loops) {
  const Loop* mixed = find_loop(loops, metric::kMixedLoop);
  const Loop* cast = find_loop(loops, metric::kCastLoop);
  return mixed != nullptr && cast != nullptr && mixed->sums == cast->sums;
}

/// Returns the points of the errors' curves. A loop whose final sum is exact has none. The two
/// loops that add FP16 to FP32 share a curve if all their sums are equal.
std::vector<RunningError> running_errors(const std::vector<Loop>& loops) {
  const bool agree = mixed_loops_agree(loops);
  std::vector<RunningError> rows;
  for (const Loop& loop : loops) {
    if (loop.error() == 0 || (agree && loop.name == metric::kCastLoop)) continue;
    std::string label(loop.label);
    if (agree && loop.name == metric::kMixedLoop) label += ", cast or not";
    for (std::size_t n = kAdditionsPerPoint; n <= loop.sums.size(); n += kAdditionsPerPoint) {
      const double error = std::abs(loop.error_after(n));
      if (error > 0) rows.push_back({label, n, error});  // A log axis has no zero.
    }
  }
  return rows;
}

/// Makes a row for each of some numbers of additions, among them that of FP16's largest error.
Dataset shown_errors_data(const std::vector<Loop>& loops) {
  std::vector<Column<std::size_t>> columns{
      {"additions", "Additions", [](std::size_t n) { return n; }, "", {Notation::kCount}}};
  for (const Loop& loop : loops) {
    const auto error = [&loop](std::size_t n) {
      return n <= loop.sums.size() ? Value(without_noise(loop.error_after(n))) : Value();
    };
    columns.push_back({std::string(loop.name), name_of(loop), error, "", kError});
  }
  std::set<std::size_t> additions(std::begin(kShownAdditions), std::end(kShownAdditions));
  if (const Loop* fp16 = find_loop(loops, metric::kFp16Loop)) {
    additions.insert(fp16->worst_addition());
    const auto step = [fp16](std::size_t n) {
      return n < 2 || n > fp16->sums.size() ? Value() : Value(fp16->increase(n - 1));
    };
    columns.push_back({"fp16_step", "FP16's step", step, "", kError});
  }
  return make_dataset("checkpoints", columns,
                      std::vector<std::size_t>(additions.begin(), additions.end()));
}

/// Returns by how much the sum grows in the middle and at the end. Returns nothing unless it is
/// rounded up there and down here, so that at most half of the largest error remains.
std::optional<Facts> cancellation_facts(const Loop& loop) {
  const std::size_t last = loop.sums.size() - 1, middle = last / 2;
  if (middle < 1) return std::nullopt;
  const double worst = loop.error_after(loop.worst_addition());
  const bool error_remains = std::abs(loop.error()) > worst / 2;
  if (error_remains || loop.increase(middle) <= loop.addend || loop.increase(last) >= loop.addend)
    return std::nullopt;
  return Facts()
      .set("midway", loop.increase(middle), kThreeDigits)
      .set("last", loop.increase(last), kThreeDigits);
}

/// Returns the facts of the usual explanation; nothing unless the loops' errors arise as it says.
std::optional<Facts> textbook_facts(const std::vector<Loop>& loops) {
  const Loop* fp32 = find_loop(loops, metric::kFp32Loop);
  const Loop* fp16 = find_loop(loops, metric::kFp16Loop);
  const Loop* mixed = find_loop(loops, metric::kMixedLoop);
  if (fp32 == nullptr || fp16 == nullptr || !mixed_loops_agree(loops)) return std::nullopt;
  if (!fp32->errs_in_accumulator() || !fp16->errs_in_accumulator() || mixed->errs_in_accumulator())
    return std::nullopt;
  return Facts()
      .set("fp32", fp32->sums.back(), kSum)
      .set("fp16", fp16->sums.back(), kSum)
      .when("cancels", cancellation_facts(*fp16))
      .set("mixed", mixed->sums.back(), kSum)
      .set("addend", mixed->addend, {Notation::kSignificant, 5});
}

Facts make_facts(const std::vector<Loop>& loops) {
  std::vector<std::string> differing;  // Loops whose sums differ between GPU and CPU.
  for (const Loop& loop : loops) {
    const bool differs = !loop.host_sums.empty() && loop.host_sums != loop.sums;
    if (differs) differing.emplace_back(loop.label);
  }
  const bool compared = !loops.empty() && !loops.front().host_sums.empty();
  return Facts()
      .when("textbook", textbook_facts(loops))
      .flag("same_bits", compared && differing.empty())
      .when("differs", !differing.empty(), "loops", join_words(differing));
}

}  // namespace

Presentation present(const RunView& view) {
  const Cell* cell = view.cell(CellKind::kAccumulation);
  if (cell == nullptr) return {};
  const Launch* launch = ok_launch(*cell);
  const auto loops = launch == nullptr ? std::vector<Loop>() : loops_of(*launch);
  PartContent part;
  part.facts = make_facts(loops);
  part.cells = {cell};
  part.datasets = {make_dataset("sums", kSumColumns, loops),
                   make_dataset("running-error", kRunningErrorColumns, running_errors(loops)),
                   shown_errors_data(loops)};
  part.details.tables = {command_table(view.run(), kProblem, {cell})};
  return {{"", std::move(part)}};
}

}  // namespace labreport::mixed_precision_accumulation
