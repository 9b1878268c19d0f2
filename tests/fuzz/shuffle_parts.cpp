// Drops, repeats and exchanges rows, columns, cells and launches.
#include <algorithm>
#include <array>

#include "fuzz/shuffle.h"

namespace labreport::fuzz {

using nlohmann::json;

void RunShuffler::drop_rows() {
  json* one = table();
  if (one == nullptr) return;
  json kept = json::array();
  const std::size_t most = dice_.once_in(3) ? 0 : dice_.below(4);
  for (const json& row : (*one)["rows"]) {
    if (kept.size() < most || (most > 0 && dice_.once_in(2))) kept.push_back(row);
  }
  (*one)["rows"] = kept;
}

void RunShuffler::drop_alike() {
  json* one = filled_table();
  if (one == nullptr) return;
  const std::size_t column = dice_.below((*one)["columns"].size());
  const json value = dice_.one_of((*one)["rows"])[column];
  const bool others = dice_.once_in(3);
  json kept = json::array();
  for (const json& row : (*one)["rows"]) {
    if ((row[column] == value) == others) kept.push_back(row);
  }
  (*one)["rows"] = kept;
}

void RunShuffler::repeat_rows() {
  json* one = filled_table();
  if (one == nullptr) return;
  const json row = dice_.one_of((*one)["rows"]);
  for (std::size_t i = dice_.below(4); i < 4; ++i) (*one)["rows"].push_back(row);
}

void RunShuffler::change_columns() {
  json* one = filled_table();
  if (one == nullptr) return;
  const std::size_t count = (*one)["columns"].size();
  const std::size_t a = dice_.below(count);
  const std::size_t b = dice_.below(count);
  const bool drop = dice_.once_in(2);
  const auto change = [&](json& list) {
    if (drop) {
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(a));
    } else {
      std::swap(list[a], list[b]);
    }
  };
  if (drop || dice_.once_in(2)) change((*one)["columns"]);
  for (json& row : (*one)["rows"]) change(row);
}

void RunShuffler::change_cells() {
  json& cells = run_["cells"];
  if (cells.empty()) return;
  const std::size_t which = dice_.below(cells.size());
  if (dice_.once_in(2)) {
    cells.erase(which);
  } else {
    json twin = cells[which];
    change_params(twin);
    cells.push_back(twin);
  }
}

void RunShuffler::change_params(json& cell) {
  static const std::vector<const char*> kShape{"d_model", "d_ff",  "layers", "heads",
                                               "vocab",   "batch", "context"};
  json& params = cell["params"];
  switch (dice_.below(6)) {
    case 0:
      params["precision"] = std::array{"fp32", "tf32", "bf16", "fp16"}[dice_.below(4)];
      break;
    case 1:
      params["mode"] =
          std::array{"inference", "forward", "forward_backward", "train_step"}[dice_.below(4)];
      break;
    case 2:
      params[dice_.once_in(2) ? "warmup" : "steps"] = dice_.below(12);
      break;
    case 3:
      if (!params.empty())
        params.erase(
            std::next(params.begin(), static_cast<std::ptrdiff_t>(dice_.below(params.size()))));
      params["device_kind"] = dice_.once_in(4) ? "cpu" : "cuda";
      break;
    case 4:
      params["size"] = dice_.one_of(hostile_words());
      break;
    default:
      params[dice_.one_of(kShape)] = std::array{1, 2, 3, 16, 128, 2048, 1000000}[dice_.below(7)];
  }
}

void RunShuffler::change_param() {
  if (json* one = cell()) change_params(*one);
}

void RunShuffler::change_outcome() {
  json* one = launch();
  if (one == nullptr) return;
  static const std::vector<json> kOutcomes{
      {{"status", "ok"}},
      {{"status", "oom"},
       {"phase", "backward"},
       {"requested_bytes", nullptr},
       {"in_use_bytes", 5},
       {"peak_bytes", 10000000000000000}},
      {{"status", "skipped"}, {"reason", "=no | *reason*"}},
      {{"status", "timeout"}, {"limit_seconds", 1e18}},
      {{"status", "crashed"}, {"signal", 1000000}, {"message", ""}},
      {{"status", "error"}, {"message", "x\ny"}}};
  (*one)["outcome"] = dice_.one_of(kOutcomes);
  if (dice_.once_in(2)) (*one)["metrics"] = json::array();
  if (dice_.once_in(2)) (*one)["tables"] = json::array();
}

void RunShuffler::exchange_parts() {
  json* a = launch();
  json* b = launch();
  if (a == nullptr || b == nullptr || a == b) return;
  const char* part = std::array{"metrics", "tables", "conditions", "outcome"}[dice_.below(4)];
  std::swap((*a)[part], (*b)[part]);
}

void RunShuffler::reorder() {
  json* one = filled_table();
  if (one == nullptr) return;
  if (dice_.once_in(2)) return dice_.shuffle((*one)["rows"]);
  const std::size_t column = dice_.below((*one)["columns"].size());
  json& rows = (*one)["rows"];
  for (std::size_t i = rows.size(); i > 1; --i) {
    std::swap(rows[i - 1][column], rows[dice_.below(i)][column]);
  }
}

void RunShuffler::change_head() {
  switch (dice_.below(3)) {
    case 0:
      run_["edition"] = dice_.once_in(2) ? "2025" : "2026";
      break;
    case 1:
      run_["preset"] = std::array{"full", "quick", "demo"}[dice_.below(3)];
      break;
    default:
      run_["devices"].push_back(run_["devices"].empty() ? json() : run_["devices"][0]);
      run_["devices"].back()["kind"] = dice_.once_in(2) ? "cpu" : "cuda";
      if (json* one = launch()) (*one)["device"] = run_["devices"].size() - 1;
  }
}

void RunShuffler::change_launches() {
  json* one = cell();
  if (one == nullptr) return;
  json& launches = (*one)["launches"];
  if (launches.empty() || dice_.once_in(2)) {
    launches = json::array();
  } else {
    launches.push_back(dice_.one_of(launches));
  }
}

}  // namespace labreport::fuzz
