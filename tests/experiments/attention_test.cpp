// What the two problems of attention plan, and what they say of a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/error.h"
#include "experiments/sample_runs.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing_samples::as_it_is;
using testing_samples::Change;
using testing_samples::end_with;
using testing_samples::measured;
using testing_samples::only;
using testing_samples::part_of;
using testing_samples::plan_input;
using MeasuredRun = labreport::Run;  // a test has a Run of its own

std::vector<CellSpec> attention_plan(const PlanInput& input) {
  std::vector<CellSpec> specs;
  for (const PlannedCell& cell : plan_cells(input, {})) {
    if (cell.spec.attention) specs.push_back(cell.spec);
  }
  return specs;
}

Part attention_part(const char* problem, const Change& change = as_it_is) {
  return part_of(measured(only(problem), change), problem);
}

std::string table_words(const std::vector<TableView>& tables, const std::string& slug) {
  std::string text;
  for (const TableView& table : tables) {
    if (!table.slug.starts_with(slug)) continue;
    for (const RowView& row : table.rows) {
      for (std::size_t c = 0; c < row.cells.size(); ++c) text += table.text(row, c) + " | ";
      text += row.note + row.remarks() + "\n";
    }
  }
  return text;
}

TEST(AttentionPlan, IsNoPartOfARunThatDoesNotAskForIt) {
  for (const Preset preset : {Preset::kFull, Preset::kQuick, Preset::kDemo}) {
    EXPECT_TRUE(attention_plan(plan_input(preset)).empty());
  }
}

TEST(AttentionPlan, HasACellForEachHeadDimensionAndPrecision) {
  for (const char* edition : {"2025", "2026"}) {
    const auto specs = attention_plan(only("pytorch_attention", Preset::kFull, edition));
    ASSERT_EQ(specs.size(), 4u * 2 + 4);
    EXPECT_EQ(cell_id(specs.front()),
              "attention.cuda.synced.eager.d16-h1.s256-1024-4096-8192-16384.b8.fp32.w10.n100");
    EXPECT_EQ(cell_id(specs.at(1)),
              "attention.cuda.synced.eager.d16-h1.s24576-32768.b8.fp32.w2.n10");
    EXPECT_EQ(cell_id(specs.back()),
              "attention.cuda.synced.eager.d128-h1.s256-1024-4096-8192-16384-24576-32768.b8.bf16."
              "w2.n10");
  }
}

TEST(AttentionPlan, AsksOnceForWhatNoLibraryComputesInFp32) {
  const auto specs = attention_plan(only("flash_benchmarking"));
  const auto count = [&](AttentionBackend backend, Precision precision) {
    return std::ranges::count_if(specs, [&](const CellSpec& spec) {
      return spec.attention->backend == backend && spec.precision == precision &&
             spec.attention->method == AttentionMethod::kDoBench;
    });
  };
  EXPECT_EQ(count(AttentionBackend::kFlash, Precision::kFp32), 1);
  EXPECT_EQ(count(AttentionBackend::kFlash, Precision::kBf16), 4);
  EXPECT_EQ(count(AttentionBackend::kEager, Precision::kFp32), 4);
  EXPECT_EQ(specs.size(), 2u * 5 * 4 - 2 * 3 + 4);  // the leaderboard's four at the end
  EXPECT_EQ(specs.back().attention->heads, 16);
}

TEST(AttentionPlan, SweepsTheContextsOfTheUserShortestFirst) {
  PlanInput input = only("pytorch_attention");
  input.selection.contexts = {512, 128, 512};
  EXPECT_EQ(attention_plan(input).front().attention->lengths,
            (std::vector<std::int64_t>{128, 512}));
  input.selection.contexts.clear();
  for (std::int64_t i = 1; i <= 17; ++i) input.selection.contexts.push_back(i);
  EXPECT_THROW(attention_plan(input), InputError);
}

TEST(AttentionPlan, OfACpuHasNoBackendOfAGpu) {
  for (const CellSpec& spec : attention_plan(only("flash_benchmarking", Preset::kDemo))) {
    const auto backend = spec.attention->backend;
    EXPECT_TRUE(backend == AttentionBackend::kEager || backend == AttentionBackend::kMath);
  }
}

TEST(AttentionMemory, SaysWhereMemoryEndsAndWhatAWholePassWouldNeed) {
  const Part part = attention_part("pytorch_attention");
  // 141 GiB hold the six tensors of 18 GiB, not those of 32 GiB.
  EXPECT_THAT(part.answer,
              AllOf(HasSubstr("FP32 runs out of memory at 32,768 tokens"),
                    HasSubstr("beyond the handout"), HasSubstr("**32.00 GiB**"),
                    HasSubstr("hold 6.00 of them at their peak (measured at 24,576"),
                    HasSubstr("would need **192."), HasSubstr("BF16 ran at every length")));
}

/// The run after a change of one column of attention's tables, where it has a number.
Part with_bytes(std::string_view name, const std::function<std::int64_t(std::int64_t)>& changed) {
  return attention_part("pytorch_attention", [&](const CellSpec& spec, Launch& launch) {
    if (!spec.attention) return;
    for (Table& table : launch.tables) {
      const auto column = std::ranges::find(table.columns, name, &TableColumn::name);
      for (auto& row : table.rows) {
        Scalar& value = row[static_cast<std::size_t>(column - table.columns.begin())];
        if (auto* number = std::get_if<std::int64_t>(&value)) *number = changed(*number);
      }
    }
  });
}

TEST(AttentionMemory, GivesNoReasonWhereTheGpuHasWhatAWholePassNeeds) {
  const Part part = with_bytes(column::kPeakBytes, [](std::int64_t bytes) { return bytes / 2; });
  EXPECT_THAT(part.answer, AllOf(HasSubstr("FP32 runs out of memory at 32,768 tokens"),
                                 Not(HasSubstr("would need"))));
}

TEST(AttentionMemory, NamesTheTensorsOfTheBytesThatTheyAre) {
  EXPECT_THAT(attention_part("pytorch_attention").answer,
              AllOf(HasSubstr("Two tensors of scores are saved"), HasSubstr("The peak of six")));
  const auto half = [](std::int64_t bytes) { return bytes / 2; };
  EXPECT_THAT(with_bytes(column::kPeakBytes, half).answer, Not(HasSubstr("The peak of six")));
  EXPECT_THAT(with_bytes(column::kBeforeBackwardBytes, half).answer,
              AllOf(Not(HasSubstr("Two tensors")), Not(HasSubstr("because these two"))));
}

TEST(AttentionMemory, FitsTheGrowthOfWhatIsSaved) {
  const Part part = attention_part("pytorch_attention");
  EXPECT_THAT(part.answer, HasSubstr("because these two tensors are"));
  EXPECT_THAT(part.answer,
              HasSubstr("to the power of **2.00** in FP32 and **2.00** in BF16 (fitted "
                        "from 4,096 tokens on"));
  PlanInput input = only("pytorch_attention");
  input.selection.contexts = {256, 1024, 4096};
  EXPECT_THAT(part_of(measured(input, as_it_is), "pytorch_attention").answer,
              AllOf(HasSubstr("to the power of **1.9"), Not(HasSubstr("fitted from"))));
}

TEST(AttentionMemory, WithoutAnEndSaysThatEverythingFits) {
  const Change small = [](const CellSpec& spec, Launch& launch) {
    if (!spec.attention) return;
    for (Table& table : launch.tables)
      std::erase_if(table.rows,
                    [](const auto& row) { return std::get<std::string>(row[1]) != metric::kRan; });
  };
  const Part part = attention_part("pytorch_attention", small);
  EXPECT_THAT(part.answer,
              AllOf(HasSubstr("FP32 ran at every length"), Not(HasSubstr("runs out of"))));
}

TEST(AttentionMemory, ARowThatRanOutStandsWithItsReason) {
  const Part part = attention_part("pytorch_attention");
  const std::string rows = table_words(part.tables, "grid");
  EXPECT_THAT(rows, HasSubstr("out of memory in backward"));
  EXPECT_EQ(std::ranges::count(rows, '\n'), 4 * 7);
}

TEST(AttentionMemory, OfARowThatRanOutWhatWasCountedIsNoPeak) {
  const Part part = attention_part("pytorch_attention", [](const CellSpec& spec, Launch& launch) {
    if (!spec.attention) return;
    Table& table = launch.tables.front();
    const auto peak = std::ranges::find(table.columns, column::kPeakBytes, &TableColumn::name);
    for (auto& row : table.rows) {
      if (row[1] != Scalar(std::string(metric::kRanOut))) continue;
      row[static_cast<std::size_t>(peak - table.columns.begin())] = std::int64_t{77} << 20;
    }
  });
  EXPECT_THAT(table_words(part.tables, "grid"), Not(HasSubstr("77.0")));
}

TEST(AttentionMemory, ALongerRowNamesTheLengthThatRanOut) {
  const Part part = attention_part("pytorch_attention", [](const CellSpec& spec, Launch& launch) {
    if (!spec.attention || spec.attention->lengths.size() != 2) return;
    auto& rows = launch.tables.front().rows;
    rows[0][1] = std::string(metric::kRanOut), rows[1][1] = std::string(metric::kNotTried);
    rows[1][3] = std::string("24576 ran out of memory");
  });
  EXPECT_THAT(table_words(part.tables, "grid"),
              AllOf(HasSubstr("not run: 24,576 ran out of memory"), Not(HasSubstr("24576"))));
}

TEST(AttentionMemory, OfChosenLengthsHasOneNumberOfPasses) {
  PlanInput input = only("pytorch_attention");
  input.selection.contexts = {256, 1024};
  const auto method = [](const PlanInput& asked) {
    return part_of(measured(asked, as_it_is), "pytorch_attention").details.method;
  };
  EXPECT_THAT(method(input), Not(HasSubstr("beyond the handout's lengths")));
  EXPECT_THAT(method(only("pytorch_attention")),
              HasSubstr("beyond the handout's lengths and in BF16 10"));
}

TEST(AttentionMemory, TheFigureOfTimesCountsThePassesThatItDraws) {
  const auto caption = [](const Change& change) {
    return attention_part("pytorch_attention", change).details.figures.front().caption;
  };
  EXPECT_THAT(caption(as_it_is),
              HasSubstr("Means over 100 passes (10 beyond the handout's lengths), for"));
  EXPECT_THAT(caption([](const CellSpec& spec, Launch& launch) {
                if (!spec.attention || spec.attention->lengths.size() != 2) return;
                for (auto& row : launch.tables.front().rows) {
                  row[1] = std::string(metric::kRanOut);
                }
              }),
              HasSubstr("Means over 100 passes, for"));
}

TEST(AttentionMemory, CellsThatCrashedLeaveTheirReason) {
  const Part part = attention_part("pytorch_attention", [](const CellSpec& spec, Launch& launch) {
    if (spec.attention) end_with(launch, Crashed{11, "gone"});
  });
  EXPECT_THAT(part.answer, HasSubstr("No configuration ran: crashed"));
}

void scale(Table& table, const std::string& name, double factor) {
  const auto column = std::ranges::find(table.columns, name, &TableColumn::name);
  for (auto& row : table.rows) {
    Scalar& value = row[static_cast<std::size_t>(column - table.columns.begin())];
    if (auto* number = std::get_if<std::int64_t>(&value)) {
      *number = static_cast<std::int64_t>(factor * static_cast<double>(*number));
    }
  }
}

TEST(AttentionLatencies, NameTheFastestAndItsSpeedup) {
  const Part part = attention_part("flash_benchmarking");
  EXPECT_THAT(
      part.answer,
      AllOf(HasSubstr("**BF16, d = 64**"), HasSubstr("**SDPA flash** from 128"),
            HasSubstr("as fast as eager attention"),
            HasSubstr("PyTorch does not run SDPA flash and SDPA cuDNN in FP32: Expected half")));
  EXPECT_THAT(table_words(part.tables, "leaderboard"), HasSubstr("SDPA cuDNN"));
}

TEST(AttentionLatencies, RankNothingWithinTheDeviations) {
  const Change scattered = [](const CellSpec& spec, Launch& launch) {
    if (!spec.attention || spec.attention->backend != AttentionBackend::kCudnn) return;
    Table& table = launch.tables.front();
    for (auto& row : table.rows) {
      if (std::get<std::int64_t>(row[0]) > 512) continue;
      const auto at = [&](const std::string& statistic) {
        const auto name = attention_column(metric::kEndToEnd, statistic);
        return static_cast<std::size_t>(std::ranges::find(table.columns, name, &TableColumn::name) -
                                        table.columns.begin());
      };
      row[at("stddev_ns")] = row[at("median_ns")];
    }
  };
  const Part part = attention_part("flash_benchmarking", scattered);
  EXPECT_THAT(
      part.answer,
      AllOf(HasSubstr("fastest with **SDPA flash** from 1,024 to 65,536 tokens. At 128, "
                      "256 and 512 tokens the fastest lie within each other's deviations")));
  EXPECT_THAT(table_words(part.tables, "fastest"),
              HasSubstr("the fastest lie within their deviations"));
}

/// The answer where BF16's eager attention takes that many times as long forward and backward.
std::string with_eager_times(double forward, double backward) {
  return attention_part("flash_benchmarking",
                        [=](const CellSpec& spec, Launch& launch) {
                          if (!spec.attention || !under_autocast(spec)) return;
                          if (spec.attention->backend != AttentionBackend::kEager) return;
                          for (Table& table : launch.tables) {
                            scale(table, attention_column(metric::kForward, "median_ns"), forward);
                            scale(table, attention_column(metric::kBackward, "median_ns"),
                                  backward);
                          }
                        })
      .answer;
}

TEST(AttentionLatencies, SayWhyAFusedPassIsFasterWhereTrafficExplainsIt) {
  // 14 transfers of 8 GiB take 28 to 60 ms on today's GPUs, the fake eager pass 55 ms.
  EXPECT_THAT(with_eager_times(1, 1), HasSubstr("because it never writes scores to memory"));
  EXPECT_THAT(with_eager_times(10, 10), Not(HasSubstr("never writes scores")));
  EXPECT_THAT(with_eager_times(0.1, 1), Not(HasSubstr("never writes scores")));
}

TEST(AttentionLatencies, SayThatBackwardGainsLessWhereItDoes) {
  EXPECT_THAT(with_eager_times(1, 0.5), HasSubstr("because it computes the scores again there"));
  EXPECT_THAT(with_eager_times(1, 2), Not(HasSubstr("computes the scores again")));
}

TEST(AttentionLatencies, CallShortLengthsLaunchBoundWhereTheirTimesDoNotFollowTheWork) {
  EXPECT_THAT(attention_part("flash_benchmarking").answer, HasSubstr("launch-bound"));
  const Part part = attention_part("flash_benchmarking", [](const CellSpec& spec, Launch& launch) {
    if (!spec.attention || spec.attention->method != AttentionMethod::kDoBench) return;
    const std::string both = attention_column(metric::kEndToEnd, "median_ns");
    double times = 1;
    for (auto& row : launch.tables.front().rows) {
      const Table& table = launch.tables.front();
      const auto column = std::ranges::find(table.columns, both, &TableColumn::name);
      Scalar& value = row[static_cast<std::size_t>(column - table.columns.begin())];
      if (std::holds_alternative<std::int64_t>(value)) {
        value = static_cast<std::int64_t>(1e4 * (times *= 4));
      }
    }
  });
  EXPECT_THAT(part.answer, Not(HasSubstr("launch-bound")));
}

TEST(AttentionLatencies, TellHowToAddAnImplementation) {
  EXPECT_THAT(attention_part("flash_benchmarking").answer, HasSubstr("ATTENTION=file.py:Class"));
}

TEST(AttentionLatencies, SayWhereEagerAttentionRunsOutOfMemory) {
  EXPECT_THAT(attention_part("flash_benchmarking").answer,
              HasSubstr("Eager attention ran at every length measured, the longest 65,536 tokens"));
  const Part part = attention_part("flash_benchmarking", [](const CellSpec& spec, Launch& launch) {
    if (!spec.attention || spec.attention->backend != AttentionBackend::kEager) return;
    auto& row = launch.tables.front().rows.back();
    row[1] = std::string(metric::kRanOut), row[2] = std::string("backward");
  });
  EXPECT_THAT(part.answer, HasSubstr("runs out of memory at 65,536 tokens, in backward"));
}

TEST(AttentionRows, WordARefusedAllocationByItsNumbersWhateverTheWorkerWrote) {
  const Part part = attention_part("pytorch_attention", [](const CellSpec& spec, Launch& launch) {
    if (!spec.attention) return;
    for (auto& row : launch.tables.front().rows) {
      if (row[1] == Scalar(std::string(metric::kRanOut)))
        row[3] = std::string("out of memory in backward: asked 32.00 GiB, 97.13 GiB in use");
    }
  });
  EXPECT_THAT(table_words(part.tables, ""),
              AllOf(HasSubstr("out of memory in backward: tried to allocate"),
                    HasSubstr("allocated"), Not(HasSubstr("in use"))));
}

/// Beside an attention of the user's.
PlanInput with_own_attention() {
  PlanInput input = only("flash_benchmarking");
  input.selection.attention.emplace();
  input.selection.attention->implementation = "Flash-0a1b2c3d";
  return input;
}

Part own_part(const Change& change) {
  return part_of(measured(with_own_attention(), change), "flash_benchmarking");
}

bool is_own(const CellSpec& spec) {
  return spec.attention && spec.attention->backend == AttentionBackend::kCustom;
}

TEST(OwnAttention, IsACellForEachHeadDimensionPrecisionAndTheLeaderboard) {
  const auto specs = attention_plan(with_own_attention());
  EXPECT_EQ(std::ranges::count_if(specs, is_own), 2 * 4 + 1);
  EXPECT_EQ(cell_id(*std::ranges::find_if(specs, is_own)),
            "attention.cuda.Flash-0a1b2c3d.do_bench.custom.d16-h1.s128-256-512-1024-2048-4096-8192-"
            "16384-32768-65536.b1.fp32");
  for (const CellSpec& spec : specs) EXPECT_EQ(spec.implementation.empty(), !is_own(spec));
}

TEST(OwnAttention, StandsInTheAnswerBesideEagerAndTheFastest) {
  const Part part = own_part(as_it_is);
  EXPECT_THAT(part.answer, AllOf(HasSubstr("**Flash (yours)** takes"),
                                 HasSubstr("as fast as eager"), Not(HasSubstr("ATTENTION="))));
  EXPECT_THAT(table_words(part.tables, ""), HasSubstr("Flash (yours)"));
}

TEST(OwnAttention, ThatIsInaccurateHasItsErrorAndNoTime) {
  const Part part = own_part([](const CellSpec& spec, Launch& launch) {
    if (!is_own(spec)) return;
    for (auto& row : launch.tables.front().rows) {
      row[1] = std::string(metric::kInaccurate);
      row[3] = std::string("a gradient is off by 0.5");
      std::fill(row.begin() + 4, row.end(), Scalar());
    }
  });
  EXPECT_THAT(part.answer, AllOf(HasSubstr("Flash (yours) is not timed: a gradient is off by 0.5."),
                                 Not(HasSubstr("**Flash (yours)** takes"))));
}

TEST(AttentionReport, TakesTheTablesThatTheHandoutAsksForToPaper) {
  const auto taken = [](const std::vector<TableView>& tables) {
    return std::ranges::count_if(tables, &TableView::on_paper);
  };
  EXPECT_EQ(taken(attention_part("pytorch_attention").tables), 1);
  const Part flash = attention_part("flash_benchmarking");
  EXPECT_EQ(taken(flash.tables), 2);
  EXPECT_EQ(taken(flash.details.tables), 2);
}

TEST(AttentionReport, OfARunWithoutItIsAsBefore) {
  for (const Section& section :
       build_document(measured(plan_input(Preset::kQuick)), false).sections) {
    EXPECT_THAT(section.problem, Not(HasSubstr("attention")));
  }
}

}  // namespace
}  // namespace labreport
