// Two networks whose forward passes take about as long, although one has many more FLOPs.
#include "base/format.h"
#include "base/lists.h"
#include "base/statistics.h"
#include "experiments/benchmarking_mixed_precision/speedup.h"
#include "experiments/common/change.h"
#include "plan/arithmetic.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

constexpr double kAsLong = 1.1;     // One time over the other, at most.
constexpr double kMoreWork = 1.25;  // One's FLOPs over the other's, at least.
constexpr double kNoLess = 0.95;    // Of the larger network's kernels, what the smaller one's take.
constexpr double kMost = 0.8;       // Of a pass's time: its kernels set the pace.

/// Neighbors by size in the precision that answers speak of.
struct Tie {
  const Network *smaller, *larger;

  /// The larger network's FLOPs over the smaller's; 0 where they are not known.
  double work() const {
    const auto flops = [](const Network& network) {
      CellSpec spec = network.group->spec;
      spec.mode = Mode::kForward;
      return step_flops(spec).value_or(0);
    };
    return flops(*smaller) > 0 ? flops(*larger) / flops(*smaller) : 0;
  }
  bool holds() const {
    return smaller->group->spec.context == larger->group->spec.context && work() >= kMoreWork &&
           mean(larger->forward.ms) <= kAsLong * mean(smaller->forward.ms);
  }
};

bool mostly_rest(const Pass& pass) {
  return pass.kernels && pass.kernels->rest() > pass.kernels->gemms &&
         pass.kernels->total() >= kMost * mean(pass.ms);
}

/// Kernels other than GEMMs are most of both passes, and take no longer in the larger network.
bool rest_explains(const Tie& tie) {
  const Pass &small = tie.smaller->forward, &large = tie.larger->forward;
  return mostly_rest(small) && mostly_rest(large) &&
         small.kernels->rest() >= kNoLess * large.kernels->rest();
}

bool launches_explain(const Tie& tie) {
  return tie.smaller->forward.launch_bound.value_or(false) &&
         tie.larger->forward.launch_bound.value_or(false);
}

std::string milliseconds_of(const Network& network) {
  const Summary summary = summarize(network.forward.ms);
  return certain_digits(summary.mean, summary.stddev);
}

Facts tie_facts(const Tie& tie) {
  const bool launches = launches_explain(tie), rest = !launches && rest_explains(tie);
  Facts kernels;
  if (rest) {
    kernels.set("smaller_rest", tie.smaller->forward.kernels->rest(), {})
        .set("larger_rest", tie.larger->forward.kernels->rest(), {});
  }
  return Facts()
      .set("smaller", tie.smaller->size())
      .set("larger", tie.larger->size())
      .set("smaller_ms", milliseconds_of(*tie.smaller))
      .set("larger_ms", milliseconds_of(*tie.larger))
      .set("work", format_factor(tie.work()))
      .set("precision", tie.larger->precision())
      .flag("launches", launches)
      .when("rest", rest, kernels)
      .flag("unexplained", !launches && !rest);
}

}  // namespace

std::optional<Facts> near_tie(const std::vector<Pair>& pairs) {
  const std::vector<Pair> compared = spoken_of(pairs, &Network::forward);
  for (std::size_t i = 1; i < compared.size(); ++i) {
    const Tie tie{compared[i - 1].other, compared[i].other};
    if (tie.holds()) return tie_facts(tie);
  }
  return std::nullopt;
}

}  // namespace labreport::benchmarking_mixed_precision
