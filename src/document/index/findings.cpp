// Makes the table of the topics' findings, which the index has for all GPUs and a GPU's page for
// one. Two GPUs have a column with the advantage of one of them.
#include <algorithm>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "document/index/pages.h"
#include "document/index/value_rows.h"
#include "results/cell.h"

namespace labreport {
namespace {

struct FindingRow {
  Value topic;
  std::string what;  ///< "xl (3.4 B), BF16, context 512, batch 4, step (ms)"
  std::string unit = {};
  std::vector<Value> cells = {};
  std::string id = {};  ///< Set in the first row of each page's topics, above which a rule stands.
};

/// Says one word of a setting or a name in the words of a reader who does not know the programs.
std::string plain_word(std::string_view word) {
  struct PlainWord {
    std::string_view word;
    const char* plain;
  };
  constexpr PlainWord kPlainWords[]{{"eager", "plain operators"},
                                    {"SDPA cuDNN", "one fused kernel (SDPA cuDNN)"},
                                    {"SDPA flash", "one fused kernel (SDPA flash)"},
                                    {"SDPA efficient", "one fused kernel (SDPA efficient)"},
                                    {"overlapped", "overlapped all-reduces"}};
  const auto known = std::ranges::find(kPlainWords, word, &PlainWord::word);
  if (known != std::end(kPlainWords)) return known->plain;
  constexpr std::string_view kRanks = " ranks";
  if (word.ends_with(kRanks))
    return std::string(word.substr(0, word.size() - kRanks.size())) + " GPUs";
  return std::string(word);
}

/// Says which changes of the network's ladder its step has; empty if no GPU has that ladder.
std::string words_of_changes(const ValueRow& row, const std::vector<GpuRuns>& gpus) {
  const std::string matmul(describe(Variant::kMatmul));
  const bool has_ladder =
      std::ranges::any_of(value_rows(topic::kFastestStep, gpus), [&](const ValueRow& rung) {
        return rung.name == matmul && rung.quantity().parameters == row.quantity().parameters &&
               rung.quantity().precision.starts_with(row.quantity().precision);
      });
  return has_ladder ? "linear layers as plain GEMMs" : "";
}

/// Says which number the row has: "xl (3.4 B), BF16, context 512, batch 4, step, linear layers as
/// plain GEMMs".
std::string row_words(const Topic& topic, const ValueRow& row, const std::vector<GpuRuns>& gpus) {
  const std::string_view name = topic.name;
  const std::string baseline =
      name == topic::kFastestStep ? baseline_name(topic, row.quantity()) + " baseline" : "";
  std::vector<std::string> words{row.network, row.quantity().precision};
  // Numbers have commas without a space: "context 2,048, batch 4".
  for (const std::string& word : listed_words(row.quantity().setting)) {
    if (word != baseline) words.push_back(plain_word(word));
  }
  if (name == topic::kMixedPrecision) {
    words.push_back(row.name + ", speedup over FP32");
  } else if (name == topic::kFastestStep) {
    words.push_back("all changes up to " + row.name);
  } else {
    words.push_back(plain_word(row.name));
  }
  if (name == topic::kTrainingStep || name == topic::kCompilation)
    words.push_back(words_of_changes(row, gpus));
  std::erase(words, "");
  return join(words, ", ");
}

/// Writes a row of MiB in GiB, like the other topics' bytes. Its numbers get keys of their own.
void show_in_gibibytes(FindingRow& row) {
  row.what = replaced(row.what, "(MiB)", "(GiB)");
  row.unit = "GiB";
  for (Value& cell : row.cells) {
    if (cell.number() == nullptr) continue;
    cell.content = *cell.number() * kBytesPerMebibyte / kBytesPerGibibyte;
    cell.key += "/gib";
  }
}

/// Returns the row of a topic; nothing if none of the GPUs at these places measured it.
std::optional<FindingRow> finding_row(const Topic& topic, const std::vector<GpuRuns>& gpus,
                                      const std::vector<std::size_t>& places,
                                      const std::string& root) {
  const auto rows = only(value_rows(topic.name, gpus), [&](const ValueRow& row) {
    return std::ranges::any_of(places,
                               [&](std::size_t gpu) { return row.by_gpu[gpu].has_value(); });
  });
  if (rows.empty()) return std::nullopt;
  FindingRow result{topic.name, "only numbers that are not known to be the GPU’s"};
  result.topic.link = topic_address(topic, root);
  const ValueRow* finding = conclusive_row(topic, rows);
  if (finding != nullptr) {
    result.what = row_words(topic, *finding, gpus) + " (" + finding->quantity().unit + ")";
    result.unit = finding->quantity().unit;
  }
  for (const std::size_t gpu : places)
    result.cells.push_back(finding == nullptr ? Value() : finding->value(gpu, root));
  if (result.unit == "MiB") show_in_gibibytes(result);
  return result;
}

}  // namespace

Dataset finding_data(const std::string& name, const std::vector<GpuRuns>& shown,
                     const std::vector<GpuRuns>& gpus, const std::string& root) {
  const auto places = each(shown, [&](const GpuRuns& gpu) {
    return static_cast<std::size_t>(std::ranges::find(gpus, gpu.name, &GpuRuns::name) -
                                    gpus.begin());
  });
  std::vector<FindingRow> rows;
  std::string page;
  for (const Topic& topic : kTopics) {
    auto row = finding_row(topic, gpus, places, root);
    if (!row) continue;
    const std::string own_page = topic.page == nullptr ? topic.name : topic.page;
    if (own_page != page) row->id = name + "-" + slug(own_page);
    page = own_page;
    rows.push_back(std::move(*row));
  }
  std::vector<Column<FindingRow>> columns{{"topic", "Topic", &FindingRow::topic},
                                          {"what", "What", &FindingRow::what}};
  for (std::size_t i = 0; i < shown.size(); ++i) {
    columns.push_back(
        {shown[i].name, shown[i].short_name, [i](const FindingRow& row) { return row.cells[i]; }});
  }
  add_advantage(
      columns, shown, [](const FindingRow& row, std::size_t i) { return row.cells[i]; },
      [](const FindingRow& row) { return row.unit; });
  return make_dataset(name, columns, rows);
}

}  // namespace labreport
