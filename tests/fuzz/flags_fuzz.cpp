// Tries values of flags, one on each line in the order of the flags below. They are refused in one
// line, or their plan can be stored and read again.
#include "analysis/match.h"
#include "base/text.h"
#include "cli/measure_flags.h"
#include "cli/output_flags.h"
#include "experiments/catalog.h"
#include "fuzz/target.h"
#include "results/run_json.h"

namespace labreport::fuzz {

/// Hands out the lines one by one. `next` returns nothing for an empty line and after the last one.
class Values {
 public:
  explicit Values(std::string_view text) : lines_(split(text, '\n')) {}

  std::optional<std::string> next() {
    if (at_ == lines_.size() || lines_[at_++].empty()) return std::nullopt;
    return lines_[at_ - 1];
  }

 private:
  std::vector<std::string> lines_;
  std::size_t at_ = 0;
};

Request request_of(Values& values) {
  Request flags;
  flags.edition = values.next();
  for (auto* flag :
       {&flags.preset, &flags.only, &flags.sizes, &flags.contexts, &flags.precisions, &flags.modes,
        &flags.gpus, &flags.batch, &flags.vocab, &flags.warmup, &flags.steps, &flags.launches}) {
    *flag = values.next();
  }
  if (const auto size = values.next()) flags.own_sizes.push_back(*size);
  return flags;
}

/// Checks that a run with these cells is written and read again the same.
void check_kept(const std::vector<PlannedCell>& cells) {
  Run run;
  run.edition = "2025";
  run.preset = "demo";
  for (const PlannedCell& cell : cells) run.find_or_add(cell.spec);
  const std::string written = to_json(run);
  promise(to_json(run_from_json(written, "run.json")) == written, "a plan is kept");
}

void plan(const Request& flags) {
  std::vector<PlannedCell> cells;
  const bool taken = accepted([&] {
    const Preset preset = flags.preset ? parse_name<Preset>(*flags.preset) : Preset::kFull;
    if (flags.gpus) parse_gpus(*flags.gpus);
    cells = plan_cells(plan_input(flags, preset, DeviceKind::kCuda), Run());
  });
  if (taken) check_kept(cells);
}

void try_flags(std::string_view text) {
  Values values(text);
  plan(request_of(values));
  accepted([&] { parse_answers(values.next().value_or("")); });
  accepted([&] { parse_formats(values.next().value_or("")); });
  accepted([&] { parse_allowed_mismatches(values.next().value_or("")); });
}

}  // namespace labreport::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  labreport::fuzz::try_flags(labreport::fuzz::text_of(data, size));
  return 0;
}
