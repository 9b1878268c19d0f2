// Tries well-formed runs that nobody measured. The input chooses which values of a small run are
// replaced. A run is refused in one line, or becomes a report in every format.
#include <array>
#include <nlohmann/json.hpp>

#include "analysis/plausibility.h"
#include "base/text.h"
#include "experiments/sample_runs.h"
#include "fuzz/target.h"
#include "publish/run_files.h"
#include "results/run_json.h"
#include "writers/csv/cells_csv.h"
#include "writers/html/html.h"
#include "writers/markdown/markdown.h"
#include "writers/markdown/paper.h"
#include "writers/typst/typst.h"

namespace labreport::fuzz {

using nlohmann::json;

json small_run() {
  PlanInput input = testing_samples::plan_input(Preset::kDemo);
  input.selection.sizes = {known_sizes(input.edition, Preset::kDemo).front()};
  input.selection.modes = {Mode::kTrainStep};
  return json::parse(to_json(testing_samples::fake_run(input)));
}

struct ValuePlaces {
  json run = small_run();
  std::vector<json::json_pointer> all;  ///< Places of all values except objects.

  ValuePlaces() { add(run, json::json_pointer()); }

 private:
  void add(const json& value, const json::json_pointer& place) {
    if (!value.is_object()) all.push_back(place);
    if (!value.is_structured()) return;  // Otherwise its only item would be itself.
    for (const auto& [key, inner] : value.items()) {
      // Later samples of thousands test no more than the first few.
      if (value.is_array() && std::stoul(key) > 3) break;
      add(inner, value.is_array() ? place / std::stoul(key) : place / key);
    }
  }
};

json other_number(std::uint8_t choice, bool whole) {
  static const std::array<std::int64_t, 8> kWhole{
      0, 1, -1, 2, INT64_MAX, INT64_MIN, 1'000'000'007, std::int64_t{1} << 53};
  static const std::array<double, 8> kReal{0.0, -0.0, 0.5, -1e-300, 5e-324, 1e308, -1e308, 1e-9};
  return whole || choice % 16 < 8 ? json(kWhole.at(choice % 8)) : json(kReal.at(choice % 8));
}

json other_text(std::uint8_t choice) {
  static const std::array<std::string, 8> kTexts{"",
                                                 "<script>alert(1)</script>",
                                                 "{{title}} {{{x}}} {{#x}}",
                                                 "| a \\ ` * _ [x](javascript:1)",
                                                 "\\input{x} $ # % & ~ ^",
                                                 "#read(\"x\") $ @a <b>",
                                                 "\x01\x1b[31m\n\n- a\r\n\u202e",
                                                 std::string(3000, 'w')};
  return kTexts.at(choice % 8);
}

void change(json& value, std::uint8_t choice) {
  if (value.is_number()) {
    value = other_number(choice, value.is_number_integer() && choice < 128);
  } else if (value.is_string()) {
    value = other_text(choice);
  } else if (value.is_boolean()) {
    value = !value.get<bool>();
  } else if (value.is_array() && !value.empty()) {
    if (choice % 3 == 0) value.clear();
    if (choice % 3 == 1) value.erase(choice % value.size());
    if (choice % 3 == 2) value.push_back(value[choice % value.size()]);
  }
}

/// Updates the cells' ids, which contain a hash of their parameters. Otherwise a run with a changed
/// parameter would be refused.
void name_cells(json& run) {
  for (json& cell : run["cells"]) {
    const json request{
        {"kind", cell["kind"]}, {"params", cell["params"]}, {"launch", 0}, {"seed", 0}};
    accepted([&] { cell["id"] = cell_id(request_from_json(request.dump(), "cell").spec); });
  }
}

/// Changes one value for each three bytes of the input: two choose the value, and one the change.
std::string changed_run(const std::uint8_t* data, std::size_t size) {
  static const ValuePlaces places;
  json run = places.run;
  for (std::size_t i = 0; i + 3 <= size; i += 3) {
    const std::size_t place = data[i] * 256U + data[i + 1];
    const json::json_pointer& pointer = places.all.at(place % places.all.size());
    if (run.contains(pointer)) change(run[pointer], data[i + 2]);
  }
  name_cells(run);
  return run.dump();
}

void check_text(const std::string& text) { promise(is_utf8(text), "what is written is UTF-8"); }

void report(const Run& run) {
  const Document document = build_document(run, false);
  check_text(page_html(document, {}, {}));
  check_text(report_markdown(document, {}, Answers::kFull));
  check_text(report_paper(document, {}, {}));
  check_text(report_typst(document, {}, {}));
  check_text(cells_csv(run));
  for (const Attachment& file : table_files(document)) check_text(file.bytes);
  for (const Finding& finding : check_plausibility(run)) check_text(finding.text);
}

void report_changed(const std::uint8_t* data, std::size_t size) {
  Run run;
  const std::string text = changed_run(data, size);
  if (accepted([&] { run = run_from_json(text, "run.json"); })) accepted([&] { report(run); });
}

}  // namespace labreport::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  labreport::fuzz::report_changed(data, size);
  return 0;
}
