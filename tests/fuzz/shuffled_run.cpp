#include "fuzz/shuffled_run.h"

#include <array>
#include <set>

#include "fuzz/shuffle.h"
#include "fuzz/small_part.h"
#include "fuzz/target.h"
#include "results/run_json.h"

namespace labreport::fuzz {
namespace {

using nlohmann::json;

/// Updates the cells' ids, which contain a hash of their parameters, and removes cells with a
/// repeated id. Otherwise a run with a changed parameter would be refused.
void name_cells(json& run) {
  std::set<std::string> names;
  json kept = json::array();
  for (json& cell : run["cells"]) {
    const json request{
        {"kind", cell["kind"]}, {"params", cell["params"]}, {"launch", 0}, {"seed", 0}};
    accepted([&] { cell["id"] = cell_id(request_from_json(request.dump(), "cell").spec); });
    if (names.insert(cell["id"]).second) kept.push_back(std::move(cell));
  }
  run["cells"] = kept;
}

}  // namespace

void RunShuffler::change_once() {
  using Step = void (RunShuffler::*)();
  static constexpr std::array<Step, 20> kSteps{
      &RunShuffler::set_number,      &RunShuffler::swap_numbers,     &RunShuffler::swap_texts,
      &RunShuffler::set_text,        &RunShuffler::drop_rows,        &RunShuffler::drop_alike,
      &RunShuffler::repeat_rows,     &RunShuffler::change_columns,   &RunShuffler::empty_cell,
      &RunShuffler::drop_metric,     &RunShuffler::cut_samples,      &RunShuffler::change_cells,
      &RunShuffler::change_param,    &RunShuffler::change_outcome,   &RunShuffler::exchange_parts,
      &RunShuffler::reorder,         &RunShuffler::change_head,      &RunShuffler::change_launches,
      &RunShuffler::set_texts_alike, &RunShuffler::set_numbers_alike};
  (this->*dice_.one_of(kSteps))();
}

std::string shuffled_run(const json& recorded, std::uint64_t seed) {
  Dice dice(seed);
  json run = small_part(recorded, dice);
  RunShuffler shuffle(run, dice);
  for (std::size_t left = dice.below(7); left > 0; --left) shuffle.change_once();
  name_cells(run);
  return run.dump();
}

}  // namespace labreport::fuzz
