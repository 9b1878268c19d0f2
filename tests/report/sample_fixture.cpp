#include "report/sample_fixture.h"

#include "base/format.h"
#include "base/statistics.h"
#include "report/chart_forms.h"
#include "report/section.h"

namespace labreport {
namespace {

struct SampleSize {
  std::string name;
  double forward, backward, optimizer, first;
};

const std::vector<SampleSize> kSizes = {{"small", 10.62, 21.34, 4.9, 412},
                                        {"medium", 34.13, 68.31, 15.62, 447},
                                        {"large", 78.02, 155.1, 36.24, 505},
                                        {"xl", 161.4, 322.8, 75.1, 611},
                                        {"2.7B", 273.3, 548.9, 0, 748}};

/// Invented samples around `centre`: the same on every call.
std::vector<double> samples_around(double centre, double spread, int count) {
  std::vector<double> samples;
  for (int i = 0; i < count; ++i) {
    const double swing = (i * 7 + 3) % 11 / 5.0 - 1;
    samples.push_back(centre * (1 + spread * swing));
  }
  return samples;
}

std::vector<double> steps_from_start(double first, double steady) {
  std::vector<double> steps = samples_around(steady, 0.004, 15);
  steps[0] = first;
  steps[1] = steady * 1.11;
  return steps;
}

CellView number(double value, double deviation) {
  return {.text = format_with_deviation(value, deviation).joined(), .sort = value};
}

CellView words(const std::string& text, bool muted = false) {
  return {.text = text, .sort = {}, .muted = muted};
}

std::vector<std::string> size_names() {
  std::vector<std::string> names;
  for (const SampleSize& size : kSizes) names.push_back(size.name);
  return names;
}

Dot sample_dot(const std::string& group, const std::string& series, double centre) {
  const std::vector<double> samples = samples_around(centre, 0.0035, 10);
  const Summary summary = summarize(samples);
  return {group, series, summary.mean, number(summary.mean, summary.stddev).text, samples};
}

TableView duration_table(const std::string& title) {
  TableView table{.slug = "durations", .title = title, .columns = {}, .rows = {}};
  table.columns = {{"size", "", Align::kLeft}, {"forward", "ms"},     {"backward", "ms"},
                   {"optimizer", "ms"},        {"backward/forward", "×"}, {"variation", "%"}};
  for (const SampleSize& size : kSizes) {
    RowView row;
    row.cells = {words(size.name), number(size.forward, size.forward * 0.0021),
                 number(size.backward, size.backward * 0.0017)};
    if (size.optimizer > 0) {
      row.cells.push_back(number(size.optimizer, size.optimizer * 0.009));
      row.cells.push_back(words(format_ratio(size.backward / size.forward)));
      row.cells.push_back(words("0.2"));
    } else {
      row.note = "out of memory in optimizer: asked 100.0 MiB, 138.1 GiB in use";
    }
    if (size.name == "large") row.flags = {"thermal slowdown", "outlier"};
    table.rows.push_back(row);
  }
  return table;
}

Figure duration_figure() {
  std::vector<Dot> dots;
  for (const SampleSize& size : kSizes) {
    dots.push_back(sample_dot(size.name, "forward", size.forward));
    dots.push_back(sample_dot(size.name, "backward", size.backward));
    if (size.optimizer > 0) dots.push_back(sample_dot(size.name, "optimizer", size.optimizer));
  }
  return {.slug = "durations",
          .title = "Backward takes twice as long as forward at every size",
          .caption = "Means of 10 steps in **milliseconds** on a log axis; each tick is one step.",
          .alt = "Dots of forward, backward and optimizer times for five sizes.",
          .spec = dot_chart({"Time", "ms"}, size_names(), {"forward", "backward", "optimizer"},
                            dots, {{"2.7B", "optimizer: out of memory"}}),
          .data = duration_table("Durations of one step by phase")};
}

Figure step_figure() {
  std::vector<Line> lines;
  TableView data{.slug = "steps", .title = "Each step from process start", .columns = {}, .rows = {}};
  data.columns = {{"size", "", Align::kLeft}};
  for (int i = 1; i <= 15; ++i) data.columns.push_back({"step " + std::to_string(i), "ms"});
  for (const SampleSize& size : kSizes) {
    const auto steps = steps_from_start(size.first, size.forward);
    lines.push_back({size.name, steps});
    RowView row{.cells = {words(size.name)}, .flags = {}, .note = ""};
    for (const double step : steps) {
      row.cells.push_back({.text = format_fixed(step, 2), .sort = step});
    }
    data.rows.push_back(row);
  }
  return {.slug = "steps-forward",
          .title = "The first step costs hundreds of milliseconds, the second is nearly steady",
          .caption = "Forward, each step from process start.",
          .alt = "Time of each step for five sizes; the first step is by far the slowest.",
          .spec = step_chart({.quantity = {"Time", "ms"},
                              .lines = lines,
                              .notes = {{1, kSizes.back().first, "kernels load, cuBLAS chooses"}},
                              .shaded = 5,
                              .shade_text = "warm-up"}),
          .data = data};
}

Drawer sample_drawer() {
  std::vector<Strip> strips;
  TableView commands{.slug = "commands", .title = "The command of each row", .columns = {}, .rows = {}};
  commands.columns = {{"size", "", Align::kLeft}, {"command", "", Align::kLeft, true}};
  for (const SampleSize& size : kSizes) {
    strips.push_back({size.name, samples_around(size.forward, 0.0035, 10)});
    commands.rows.push_back(
        {.cells = {words(size.name),
                   words("labreport run --only benchmarking_script.b --sizes " + size.name +
                         " --contexts 512 --warmup 5 --steps 10")},
         .flags = {},
         .note = ""});
  }
  Figure figure{.slug = "samples",
                .title = "Every sample of the forward pass",
                .caption = "",
                .alt = "Each row's ten samples as distances from their mean.",
                .spec = strip_chart(strips),
                .data = {}};
  return {.method = "",
          .tables = {commands},
          .figures = {figure},
          .warnings = {"large: the GPU slowed itself for 120 ms because of its temperature"}};
}

constexpr std::string_view kWords = R"(
# benchmarking_script: Timing the training step
## (b) Forward, backward and optimizer
### Question
How long do the forward pass, the backward pass and the optimizer take at each size, with 5 warm-up
and 10 timed steps? Do the measurements vary much?
### Answer
At size {{size}} a forward pass takes **{{forward}}** and a backward pass **{{backward}}**,
{{ratio}} times the forward pass.
{{#steady}}The steps vary little: the standard deviation is at most 0.4 % of the mean at every size.{{/steady}}
{{^steady}}The steps vary.{{/steady}}
### Facts
- forward, {{size}}: **{{forward}}**
- backward, {{size}}: **{{backward}}**
### Method
A step synchronises once, at its end; the phases come from a second set of steps that synchronises
after each phase. The deviation is the sample standard deviation (*n* − 1).
## (c) What warm-up steps are for
### Question
What changes when the steps are counted from a fresh process, with 0, 1 or 2 warm-up steps?
### Answer
Without warm-up the mean of ten forward passes at size {{size}} rises from **{{forward}}** to
**320.8 ms**, since the first step alone takes 748 ms.
After one warm-up step the second still takes 11 % more than the rest.
)";

Facts sample_facts() {
  Facts facts;
  facts.set("size", "2.7B");
  facts.set("forward", "273.30 ± 0.57 ms");
  facts.set("backward", "548.90 ± 0.93 ms");
  facts.set("ratio", "2.01");
  facts.flag("steady", true);
  return facts;
}

Section sample_section() {
  std::map<std::string, PartContent> parts;
  parts["b"] = {.facts = sample_facts(),
                .figures = {duration_figure()},
                .tables = {duration_table("Forward, backward and optimizer, FP32, context 512")},
                .drawer = sample_drawer()};
  parts["c"] = {.facts = sample_facts(), .figures = {step_figure()}, .tables = {}, .drawer = {}};
  return compose_section(kWords, parts);
}

TableView sample_matrix() {
  TableView matrix{.slug = "ran", .title = "Context 512, batch 4, FP32", .columns = {}, .rows = {}};
  matrix.columns = {{"size", "", Align::kLeft},
                    {"inference", "", Align::kLeft},
                    {"forward", "", Align::kLeft},
                    {"forward+backward", "", Align::kLeft},
                    {"train step", "", Align::kLeft}};
  for (const SampleSize& size : kSizes) {
    RowView row{.cells = {words(size.name)}, .flags = {}, .note = ""};
    for (int mode = 0; mode < 4; ++mode) {
      const bool oom = mode == 3 && size.optimizer == 0;
      row.cells.push_back(words(oom ? "out of memory in optimizer" : "ok", !oom));
    }
    matrix.rows.push_back(row);
  }
  return matrix;
}

TableView sample_environment() {
  TableView table{.slug = "environment", .title = "Environment", .columns = {}, .rows = {}};
  table.columns = {{"what", "", Align::kLeft}, {"value", "", Align::kLeft}};
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"GPU", "NVIDIA H200, 139.8 GiB, 132 multiprocessors, 700 W"},
      {"Driver", "580.65.06"},
      {"CUDA", "13.0"},
      {"LibTorch", "2.11.0"},
      {"Processor", "Example CPU, 16 cores"},
      {"TF32", "off"}};
  for (const auto& [what, value] : rows) {
    table.rows.push_back({.cells = {words(what), words(value)}, .flags = {}, .note = ""});
  }
  return table;
}

}  // namespace

Document sample_document() {
  Document document;
  document.title = "Profiling and benchmarking (§1.1): NVIDIA H200";
  document.device = "NVIDIA H200";
  document.edition = "2025";
  document.preset = "full";
  document.date = "2026-05-01";
  document.revision = "a1b2c3d";
  document.provenance =
      "labreport a1b2c3d · driver 580.65.06 · CUDA 13.0 · LibTorch 2.11.0 · FP32, TF32 off · "
      "batch 4, vocabulary 10,000";
  document.reference = true;
  document.outcome_line = "21 cells: 20 ok, 1 out of memory";
  document.glance = {{"forward, 2.7B", "273.30 ms", "benchmarking_script-b"},
                     {"backward, 2.7B", "548.90 ms", "benchmarking_script-b"},
                     {"backward/forward, 2.7B", "2.01 ×", "benchmarking_script-b"},
                     {"of the measured FP32 peak, 2.7B forward", "93.1 %", "benchmarking_script-b"},
                     {"first step, 2.7B forward", "748 ms", "benchmarking_script-c"},
                     {"did not fit: 2.7B train step", "1 cell", "ran"}};
  document.matrix = sample_matrix();
  document.sections = {sample_section()};
  document.method =
      "Times are read from the host's clock after the device has finished; CUDA events stand beside "
      "them.\n\n- The steps ran in C++ (LibTorch).\n- Launch-bound rows are marked.";
  document.environment = sample_environment();
  document.reproduce = "git checkout a1b2c3d\nmake report EDITION=2025 PRESET=full";
  return document;
}

Document demonstration_document() {
  Document document = sample_document();
  document.device = "<script>alert(1)</script> & | `CPU` **bold**";
  document.title = "Profiling and benchmarking (§1.1): " + document.device;
  document.preset = "demo";
  document.date = "2026-05-02";
  document.reference = false;
  document.demonstration = true;
  document.incomplete = true;
  return document;
}

RowView text_row(const std::vector<std::string>& texts) {
  RowView row;
  for (const std::string& text : texts) row.cells.push_back(words(text));
  return row;
}

std::vector<std::string> FakeChartTool::draw(const std::vector<std::string>& specs) {
  ++starts;
  return std::vector<std::string>(
      specs.size(),
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"20\" height=\"10\" viewBox=\"0 0 20 10\">"
      "<clipPath id=\"clip7\"><rect width=\"20\" height=\"10\"/></clipPath>"
      "<g clip-path=\"url(#clip7)\"></g></svg>");
}

}  // namespace labreport
