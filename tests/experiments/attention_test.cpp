// Tests the two problems about attention: their plans, and the runs in which each sentence appears.
#include <gmock/gmock.h>

#include "base/error.h"
#include "base/lists.h"
#include "experiments/sample_runs.h"

namespace labreport::attention_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using namespace testing_samples;

std::vector<CellSpec> attention_plan(const PlanInput& input) {
  return planned(input, CellKind::kAttention);
}

Part attention_part(const char* problem, const Change& change = unchanged) {
  return part_of(fake_run(input_for(problem), change), problem);
}

/// Returns the lines of one table in all its variants, whose slugs begin with `slug_start`.
std::vector<std::string> table_lines(const Part& part, std::string_view slug_start) {
  std::vector<std::string> result;
  for (const TableView& table : part.tables) {
    if (table.slug.starts_with(slug_start))
      std::ranges::copy(lines_of(table), std::back_inserter(result));
  }
  return result;
}

using CellFilter = std::function<bool(const CellSpec&)>;
using RowChange = std::function<void(const NamedRow&)>;

/// Changes the rows of attention in the cells that `applies` accepts.
Change change_rows(RowChange change, CellFilter applies = [](const CellSpec&) { return true; }) {
  return where([=](const CellSpec& spec) { return spec.attention && applies(spec); },
               each_row(metric::kAttention, change));
}

CellFilter has_backend(AttentionBackend backend) {
  return [=](const CellSpec& spec) { return spec.attention->backend == backend; };
}

/// True for the sweep over the two lengths beyond those of the handout.
bool is_longer_sweep(const CellSpec& spec) { return spec.attention->lengths.size() == 2; }

bool ran_out_of_memory(const NamedRow& row) {
  return row.has(column::kOutcome, metric::kOutOfMemory);
}

TEST(AttentionPlan, HasACellForEachHeadDimensionAndPrecision) {
  for (const char* edition : {"2025", "2026"}) {
    const auto specs = attention_plan(input_for("pytorch_attention", Preset::kFull, edition));
    ASSERT_EQ(specs.size(), 4u * 2 + 4) << "four dimensions, in FP32 with two sweeps each";
    EXPECT_EQ(cell_id(specs.front()),
              "attention.cuda.synced.eager.d16-h1.s256-1024-4096-8192-16384.b8.fp32.w10.n100");
    EXPECT_EQ(cell_id(specs.at(1)),
              "attention.cuda.synced.eager.d16-h1.s24576-32768.b8.fp32.w2.n10");
    EXPECT_EQ(cell_id(specs.back()),
              "attention.cuda.synced.eager.d128-h1.s256-1024-4096-8192-16384-24576-32768.b8.bf16."
              "w2.n10");
  }
}

TEST(AttentionPlan, HasOneFp32CellForEachBackendWithoutFp32) {
  const auto specs = attention_plan(input_for("flash_benchmarking"));
  const auto count = [&](AttentionBackend backend, Precision precision) {
    return std::ranges::count_if(specs, [&](const CellSpec& spec) {
      return spec.attention->backend == backend && spec.precision == precision &&
             spec.attention->method == AttentionMethod::kDoBench;
    });
  };
  EXPECT_EQ(count(AttentionBackend::kFlash, Precision::kFp32), 1);
  EXPECT_EQ(count(AttentionBackend::kFlash, Precision::kBf16), 4);
  EXPECT_EQ(count(AttentionBackend::kEager, Precision::kFp32), 4);
  EXPECT_EQ(specs.size(), 2u * 5 * 4 - 2 * 3 + 4)
      << "precisions × backends × dimensions, without three FP32 cells each of two backends, and "
         "four of the leaderboard";
  EXPECT_EQ(specs.back().attention->heads, 16);
}

TEST(AttentionPlan, SweepsTheUsersContextsShortestFirst) {
  PlanInput input = input_for("pytorch_attention");
  input.selection.contexts = {512, 128, 512};
  EXPECT_EQ(attention_plan(input).front().attention->lengths,
            (std::vector<std::int64_t>{128, 512}));
  input.selection.contexts.clear();
  for (std::int64_t i = 1; i <= 17; ++i) input.selection.contexts.push_back(i);
  EXPECT_THROW(attention_plan(input), InputError);
}

TEST(AttentionMemory, AccountsForTheLengthThatRunsOut) {
  const Part part = attention_part("pytorch_attention");
  // 141 GiB hold the six tensors of 18 GiB, not those of 32 GiB.
  EXPECT_THAT(
      part.answer,
      AllOf(HasSubstr(
                "FP32 runs out of memory at **32,768 tokens** and BF16 runs "
                "up to **32,768 tokens**, beyond the handout's lengths. FP32's backward asks for a "
                "third "
                "tensor of scores, `8 · S² · 4 B` = **32 GiB**, with 64.1 GiB of 141 GiB in use "
                "(reserved: 128 GiB). A pass peaks at 6 (exponentials, probabilities' gradient, "
                "division's four temporaries), as at 24,576 tokens: **192 GiB**."),
            testing::ContainsRegex("At 16,384 tokens .d = 128. forward takes .* in FP32")));
  EXPECT_EQ(table_lines(part, "grid").size(), 7u) << "the widest heads";
  EXPECT_EQ(lines_of(table_of(part, "narrower-grid")).size(), 3u * 7);
  EXPECT_THAT(table_lines(part, "grid"), Contains(HasSubstr("out of memory in backward")));
}

TEST(AttentionMemory, NamesAnEmptyCacheOnlyIfWorkersEmptiedIt) {
  const Part part = attention_part("pytorch_attention", [](const CellSpec&, Launch& launch) {
    std::erase_if(launch.metrics,
                  [](const Metric& metric) { return metric.tag == metric::kForwardPeak; });
  });
  EXPECT_THAT(part.details.method, Not(HasSubstr("empty cache")));
  EXPECT_THAT(attention_part("pytorch_attention").details.method, HasSubstr("an empty cache"));
}

TEST(AttentionMemory, SaysIfTheRecordedBytesDoNotExplainTheEnd) {
  const Change not_recorded = [](const CellSpec&, Launch& launch) {
    std::erase_if(launch.metrics,
                  [](const Metric& metric) { return metric.tag == metric::kRefusedReserved; });
  };
  EXPECT_THAT(attention_part("pytorch_attention", not_recorded).answer,
              HasSubstr("GiB outside tensors."));
  EXPECT_THAT(attention_part("pytorch_attention").answer, Not(HasSubstr("that would fit")));
}

TEST(AttentionMemory, CountsTensorsOnlyIfTheyExplainTheEnd) {
  const auto scaled_answer = [](std::string_view name, double factor) {
    return attention_part("pytorch_attention",
                          change_rows([=](const NamedRow& row) { row.scale(name, factor); }))
        .answer;
  };
  const auto half_of = [&](std::string_view name) { return scaled_answer(name, 0.5); };
  EXPECT_THAT(half_of(column::kPeakBytes), Not(HasSubstr("asks for"))) << "the GPU has as much";
  EXPECT_THAT(half_of(column::kRequestedBytes), Not(HasSubstr("asks for")))
      << "no tensor of scores";
  EXPECT_THAT(half_of(column::kInUseBytes), HasSubstr("asks for a second tensor"));
  EXPECT_THAT(scaled_answer(column::kInUseBytes, 0.75), Not(HasSubstr("asks for")))
      << "one and a half tensors are in use";
  EXPECT_THAT(half_of(column::kBeforeBackwardBytes), Not(HasSubstr("two tensors")));
}

TEST(AttentionMemory, GrowsQuadraticallyIfTwoLongLengthsSaveTwoTensors) {
  EXPECT_THAT(attention_part("pytorch_attention").answer,
              HasSubstr("quadratic in length: **16.1 GiB** at 16,384."));
  PlanInput input = input_for("pytorch_attention");
  input.selection.contexts = {256, 1024, 4096};
  EXPECT_THAT(part_of(fake_run(input, unchanged), "pytorch_attention").answer,
              Not(HasSubstr("quadratically")));
}

TEST(AttentionMemory, SaysIfEveryLengthFits) {
  const Change without_ran_out = [](const CellSpec& spec, Launch& launch) {
    if (!spec.attention) return;
    for (Table& table : launch.tables)
      std::erase_if(table.rows, [&](auto& cells) {
        return NamedRow(table, cells)[column::kOutcome] != Scalar(std::string(metric::kRan));
      });
  };
  const Part part = attention_part("pytorch_attention", without_ran_out);
  EXPECT_THAT(
      part.answer,
      AllOf(HasSubstr("FP32 runs up to **24,576 tokens** and BF16 up to **32,768 tokens**."),
            Not(HasSubstr("runs out of"))));
}

TEST(AttentionMemory, ShowsNoPeakInARowThatRanOutOfMemory) {
  const auto count_peak = [](const NamedRow& row) {
    if (ran_out_of_memory(row)) row[column::kPeakBytes] = std::int64_t{77} << 20;
  };
  EXPECT_THAT(table_lines(attention_part("pytorch_attention", change_rows(count_peak)), "grid"),
              Each(Not(HasSubstr("77.0"))));
}

TEST(AttentionMemory, ShowsNoNegativeBytesIfInputsExceedWhatForwardLeaves) {
  const auto leave_nothing = [](const NamedRow& row) {
    row[column::kBeforeBackwardBytes] = std::int64_t{0};
  };
  EXPECT_THAT(table_lines(attention_part("pytorch_attention", change_rows(leave_nothing)), "grid"),
              Each(Not(HasSubstr("−"))));
}

TEST(AttentionMemory, NamesTheLengthThatRanOutInLongerRows) {
  const auto run_out = [](const NamedRow& row) {
    const bool longest = row.number(column::kLength) == 32'768;
    row[column::kOutcome] = std::string(longest ? metric::kNotTried : metric::kOutOfMemory);
    if (longest) row[column::kReason] = std::string("24576 ran out of memory");
  };
  EXPECT_THAT(
      table_lines(attention_part("pytorch_attention", change_rows(run_out, is_longer_sweep)),
                  "grid"),
      AllOf(Contains(HasSubstr("not run: 24,576 ran out of memory")),
            Each(Not(HasSubstr("24576")))));
}

TEST(AttentionMemory, CountsThePassesOfTheLengthsThatRan) {
  PlanInput input = input_for("pytorch_attention");
  EXPECT_THAT(part_of(fake_run(input), "pytorch_attention").details.method,
              HasSubstr("beyond the handout's lengths and in BF16 10"));
  input.selection.contexts = {256, 1024};
  EXPECT_THAT(part_of(fake_run(input), "pytorch_attention").details.method,
              Not(HasSubstr("beyond the handout's lengths")));
}

TEST(AttentionMemory, GivesTheReasonIfEveryCellCrashed) {
  const Part part = attention_part("pytorch_attention", [](const CellSpec& spec, Launch& launch) {
    if (spec.attention) end_with(launch, Crashed{11, "gone"});
  });
  EXPECT_THAT(part.answer, HasSubstr("FP32 did not run: crashed"));
}

TEST(AttentionLatencies, NameTheFastestAndItsSpeedup) {
  const Part part = attention_part("flash_benchmarking");
  EXPECT_THAT(
      part.answer,
      testing::ContainsRegex("In BF16 \\*\\*SDPA flash\\*\\* takes \\*\\*[0-9.]+ ms\\*\\* for both "
                             "passes at 65,536 tokens "
                             "and d = 64, eager \\*\\*[0-9]+×\\*\\* as long\\. In FP32 "
                             "\\*\\*SDPA efficient\\*\\* is \\*\\*20×\\*\\* as fast at 65,536\\."));
  EXPECT_THAT(part.details.findings,
              HasSubstr("PyTorch does not run SDPA flash and SDPA cuDNN in FP32."));
  EXPECT_THAT(table_lines(part, "leaderboard"), Contains(HasSubstr("SDPA cuDNN")));
}

TEST(AttentionLatencies, RankNothingWithinTheDeviations) {
  const auto widen_deviation = [](const NamedRow& row) {
    if (row.number(column::kLength) > 512) return;
    row[attention_column(metric::kEndToEnd, "stddev_ns")] =
        row[attention_column(metric::kEndToEnd, "median_ns")];
  };
  const Part part = attention_part(
      "flash_benchmarking", change_rows(widen_deviation, has_backend(AttentionBackend::kCudnn)));
  EXPECT_THAT(table_lines(part, "fastest"),
              Contains(HasSubstr("the fastest lie within their deviations")));
}

Change scaled_latencies(double factor, const CellFilter& applies) {
  return change_rows(
      [factor](const NamedRow& row) {
        row.scale(attention_column(metric::kEndToEnd, "median_ns"), factor);
      },
      applies);
}

TEST(AttentionLatencies, NameNoSpeedupOverADisturbedMedian) {
  const auto answer_with = [](double factor) {
    const auto is_eager = has_backend(AttentionBackend::kEager);
    return attention_part("flash_benchmarking", scaled_latencies(factor, is_eager)).answer;
  };
  EXPECT_THAT(answer_with(2), HasSubstr("as long"));
  EXPECT_THAT(answer_with(300), Not(HasSubstr("as long")))
      << "forward and backward apart are as fast as ever";
}

/// Eager's time is that of its scores, whatever d is.
Change with_times_of_scores() {
  return change_rows(
      [](const NamedRow& row) {
        const auto length = row.number(column::kLength);
        row[attention_column(metric::kEndToEnd, "median_ns")] = length * length / 16;
        row[attention_column(metric::kForward, "median_ns")] = length * length / 48;
        row[attention_column(metric::kBackward, "median_ns")] = length * length / 24;
      },
      has_backend(AttentionBackend::kEager));
}

TEST(AttentionLatencies, GiveTheReasonOfAGrowingGainIfScoresSetEagersTime) {
  const auto answer_with_narrow_times = [](double factor) {
    const auto is_narrow = [](const CellSpec& spec) { return spec.attention->head_dim == 16; };
    return attention_part("flash_benchmarking",
                          combined(with_times_of_scores(), scaled_latencies(factor, is_narrow)))
        .answer;
  };
  EXPECT_THAT(answer_with_narrow_times(0.99),
              testing::ContainsRegex("The gain grows from .* reaches at most .* TFLOP/s"));
  EXPECT_THAT(answer_with_narrow_times(0.9), Not(HasSubstr("grows"))) << "it depends on d";
  EXPECT_THAT(answer_with_narrow_times(1.01), Not(HasSubstr("grows"))) << "it falls with d";
  EXPECT_THAT(attention_part("flash_benchmarking").answer, Not(HasSubstr("grows")));
}

TEST(AttentionLatencies, NameTheLongestLengthAtWhichEagerRan) {
  const auto run_out = [](const NamedRow& row) {
    if (row.number(column::kLength) != 65'536) return;
    row[column::kOutcome] = std::string(metric::kOutOfMemory);
    row[column::kPhase] = std::string("backward");
  };
  EXPECT_THAT(attention_part("flash_benchmarking",
                             change_rows(run_out, has_backend(AttentionBackend::kEager)))
                  .answer,
              testing::ContainsRegex("In BF16 .* at 32,768 tokens and d = 64, eager .* as long; "
                                     "eager runs out of memory at 65,536\\."));
}

TEST(AttentionLatencies, GiveTheReasonOfALengthThatWouldTakeTooLong) {
  const auto take_too_long = [](const NamedRow& row) {
    if (row.number(column::kLength) != 65'536) return;
    row[column::kOutcome] = std::string(metric::kNotTried);
    row[column::kReason] = std::string("not run: a pass at 32768 takes longer than 5 s");
    for (const auto pass : {metric::kForward, metric::kBackward, metric::kEndToEnd})
      row[attention_column(pass, "median_ns")] = Scalar();
  };
  const Part part = attention_part(
      "flash_benchmarking", change_rows(take_too_long, has_backend(AttentionBackend::kEager)));
  std::vector<std::string> lines;
  for (const TableView& table : part.details.tables)
    std::ranges::move(lines_of(table), std::back_inserter(lines));
  EXPECT_THAT(part.answer, Not(HasSubstr("out of memory")));
  EXPECT_THAT(lines, Contains(HasSubstr("takes longer than 5 s")));
}

TEST(AttentionLatencies, DrawEachHeadDimension) {
  std::vector<std::string> variants;
  for (const Figure& figure : attention_part("flash_benchmarking").details.figures)
    variants.push_back(figure.variant);
  EXPECT_THAT(variants, testing::ElementsAre("d = 16, BF16", "d = 32, BF16", "d = 128, BF16",
                                             "d = 16, FP32", "d = 32, FP32", "d = 128, FP32"));
}

TEST(AttentionLatencies, GrowOnlyWhileOneImplementationLeads) {
  const auto slow_down = [](const NamedRow& row) {  // The shorter the sequence is, the more.
    const auto length = row.number(column::kLength);
    row.scale(attention_column(metric::kEndToEnd, "median_ns"),
              (length == 4'096 ? 2 : 1) + 1e3 / static_cast<double>(length));
  };
  const Change others =
      combined(with_times_of_scores(), scaled_latencies(1.5, has_backend(AttentionBackend::kMath)));
  const Change change = change_rows(slow_down, has_backend(AttentionBackend::kEfficient));
  EXPECT_THAT(attention_part("flash_benchmarking", combined(others, change)).answer,
              testing::ContainsRegex("as fast at 65,536, up from [0-9.]+× at 8,192\\."));
}

TEST(AttentionRows, BuildTheReasonOfARefusedAllocationFromItsNumbers) {
  const auto other_words = [](const NamedRow& row) {
    if (ran_out_of_memory(row))
      row[column::kReason] = std::string("asked 32.00 GiB, 97.13 GiB in use");
  };
  EXPECT_THAT(table_lines(attention_part("pytorch_attention", change_rows(other_words)), "grid"),
              AllOf(Contains(HasSubstr("out of memory in backward: tried to allocate")),
                    Each(Not(HasSubstr("in use")))));
}

/// Plans also an attention function of the user's.
PlanInput input_with_users_attention() {
  PlanInput input = input_for("flash_benchmarking");
  input.selection.attentions.push_back({.implementation = "Flash-0a1b2c3d"});
  return input;
}

Part users_attention_part(const Change& change) {
  return part_of(fake_run(input_with_users_attention(), change), "flash_benchmarking");
}

bool is_users_attention(const CellSpec& spec) {
  return spec.attention && spec.attention->backend == AttentionBackend::kCustom;
}

TEST(UsersAttention, HasACellForEachHeadDimensionAndPrecision) {
  const auto specs = attention_plan(input_with_users_attention());
  EXPECT_EQ(std::ranges::count_if(specs, is_users_attention), 2 * 4 + 1);
  EXPECT_EQ(cell_id(*std::ranges::find_if(specs, is_users_attention)),
            "attention.cuda.Flash-0a1b2c3d.do_bench.custom.d16-h1.s128-256-512-1024-2048-4096-8192-"
            "16384-32768-65536.b1.fp32");
  for (const CellSpec& spec : specs)
    EXPECT_EQ(spec.implementation.empty(), !is_users_attention(spec));
}

TEST(UsersAttention, IsComparedWithEagerInTheAnswer) {
  const Part part = users_attention_part(unchanged);
  EXPECT_THAT(part.answer, testing::ContainsRegex(
                               "\\(yours\\)\\*\\* in BF16: .* ms at 65,536 tokens, where SDPA"));
  EXPECT_THAT(table_lines(part, "leaderboard"), Contains(HasSubstr("Flash (yours)")));
}

TEST(UsersAttention, HasItsFirstPassApart) {
  const auto record = [](const CellSpec& spec, Launch& launch) {
    if (!is_users_attention(spec)) return;
    for (const std::int64_t length : {256, 128, 512}) {  // in the order of measuring
      launch.metrics.push_back(integer_metric(metric::kCompile, std::to_string(length), "ns",
                                              1'000'000 * (length == 256 ? 7'000 : length)));
    }
  };
  const Part part = users_attention_part(record);
  EXPECT_THAT(part.details.findings,
              HasSubstr("Flash (yours)'s first pass of a process in BF16, in which code may "
                        "compile, takes 7.00 s at 256 tokens."));
  EXPECT_THAT(part.details.method, HasSubstr("*First pass* is that of your code"));
  const auto latencies = [](const Part& shown) {
    return *std::ranges::find_if(shown.details.tables, [](const TableView& table) {
      return table.slug.starts_with("latencies");
    });
  };
  EXPECT_THAT(texts_in(latencies(part), "First pass"), Contains("0.512"));
  const Part old = users_attention_part(unchanged);
  EXPECT_THAT(old.details.findings, Not(HasSubstr("first pass")));
  EXPECT_THAT(old.details.method, Not(HasSubstr("*First pass*")));
  EXPECT_THAT(each(latencies(old).columns, &ColumnView::title), Not(Contains("First pass")));
}

TEST(UsersAttention, HasTimesOfItsOwnBesideAnother) {
  PlanInput input = input_with_users_attention();
  input.selection.attentions.push_back({.implementation = "Slow-1b2c3d4e"});
  const auto is_slow = [](const CellSpec& spec) { return spec.implementation == "Slow-1b2c3d4e"; };
  const auto slow_down = [](const NamedRow& row) {
    row.scale(attention_column(metric::kEndToEnd, "median_ns"), 1'000);
  };
  const auto ms_of = [](const std::string& answer, const std::string& name) {
    const std::string start = "**" + name + " (yours)** in BF16: ";
    return answer.substr(answer.find(start) + start.size(), 8);
  };
  const std::string equal = part_of(fake_run(input), "flash_benchmarking").answer;
  EXPECT_EQ(ms_of(equal, "Slow"), ms_of(equal, "Flash"));
  const std::string answer =
      part_of(fake_run(input, change_rows(slow_down, is_slow)), "flash_benchmarking").answer;
  EXPECT_EQ(ms_of(answer, "Flash"), ms_of(equal, "Flash"));
  EXPECT_NE(ms_of(answer, "Slow"), ms_of(equal, "Slow"));
}

TEST(UsersAttention, HasAnErrorAndNoTimeIfInaccurate) {
  const auto inaccurate = [](const NamedRow& row) {
    row[column::kOutcome] = std::string(metric::kInaccurate);
    row[column::kReason] = std::string("a gradient is off by 0.5");
    for (const auto pass : {metric::kForward, metric::kBackward, metric::kEndToEnd}) {
      for (const auto statistic : kTimeStatistics) {
        row[attention_column(pass, statistic)] = Scalar();
      }
    }
  };
  EXPECT_THAT(users_attention_part(change_rows(inaccurate, is_users_attention)).answer,
              HasSubstr("**Flash (yours)** in BF16: not timed, a gradient is off by 0.5."));
}

TEST(UsersAttention, HasForwardTimesWithoutABackward) {
  const auto forward_only = [](const NamedRow& row) {
    row[column::kOutcome] = std::string(metric::kFailed);
    row[column::kReason] = std::string("backward failed: NotImplementedError");
    for (const auto pass : {metric::kBackward, metric::kEndToEnd}) {
      for (const auto statistic : kTimeStatistics)
        row[attention_column(pass, statistic)] = Scalar();
    }
  };
  const Part part = users_attention_part(change_rows(forward_only, is_users_attention));
  EXPECT_THAT(part.answer,
              HasSubstr("**Flash (yours)** in BF16: timed forward only, backward failed: "
                        "NotImplementedError."));
}

TEST(UsersAttention, IsMeasuredBeforeTheReference) {
  const auto specs = attention_plan(input_with_users_attention());
  EXPECT_TRUE(std::ranges::is_partitioned(specs, is_users_attention));
  EXPECT_TRUE(is_users_attention(specs.front()));
}

TEST(AttentionReport, PrintsTheTablesThatTheHandoutAsksFor) {
  const auto count_on_paper = [](const std::vector<TableView>& tables) {
    return std::ranges::count_if(tables, &TableView::always_on_paper);
  };
  EXPECT_EQ(count_on_paper(attention_part("pytorch_attention").tables), 1);
  const Part flash = attention_part("flash_benchmarking");
  EXPECT_EQ(count_on_paper(flash.tables), 2);
  EXPECT_EQ(count_on_paper(flash.details.tables), 2);
}

}  // namespace
}  // namespace labreport::attention_test
