#include "imports/import.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "results/bounds.h"
#include "results/metric_names.h"

namespace labreport::import_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kFacts = "gpu: Made Up\nedition: 2025\ncontext: 128\nprecision: fp32\n";

std::string repository_file(const std::string& path) {
  return read_file(std::string(LABREPORT_SOURCE_DIR) + "/" + path);
}

Run import_fixture(const std::string& name, const ImportFlags& flags = {}) {
  return import_table(repository_file("tests/fixtures/imports/" + name), name, flags);
}

std::string refusal(const std::string& text, const ImportFlags& flags = {}) {
  try {
    import_table(text, "table.md", flags);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::optional<double> mean(const Cell& cell, std::string_view name = metric::kTotal) {
  const Metric* found = cell.launches.at(0).find(metric::kPublished, name);
  return found == nullptr ? std::nullopt : found->number();
}

std::optional<double> deviation(const Cell& cell, std::string_view name = metric::kTotal) {
  const Metric* found = cell.launches.at(0).find(metric::kPublishedStddev, name);
  return found == nullptr ? std::nullopt : found->number();
}

std::string condition(const Cell& cell, std::string_view name) {
  const Metric* found = cell.launches.at(0).find_condition(metric::kProvenance, name);
  return found == nullptr ? "" : std::get<std::string>(std::get<Scalar>(found->data));
}

TEST(PublishedTable, MayHavePhasesWithoutTotals) {
  const auto run = import_fixture("phases.md", {{"context", "256"}});
  ASSERT_EQ(run.cells.size(), 10U);
  const Cell& medium = run.cells[6];
  EXPECT_EQ(medium.id,
            "timing.cuda.d1024-f4096-l24-h16-v10000.b4.c256.bf16.forward_backward.w5.n10");
  EXPECT_EQ(mean(medium, metric::kForward), 62'605'700);
  EXPECT_EQ(deviation(medium, metric::kForward), 779'580);
  EXPECT_EQ(mean(medium, metric::kBackward), 67'616'700);
  EXPECT_EQ(mean(medium), std::nullopt);
}

TEST(PublishedTable, MayTakeParametersFromFlags) {
  const auto run = import_fixture("frame.csv", {{"gpu", "Made Up"},
                                                {"edition", "2025"},
                                                {"context", "128"},
                                                {"precision", "fp32"},
                                                {"mode", "forward_backward"}});
  EXPECT_EQ(run.devices.at(0).name, "Made Up");
  EXPECT_EQ(mean(run.cells.at(1), metric::kBackward), 1'003'874'000);
}

TEST(PublishedTable, MaySayModeWarmUpAndStepsInEachRow) {
  const auto run = import_fixture("warmups.md", {{"precision", "fp32"}});
  ASSERT_EQ(run.cells.size(), 30U);
  EXPECT_EQ(run.cells[15].spec.mode, Mode::kForward);
  EXPECT_EQ(run.cells[15].spec.warmup, 0);
  EXPECT_EQ(mean(run.cells[15]), 43'315'500);
  EXPECT_EQ(deviation(run.cells[7]), 71'173) << "7.11728e-05 s";
}

TEST(PublishedTable, MayLackDeviations) {
  const auto run = import_fixture("precisions.md");
  EXPECT_EQ(mean(run.cells.at(9)), 365'090'000);
  EXPECT_EQ(run.cells[9].spec.precision, Precision::kBf16);
  EXPECT_EQ(deviation(run.cells[9]), std::nullopt);
}

TEST(PublishedTable, MayBeWrittenForReaders) {
  const auto run = import_fixture("as_published.md");
  ASSERT_EQ(run.cells.size(), 6U);
  EXPECT_EQ(run.cells[0].spec.size, "small");
  EXPECT_EQ(mean(run.cells[0], metric::kForward), 31'420'000);
  EXPECT_EQ(deviation(run.cells[0], metric::kForward), 350'000);
  EXPECT_EQ(deviation(run.cells[0], metric::kBackward), 510'000);
  EXPECT_EQ(mean(run.cells[2], metric::kBackward), 1'181'400'000);
  EXPECT_EQ(mean(run.cells[3], metric::kPeak), std::round(9.8 * (1 << 30)));
  EXPECT_EQ(run.cells[5].spec.size, "2.7B");
}

TEST(PublishedTable, KeepsTheForwardPassOfAStepWhoseBackwardRanOutOfMemory) {
  const Cell cell = import_fixture("as_published.md").cells.at(4);
  EXPECT_EQ(mean(cell, metric::kForward), 270'000'000);
  EXPECT_EQ(describe(cell.launches.at(0).outcome), "out of memory in backward");
}

TEST(ImportedRun, HasOwnCellsForPeaksAndOutcomesForOom) {
  const auto run = import_fixture("made_up.md");
  EXPECT_EQ(run.source, "imported");
  EXPECT_EQ(run.edition, "2026");
  ASSERT_EQ(run.cells.size(), 5U);
  EXPECT_EQ(mean(run.cells[0], metric::kOptimizer), 10'000'000);
  EXPECT_EQ(run.cells[1].spec.kind, CellKind::kMemory);
  EXPECT_EQ(mean(run.cells[1], metric::kPeak), 1.5 * (1 << 30));
  EXPECT_EQ(mean(run.cells[2]), 100'500'000);
  EXPECT_EQ(status_name(run.cells[3].launches.at(0).outcome), "oom");
  EXPECT_EQ(status_name(run.cells[4].launches.at(0).outcome), "oom");
  EXPECT_EQ(run.cells[4].spec.kind, CellKind::kMemory);
}

TEST(ImportedRun, RecordsProvenanceAndAssumptions) {
  const Cell cell = import_fixture("made_up.md").cells.at(2);
  EXPECT_EQ(condition(cell, metric::kTitle), "A table made up for this test");
  EXPECT_EQ(condition(cell, metric::kFile), "made_up.md");
  EXPECT_EQ(condition(cell, metric::kPlace), "line 9");
  EXPECT_EQ(condition(cell, metric::kAssumed),
            "batch 4, as in the handout; warmup 5, as in the handout; steps 10, as in the handout");
}

TEST(ImportedRun, MayHaveNetworksThatAreNoEditions) {
  const auto run = import_table(
      "gpu: A\nedition: 2025\ncontext: 256\nprecision: bf16\nmode: train_step\n"
      "size,vocab,batch,mean_ms\n"
      "\"nano=768,3072,12,12\",50257,8,20\n"
      "nano,50257,16,35\n"
      "small,10000,4,9\n",
      "table.csv", {});
  ASSERT_EQ(run.cells.size(), 3U);
  EXPECT_EQ(run.cells[0].spec.size, "nano");
  EXPECT_EQ(run.cells[0].spec.model,
            (ModelShape{.d_model = 768, .d_ff = 3072, .layers = 12, .heads = 12, .vocab = 50257}));
  EXPECT_EQ(run.cells[1].spec.model, run.cells[0].spec.model);
  EXPECT_EQ(run.cells[2].spec.model->vocab, 10000);
  EXPECT_EQ(run.cells[0].spec.warmup, 5);
}

TEST(ImportedRun, SaysWhichVocabularyItAssumesOfAnOwnNetwork) {
  const auto run = import_table(
      "gpu: A\nedition: 2025\nsize: nano=64,256,2,2\nbatch: 8\nwarmup: 1\nsteps: 3\n"
      "context,precision,mode,mean_ms\n256,fp32,forward,20\n",
      "table.csv", {});
  EXPECT_EQ(condition(run.cells.at(0), metric::kAssumed), "vocab 10000 of nano, as in the handout");
}

TEST(ImportedRun, MayComeFromASpreadsheet) {
  const auto run = import_table(
      "\xEF\xBB\xBFgpu: A, \"B\"\r\nedition: 2025\r\n\r\n"
      "\"size\",context,precision,mode,mean_ms\r\n"
      "\"small\",128,fp32,forward,\"12.5\"\r\n",
      "table.csv", {});
  EXPECT_EQ(run.devices.at(0).name, "A, \"B\"");
  EXPECT_EQ(mean(run.cells.at(0)), 12'500'000);
}

TEST(ImportedRun, KeepsMarkupAndFormulasInNamesAsText) {
  const std::string name = "=cmd|' /C calc'!A0 <script>x</script> \\input{x} #let x";
  EXPECT_EQ(import_table("edition: 2025\nsize,context,precision,mode,mean_ms\n"
                         "small,128,fp32,forward,5\n",
                         "table.csv", {{"gpu", name}})
                .devices.at(0)
                .name,
            name);
}

TEST(RefusedTable, IsReportedWithTheLine) {
  const std::pair<const char*, const char*> refused[]{
      {"", "table.md holds no published number"},
      {"size,mode,mean_ms\nsmall,forward,-\n", "table.md holds no published number"},
      {"GPU: 7\n", "table.md: line 5: unknown name 'GPU'; nearest: gpu; `labreport import"},
      {"mean_ms: 7\n", "line 5: unknown name 'mean_ms'"},
      {"title:\n", "line 5: title is empty"},
      {"context: 256\n", "line 5: context is given twice"},
      {"My results are here.\n", "line 5: unknown column 'My results are here.'"},
      {"model,mode,mean_ms\n", "line 5: unknown column 'model'; nearest: mode; the header '-' "},
      {"size,mode,mean_ns\n",
       "nearest: mean_ms; the header '-' leaves a column out; `labreport import --help`"},
      {"size,gpu\n", "line 5: gpu is no column; write a line 'gpu: …'"},
      {"size,context,mode\n", "line 5: context is given twice"},
      {"size,mean_ms,mean_s\n", "line 5: columns mean_ms and mean_s say the same"},
      {"mean_ms\n5\n", "line 5: nothing says size, mode; write a line 'size: …'"},
      {"size,mode,mean_ms\nsmall,forward\n", "line 6: 2 cells in a table of 3 columns"},
      {"size,mode,mean_ms\nsmal,forward,5\n",
       "line 6: unknown size of the 2025 edition 'smal'; use one of: small"},
      {"size,mode,mean_ms\n10B,forward,5\n", "unknown size of the 2025 edition '10B'"},
      {"|size|mode|mean_ms|\n|small=64,256,2,2|forward|5|\n",
       "line 6: small is a size of the 2025 edition; choose another name"},
      {"|size|mode|mean_ms|\n|nano=64,256,2|forward|5|\n",
       "line 6: size 'nano=64,256,2' is not of the form NAME=d_model,d_ff,layers,heads"},
      {"|size|mode|mean_ms|\n|nano=64,256,2,2|forward|5|\n|Nano=64,256,4,2|forward|5|\n",
       "line 7: Nano is another network than in a row before; choose another name"},
      {"size,vocab,mode,mean_ms\nsmall,0,forward,5\n",
       "line 6: vocab is '0'; write a whole number"},
      {"size,mode,mean_ms\nsmall,fwd,5\n", "line 6: unknown mode 'fwd'"},
      {"size,mode,batch,mean_ms\nsmall,forward,4.5,5\n",
       "line 6: batch is '4.5'; write a whole number, at least 1"},
      {"size,mode,mean_ms\nsmall,forward,5 m\n",
       "line 6: mean_ms is '5 m'; give its unit, ms or s"},
      {"size,mode,peak\nsmall,forward,5 GB\n", "line 6: peak is '5 GB'; give its unit, MiB or GiB"},
      {"size,mode,mean\nsmall,forward,5\n", "line 6: mean is '5'; give its unit"},
      {"size,mode,mean_ms\nsmall,forward,5 (0.1)\n", "line 6: mean_ms is '5 (0.1)'"},
      {"size,mode,mean_ms\nsmall,forward,5 ± 1 ± 1\n", "line 6: mean_ms is '5 ± 1 ± 1'"},
      {"size,mode,mean_ms,stddev_ms\nsmall,forward,5 ± 1,1\n", "its deviation is given twice"},
      {"|size|mode|mean_ms|\n|small|forward|1,181|\n",
       "line 6: mean_ms is '1,181'; write it without a comma, which may be a point"},
      {"size,mode,mean_ms,forward_ms\nsmall,forward_backward,5,OOM\n",
       "line 6: a step that ran out of memory has no times after that"},
      {"size,mode,mean_ms\nsmall,forward,=1+1\n", "line 6: mean_ms is '=1+1'"},
      {"|size|mode|mean_ms|\n|-|-|-|\n|small|forward|1,5|\n", "line 7: mean_ms is '1,5'"},
      {"size,mode,mean_ms\nsmall,forward,0\n", "line 6: mean_ms is '0'"},
      {"size,mode,mean_ms\nsmall,forward,1e300\n", "line 6: mean_ms is '1e300'"},
      {"size,mode,mean_ms,stddev_ms\nsmall,forward,5,-1\n", "line 6: stddev_ms is '-1'"},
      {"size,mode,stddev_ms\nsmall,forward,5\n", "a deviation stands without its mean"},
      {"size,mode,mean_ms,stddev_ms\nsmall,forward,OOM,5\n",
       "line 6: a step that ran out of memory has no times"},
      {"size,mode,optimizer_ms\nsmall,forward_backward,5\n",
       "line 6: a step of mode forward_backward has no optimizer"},
      {"size,mode,mean_ms\nsmall,forward,5\nsmall,forward,6\n", "line 7: repeats line 6"},
      {"title: a\x1B[31m\n", "line 5: it holds a control character"},
      {"title: a\xFF\n", "line 5: it is no UTF-8"}};
  for (const auto& [table, complaint] : refused) {
    EXPECT_THAT(refusal(std::string(kFacts) + table), HasSubstr(complaint)) << table;
  }
}

TEST(RefusedTable, IsReportedWithAllItsFaults) {
  EXPECT_EQ(refusal(std::string(kFacts) +
                    "colour: red\nsize,mode,batch,mean_ms\nsmal,fwd,4,5\nsmall,forward,0,1;5\n"
                    "small,forward,4,5\n")
                .substr(0, 41),
            "table.md: line 5: unknown name 'colour'; ");
  const std::vector<std::string> lines = split(
      refusal(std::string(kFacts) + "size,mode,batch,mean_ms\nsmal,fwd,4,5\nsmall,forward,0,1;5\n"
                                    "small,forward,4,5\n"),
      '\n');
  EXPECT_THAT(lines, testing::ElementsAre(StartsWith("table.md: line 6: unknown size"),
                                          StartsWith("table.md: line 6: unknown mode 'fwd'"),
                                          StartsWith("table.md: line 7: batch is '0'"),
                                          StartsWith("table.md: line 7: mean_ms is '1;5'")));
  std::string many = std::string(kFacts) + "size,mode,mean_ms\n";
  for (int i = 0; i < 100; ++i) many += "small,forward,x\n";
  EXPECT_THAT(split(refusal(many), '\n'), testing::SizeIs(21));
}

TEST(RefusedFlag, IsReportedLikeALine) {
  EXPECT_EQ(refusal(kFacts, {{"context", "256"}}), "table.md: line 3: context is given twice");
  EXPECT_THAT(refusal("", {{"gpu", "\x07"}}), HasSubstr("control character"));
}

TEST(HostileTable, IsRefusedAtItsFirstBadLine) {
  EXPECT_THAT(refusal(std::string(1 << 20, ',')), StartsWith("table.md: line 1: it has more than"));
  std::string text = std::string(kFacts) + "size,mode,steps,mean_ms\n";
  for (std::size_t i = 1; i <= kMaxCells + 1; ++i) text += fmt::format("small,forward,{},5\n", i);
  EXPECT_EQ(refusal(text), fmt::format("table.md: line {}: more than 4,000 cells; import parts of "
                                       "the table",
                                       6 + kMaxCells));
}

/// Returns the field's row in docs/importing.md.
std::string documentation_row(const ImportField& field) {
  std::vector<std::string> names;
  for (const std::string& name : field.column_names()) names.push_back("`" + name + "`");
  return fmt::format("| {} | {} | {} |\n", join(names, ", "), field.meaning, field.if_absent);
}

TEST(Documentation, ListsAllFields) {
  std::string lines, columns;
  for (const ImportField& field : import_fields()) {
    (field.place == ImportField::Place::kLine ? lines : columns) += documentation_row(field);
  }
  const std::string text = repository_file("docs/importing.md");
  EXPECT_THAT(text, HasSubstr(lines));
  EXPECT_THAT(text, HasSubstr(columns));
  EXPECT_THAT(text, HasSubstr(std::string(kExampleHeader)));
}

TEST(Documentation, HasAnExampleToCopy) {
  const std::string text = repository_file("docs/importing.md");
  const std::string begin = "```csv\n";
  const std::size_t at = text.find(begin) + begin.size();
  const auto run = import_table(text.substr(at, text.find("```", at) - at), "example.csv", {});
  EXPECT_EQ(run.cells.size(), 3U);
}

}  // namespace
}  // namespace labreport::import_test
