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

/// Renews the cells' ids, which are hashes of their parameters: otherwise no changed parameter
/// would pass.
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

void Shuffle::once() {
  using Step = void (Shuffle::*)();
  static constexpr std::array<Step, 20> kSteps{
      &Shuffle::set_number,      &Shuffle::swap_numbers,     &Shuffle::swap_texts,
      &Shuffle::set_text,        &Shuffle::drop_rows,        &Shuffle::drop_alike,
      &Shuffle::repeat_rows,     &Shuffle::change_columns,   &Shuffle::empty_cell,
      &Shuffle::drop_metric,     &Shuffle::cut_samples,      &Shuffle::change_cells,
      &Shuffle::change_param,    &Shuffle::change_outcome,   &Shuffle::exchange_parts,
      &Shuffle::reorder,         &Shuffle::change_head,      &Shuffle::change_launches,
      &Shuffle::set_texts_alike, &Shuffle::set_numbers_alike};
  (this->*dice_.one_of(kSteps))();
}

std::string shuffled_run(const json& recorded, std::uint64_t seed) {
  Dice dice(seed);
  json run = small_part(recorded, dice);
  Shuffle shuffle(run, dice);
  for (std::size_t left = dice.below(7); left > 0; --left) shuffle.once();
  name_cells(run);
  return run.dump();
}

}  // namespace labreport::fuzz
