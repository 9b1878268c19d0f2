#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/statistics.h"
#include "document/charts/charts.h"
#include "document/section.h"
#include "writers/sample_parts.h"

namespace labreport {
namespace {

/// Invents samples around `center`, the same on every call.
std::vector<double> samples_around(double center, double spread, int count) {
  std::vector<double> samples;
  for (int i = 0; i < count; ++i) {
    const double swing = (i * 7 + 3) % 11 / 5.0 - 1;
    samples.push_back(center * (1 + spread * swing));
  }
  return samples;
}

std::vector<double> steps_from_start(double first_step, double steady) {
  std::vector<double> steps = samples_around(steady, 0.004, 15);
  steps[0] = first_step;
  steps[1] = steady * 1.11;
  return steps;
}

Dot sample_dot(const std::string& row, const std::string& series, double center) {
  const Summary summary = summarize(samples_around(center, 0.0035, 10));
  return {row, series, summary.mean, format_value({summary.mean, summary.stddev})};
}

std::vector<std::string> series_of(const std::vector<Dot>& dots) {
  std::vector<std::string> series;
  for (const Dot& dot : dots) {
    if (std::ranges::find(series, dot.series) == series.end()) series.push_back(dot.series);
  }
  return series;
}

TableView duration_table(const std::string& title) {
  TableView table{.slug = "durations", .title = title, .columns = {}, .rows = {}};
  table.columns = {{"size", "", Align::kLeft},
                   {"forward", "ms"},
                   {"backward", "ms"},
                   {"optimizer", "ms"},
                   {"backward/forward", "×", Align::kRight, false, {Notation::kFixed, 2}},
                   {"variation", "%", Align::kRight, false, {Notation::kPercent}}};
  for (const SampleSize& size : sample_sizes()) {
    RowView row;
    row.cells = {
        size.name, {size.forward, size.forward * 0.0021}, {size.backward, size.backward * 0.0017}};
    if (size.optimizer > 0) {
      row.cells.emplace_back(size.optimizer, size.optimizer * 0.009);
      row.cells.emplace_back(size.backward / size.forward);
      row.cells.emplace_back(0.002);
    } else {
      row.missing_reason =
          "out of memory in optimizer: tried to allocate 100.0 MiB with 138.1 GiB allocated";
    }
    if (size.name == "large") row.flags = {"thermal slowdown", "outlier"};
    table.rows.push_back(row);
  }
  return table;
}

Figure duration_figure() {
  std::vector<Dot> dots;
  for (const SampleSize& size : sample_sizes()) {
    dots.push_back(sample_dot(size.name, "forward", size.forward));
    dots.push_back(sample_dot(size.name, "backward", size.backward));
    if (size.optimizer > 0) dots.push_back(sample_dot(size.name, "optimizer", size.optimizer));
  }
  return {.slug = "durations",
          .title = "Backward takes twice as long as forward at every size",
          .caption = "Means of 10 steps in **milliseconds** on a log axis; each tick is one step.",
          .alt = "Dots of forward, backward and optimizer times for five sizes.",
          .spec = dot_chart(dots),
          .table = duration_table("Durations of one step by phase")};
}

Figure step_figure(const std::string& mode, double scale) {
  std::vector<Dot> dots;
  TableView data{
      .slug = "steps", .title = "Each step from process start", .columns = {}, .rows = {}};
  data.columns = {{"size", "", Align::kLeft}};
  for (int i = 1; i <= 15; ++i)
    data.columns.push_back(
        {"step " + std::to_string(i), "ms", Align::kRight, false, {Notation::kFixed, 2}});
  for (const SampleSize& size : sample_sizes()) {
    const auto steps = steps_from_start(size.first_step, size.forward * scale);
    RowView row{{size.name}};
    for (const double step : steps) {
      row.cells.emplace_back(step);
      dots.push_back({size.name, mode, step, format_fixed(step, 2)});
    }
    data.rows.push_back(row);
  }
  return {.slug = "steps-" + mode,
          .title = "The first step costs hundreds of milliseconds, the second is nearly steady",
          .caption = "Mode " + mode + ", each step from process start.",
          .alt = "Time of each step for five sizes; the first step is by far the slowest.",
          .spec = dot_chart(dots),
          .table = data,
          .family = "Mode",
          .variant = mode};
}

Details sample_drawer() {
  std::vector<Dot> dots;
  TableView commands{
      .slug = "commands", .title = "The command of each row", .columns = {}, .rows = {}};
  commands.columns = {{"size", "", Align::kLeft}, {"command", "", Align::kLeft, true}};
  for (const SampleSize& size : sample_sizes()) {
    for (const double sample : samples_around(size.forward, 0.0035, 10)) {
      dots.push_back({size.name, "forward", sample});
    }
    commands.rows.push_back({{size.name, "labreport run --only benchmarking_script.b --sizes " +
                                             size.name + " --contexts 512 --warmup 5 --steps 10"}});
  }
  Figure figure{.slug = "samples",
                .title = "Every sample of the forward pass",
                .caption = "",
                .alt = "Each row's ten samples as distances from their mean.",
                .spec = dot_chart(dots),
                .table = {}};
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
### Method
A step synchronizes once, at its end; the phases come from a second set of steps that synchronizes
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

}  // namespace

const std::vector<SampleSize>& sample_sizes() {
  static const std::vector<SampleSize> sizes = {{"small", 10.62, 21.34, 4.9, 412},
                                                {"medium", 34.13, 68.31, 15.62, 447},
                                                {"large", 78.02, 155.1, 36.24, 505},
                                                {"xl", 161.4, 322.8, 75.1, 611},
                                                {"2.7B", 273.3, 548.9, 0, 748}};
  return sizes;
}

nlohmann::json dot_chart(const std::vector<Dot>& dots) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Dot& dot : dots) {
    rows.push_back(
        {{"row", dot.row}, {"series", dot.series}, {"value", dot.value}, {"text", dot.text}});
  }
  const auto field = [](const char* name) {
    return nlohmann::json{{"field", name}, {"type", "nominal"}};
  };
  nlohmann::json encoding = {
      {"x", {{"field", "value"}, {"type", "quantitative"}, {"title", "Time (ms)"}}},
      {"y", field("row")},
      {"tooltip", {field("row"), field("series"), field("text")}}};
  for (const char* sign : {"color", "shape"}) {
    encoding[sign] = field("series");
    encoding[sign]["scale"] = series_scale(sign, series_of(dots));
    encoding[sign]["legend"] = nullptr;
  }
  return {{"height", 300}, {"data", {{"values", rows}}}, {"mark", "point"}, {"encoding", encoding}};
}

Section sample_section() {
  std::map<std::string, PartContent> parts;
  parts["b"] = {.facts = sample_facts(),
                .figures = {duration_figure()},
                .tables = {duration_table("Forward, backward and optimizer, FP32, context 512")},
                .details = sample_drawer()};
  parts["c"] = {.facts = sample_facts(),
                .figures = {step_figure("forward", 1), step_figure("train-step", 3.2)},
                .tables = {},
                .details = {}};
  return compose_section(kWords, parts);
}

}  // namespace labreport
