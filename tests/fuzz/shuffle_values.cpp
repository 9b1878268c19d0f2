// Replaces values and texts.
#include <algorithm>
#include <array>
#include <cstdint>
#include <set>

#include "fuzz/shuffle.h"

namespace labreport::fuzz {

using nlohmann::json;

namespace {

constexpr std::array<std::int64_t, 12> kWhole{0,         1,          -1,
                                              2,         3,          31,
                                              1'000'000, 4294967296, 1'000'000'000'000'000,
                                              127,       128,        10'000'000'000'000'000};
constexpr std::array<double, 10> kReal{0.0,  0.5,  -0.5,  5e-324, 1e-300,
                                       1e15, 1e18, -1e18, 1e-9,   3.7};

}  // namespace

const std::vector<std::string>& hostile_words() {
  static const std::vector<std::string> words{"forward",
                                              "loss",
                                              "backward",
                                              "optimizer",
                                              "bf16",
                                              "fp32",
                                              "gemm",
                                              "softmax",
                                              "layers.0/attn",
                                              "layers.31/ffn/w1",
                                              "layers.x/",
                                              "/",
                                              "Linear",
                                              "aten::mm",
                                              "torch.float32",
                                              "0–31",
                                              "activations",
                                              "parameters",
                                              "kept",
                                              "",
                                              "0",
                                              "<script>alert(1)</script>",
                                              "{{title}} {{{x}}} {{#x}}",
                                              "| a \\ ` * _ [x](javascript:1)",
                                              "\\input{x} $ # % & ~ ^",
                                              "#read(\"x\") $ @a <b>",
                                              "=1+1",
                                              "\n\n- a\r\n\u202e",
                                              "void f<a<b, (c)0>, lambda(int)#1>(d::e<f>)",
                                              "((((<<<<",
                                              std::string(300, 'w')};
  return words;
}

void OpenValues::add(json& value, const std::string& key) {
  static const std::set<std::string> kRestrictedKeys{
      "schema_version", "edition",  "preset",     "source",    "id",      "kind",
      "device",         "status",   "precision",  "mode",      "ecc",     "mig",
      "dirty",          "revision", "started_at", "uuid_hash", "session", "device_kind"};
  if (kRestrictedKeys.contains(key)) return;
  if (value.is_number()) numbers.push_back(&value);
  if (value.is_string()) texts.push_back(&value);
  if (!value.is_structured()) return;
  for (auto item = value.begin(); item != value.end(); ++item) {
    add(*item, value.is_object() ? item.key() : "");
  }
}

json RunShuffler::number(const json& like) {
  if (like.is_number_integer() && !dice_.once_in(4)) return dice_.one_of(kWhole);
  return dice_.once_in(2) ? json(dice_.one_of(kReal)) : json(dice_.one_of(kWhole));
}

OpenValues RunShuffler::open_values() {
  OpenValues found;
  found.add(dice_.once_in(6) ? run_ : run_["cells"], "");
  return found;
}

json* RunShuffler::cell() { return run_["cells"].empty() ? nullptr : &dice_.one_of(run_["cells"]); }

json* RunShuffler::launch() {
  json* one = cell();
  return one == nullptr || (*one)["launches"].empty() ? nullptr : &dice_.one_of((*one)["launches"]);
}

json* RunShuffler::table() {
  json* one = launch();
  return one == nullptr || (*one)["tables"].empty() ? nullptr : &dice_.one_of((*one)["tables"]);
}

json* RunShuffler::filled_table() {
  json* one = table();
  return one == nullptr || (*one)["rows"].empty() || (*one)["columns"].empty() ? nullptr : one;
}

json* RunShuffler::metric() {
  json* one = launch();
  if (one == nullptr) return nullptr;
  json& list = (*one)[dice_.once_in(4) ? "conditions" : "metrics"];
  return list.empty() ? nullptr : &dice_.one_of(list);
}

void RunShuffler::set_number() {
  const OpenValues found = open_values();
  if (found.numbers.empty()) return;
  json& value = *dice_.one_of(found.numbers);
  value = number(value);
}

void RunShuffler::set_metrics(const json& like, const json& value) {
  for (json& cell : run_["cells"]) {
    for (json& launch : cell["launches"]) {
      for (const char* list : {"metrics", "conditions"}) {
        for (json& metric : launch[list]) {
          if (metric["tag"] != like["tag"] || metric["name"] != like["name"]) continue;
          json& numbers = metric[metric.contains("samples") ? "samples" : "value"];
          if (numbers.is_number()) numbers = value;
          if (!numbers.is_array()) continue;
          for (json& sample : numbers) sample = value;
        }
      }
    }
  }
}

void RunShuffler::set_columns(const std::string& table, const std::string& column,
                              const json& value) {
  for (json& cell : run_["cells"]) {
    for (json& launch : cell["launches"]) {
      for (json& other : launch["tables"]) {
        if (other["name"] != table) continue;
        for (std::size_t i = 0; i < other["columns"].size(); ++i) {
          if (other["columns"][i]["name"] != column) continue;
          for (json& row : other["rows"])
            if (row[i].is_number()) row[i] = value;
        }
      }
    }
  }
}

void RunShuffler::set_numbers_alike() {
  if (const json* like = dice_.once_in(2) ? metric() : nullptr) {
    set_metrics(json(*like), number(dice_.once_in(2) ? json(0) : json(0.0)));
  } else if (const json* one = filled_table()) {
    const std::string name = (*one)["name"];
    const std::string column = dice_.one_of(one->at("columns")).at("name");
    set_columns(name, column, number(0));
  }
}

void RunShuffler::swap_numbers() {
  const OpenValues found = open_values();
  if (found.numbers.size() > 1)
    std::swap(*dice_.one_of(found.numbers), *dice_.one_of(found.numbers));
}

void RunShuffler::swap_texts() {
  const OpenValues found = open_values();
  if (found.texts.size() > 1) std::swap(*dice_.one_of(found.texts), *dice_.one_of(found.texts));
}

void RunShuffler::set_text() {
  const OpenValues found = open_values();
  if (!found.texts.empty()) *dice_.one_of(found.texts) = dice_.one_of(hostile_words());
}

void RunShuffler::set_texts_alike() {
  const OpenValues found = open_values();
  if (found.texts.empty()) return;
  const json old = *dice_.one_of(found.texts);
  const json other =
      dice_.once_in(2) ? json(dice_.one_of(hostile_words())) : *dice_.one_of(found.texts);
  for (json* text : found.texts) {
    if (*text == old) *text = other;
  }
}

void RunShuffler::empty_cell() {
  if (json* value = dice_.once_in(3) ? metric() : nullptr) {
    value->erase("samples");
    (*value)["value"] = nullptr;
  } else if (json* one = filled_table()) {
    json& row = dice_.one_of((*one)["rows"]);
    dice_.one_of(row) = nullptr;
  }
}

void RunShuffler::drop_metric() {
  json* one = launch();
  if (one == nullptr) return;
  json& list = (*one)[dice_.once_in(5) ? "tables" : dice_.once_in(4) ? "conditions" : "metrics"];
  if (!list.empty()) list.erase(dice_.below(list.size()));
}

void RunShuffler::cut_samples() {
  json* one = metric();
  if (one == nullptr || !one->contains("samples")) return;
  json& samples = (*one)["samples"];
  const std::size_t length = dice_.once_in(2) ? 0 : dice_.below(samples.size() + 3);
  const json last = samples.empty() ? json(1) : samples.back();
  while (samples.size() > length) samples.erase(samples.size() - 1);
  while (samples.size() < length) samples.push_back(last);
}

}  // namespace labreport::fuzz
