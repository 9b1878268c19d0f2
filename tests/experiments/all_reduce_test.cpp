// What the problem of all-reduce plans, and what it says of a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "document/comparison/diff_document.h"
#include "experiments/distributed_communication_single_node/links.h"
#include "experiments/distributed_communication_single_node/measured.h"
#include "experiments/sample_runs.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

using distributed_communication_single_node::Line;
using distributed_communication_single_node::line_through;
using distributed_communication_single_node::nominal_link;
using distributed_communication_single_node::Timing;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing_samples::Change;
using testing_samples::end_with;
using testing_samples::measured;
using testing_samples::plan_input;

PlanInput all_reduces(Preset preset = Preset::kFull, const char* edition = "2025") {
  PlanInput input = plan_input(preset, edition);
  input.selection.only = {"distributed_communication_single_node"};
  return input;
}

std::vector<std::string> ids(const PlanInput& input) {
  std::vector<std::string> found;
  for (const PlannedCell& cell : plan_cells(input, {})) found.push_back(cell_id(cell.spec));
  return found;
}

const auto as_it_is = [](const CellSpec&, Launch&) {};

/// As on a host with that many GPUs.
Change with_gpus(std::int64_t gpus) {
  return [gpus](const CellSpec& spec, Launch& launch) {
    if (spec.device == DeviceKind::kCpu || spec.ranks->count <= gpus) return;
    end_with(launch, Skipped{"this host has " + std::to_string(gpus) + " GPUs"});
  };
}

/// Times of one library multiplied, for as many ranks and at the sizes for which `wanted` holds.
template <typename Wanted>
Change slower(Collectives library, double factor, const Wanted& wanted) {
  return [=](const CellSpec& spec, Launch& launch) {
    if (spec.ranks->collectives != library) return;
    for (Table& table : launch.tables) {
      for (auto& row : table.rows) {
        if (!wanted(spec.ranks->count, std::get<std::int64_t>(row[0]))) continue;
        for (std::size_t i = 4; i < 9; ++i) {
          if (auto* ns = std::get_if<std::int64_t>(&row[i])) {
            *ns = static_cast<std::int64_t>(static_cast<double>(*ns) * factor);
          }
        }
      }
    }
  };
}

Part part(const Change& change, const PlanInput& input = all_reduces()) {
  for (const Section& section : build_document(measured(input, change), false).sections) {
    if (section.problem == "distributed_communication_single_node") return section.parts.front();
  }
  ADD_FAILURE() << "no such problem";
  return {};
}

std::vector<std::string> rows(const Part& part, const std::string& slug) {
  std::vector<std::string> lines;
  for (const TableView& table : part.tables) {
    if (table.slug != slug) continue;
    for (const RowView& row : table.rows) {
      std::string& line = lines.emplace_back();
      for (std::size_t c = 0; c < row.cells.size(); ++c) line += table.text(row, c) + " | ";
      line += row.note + row.remarks();
    }
  }
  return lines;
}

TEST(AllReducePlan, IsNoPartOfARunThatDoesNotAskForIt) {
  for (const PlannedCell& cell : plan_cells(plan_input(Preset::kFull), {})) {
    EXPECT_NE(cell.spec.kind, CellKind::kAllReduce);
  }
}

TEST(AllReducePlan, Of2025SetsGlooBesideNcclAnd2026HasGpusAlone) {
  EXPECT_THAT(ids(all_reduces()), ElementsAre("all_reduce.cpu.gloo.r2.m1000000000.w5.n20",
                                              "all_reduce.cpu.gloo.r4.m1000000000.w5.n20",
                                              "all_reduce.cpu.gloo.r6.m1000000000.w5.n20",
                                              "all_reduce.cuda.nccl.r2.m1073741824.w5.n20",
                                              "all_reduce.cuda.nccl.r4.m1073741824.w5.n20",
                                              "all_reduce.cuda.nccl.r6.m1073741824.w5.n20"));
  EXPECT_EQ(ids(all_reduces(Preset::kFull, "2026")).size(), 3u);
}

TEST(AllReducePlan, OfADemonstrationIsGlooAmongTwo) {
  for (const char* edition : {"2025", "2026"}) {
    EXPECT_THAT(ids(all_reduces(Preset::kDemo, edition)),
                ElementsAre("all_reduce.cpu.gloo.r2.m10000000.w5.n20"));
  }
}

TEST(LineThrough, FindsLatencyAndBandwidth) {
  std::vector<Timing> timings;
  for (const std::int64_t bytes : {1000, 100'000, 10'000'000, 1'000'000'000}) {
    timings.push_back({.bytes = bytes, .calls = 1, .ns = 2e4 + static_cast<double>(bytes) / 300});
  }
  const auto line = line_through(timings);
  ASSERT_TRUE(line);
  EXPECT_NEAR(line->latency_ns, 2e4, 1);
  EXPECT_NEAR(line->bytes_per_second, 300e9, 1e6);
  EXPECT_LT(line->largest_error, 1e-6);
}

TEST(LineThrough, IsNotMovedByDisturbedTimes) {
  std::vector<Timing> timings;
  for (std::int64_t bytes = 1024; bytes <= 1 << 30; bytes *= 2) {
    const double disturbed = bytes == 2048 || bytes == 65'536 || bytes == 131'072 ? 3 : 1;
    timings.push_back({.bytes = bytes, .ns = disturbed * 2e4 + static_cast<double>(bytes) / 300});
  }
  EXPECT_NEAR(line_through(timings)->latency_ns, 2e4, 1e2);
  EXPECT_NEAR(line_through(timings)->bytes_per_second, 300e9, 1e8);
}

TEST(LineThrough, IsNoneWhereTimesFallWithSize) {
  EXPECT_FALSE(line_through({{.bytes = 1, .ns = 3}, {.bytes = 2, .ns = 2}, {.bytes = 3, .ns = 1}}));
  EXPECT_FALSE(line_through({{.bytes = 1, .ns = 1}, {.bytes = 2, .ns = 2}}));
}

TEST(LineThrough, LeavesDisturbedSizesOut) {
  std::vector<Timing> timings;
  for (std::int64_t bytes = 1024; bytes <= 1 << 20; bytes *= 2) {
    const bool disturbed = bytes <= 1 << 16;
    const double ns = 2e4 + static_cast<double>(bytes) / 300;
    timings.push_back({.bytes = bytes, .ns = disturbed ? 3 * ns : ns, .disturbed = disturbed});
  }
  EXPECT_NEAR(line_through(timings)->latency_ns, 2e4, 1);
}

TEST(Links, AreKnownWhereTheDataSheetLeavesNothingToTheMachine) {
  EXPECT_EQ(nominal_link("NVIDIA H100 80GB HBM3")->bytes_per_second, 450e9);
  EXPECT_EQ(nominal_link("NVIDIA H200")->name, "NVLink");
  EXPECT_EQ(nominal_link("NVIDIA A100-SXM4-40GB")->bytes_per_second, 300e9);
  EXPECT_EQ(nominal_link("NVIDIA L4")->name, "PCIe");
  EXPECT_FALSE(nominal_link("NVIDIA H100 PCIe"));
  EXPECT_FALSE(nominal_link("NVIDIA H100 80GB HBM3 MIG 1g.10gb"));
  EXPECT_FALSE(nominal_link("Fake CPU"));
}

TEST(AllReduceAnswer, SaysWhereLatencyEndsAndBandwidthBegins) {
  EXPECT_THAT(part(as_it_is).answer,
              AllOf(HasSubstr("With NCCL, 2 ranks, 1 GB take **3.35 ms** and 1 MB **0.0233 ms**"),
                    HasSubstr("because at 1 MB latency takes 85.7 % of the fitted time"),
                    HasSubstr("at 1 GB 0.6 %: small all-reduces are latency-bound"),
                    HasSubstr("of NVLink's nominal 450 GB/s)"),
                    HasSubstr("With Gloo, 2 ranks, 1 GB take **500 ms**"),
                    HasSubstr("because latency takes only"), Not(HasSubstr("{{"))));
}

TEST(AllReduceAnswer, RestsOnNoSizeThatTakesLongerThanALargerOne) {
  const auto one_mb = [](std::int64_t, std::int64_t bytes) { return bytes == 1'000'000; };
  const Part shown = part(slower(Collectives::kNccl, 6, one_mb));
  EXPECT_THAT(shown.answer,
              AllOf(HasSubstr("With NCCL, 2 ranks, 1 GB take **3.35 ms** and 10 MB **0.0533 ms**"),
                    HasSubstr("as long as NCCL at 10 MB and")));
  const auto lines = rows(shown, "grid");
  EXPECT_THAT(lines[12], AllOf(HasSubstr("NCCL | 2 | 1 MB"), HasSubstr("0.14"),
                               HasSubstr("longer than a larger size")));
  EXPECT_THAT(lines[13], Not(HasSubstr("longer than")));
  const auto slightly = part(slower(Collectives::kNccl, 1.05, one_mb));
  EXPECT_THAT(slightly.answer, HasSubstr("and 1 MB **0.0245 ms**")) << "latencies scatter as much";
}

TEST(AllReduceAnswer, GivesNoReasonThatTheFitDoesNotHave) {
  const auto at_large = [](std::int64_t, std::int64_t bytes) { return bytes >= 10'000'000; };
  // A line passes by the smaller ones alone, three sizes of five.
  const std::string answer = part(slower(Collectives::kNccl, 10, at_large)).answer;
  EXPECT_THAT(answer, HasSubstr("With NCCL, 2 ranks, 1 GB take **33.5 ms**"));
  EXPECT_THAT(answer, Not(HasSubstr("latency-bound")));
}

TEST(AllReduceAnswer, LetsTheRingExplainWhatItDoes) {
  EXPECT_THAT(
      part(as_it_is).answer,
      AllOf(HasSubstr("Over NCCL, 1 GB among 6 ranks take 1.66× as long as among 2, because "
                      "each rank of a ring sends"),
            HasSubstr("1.67× as much")));
  const auto of_six = [](std::int64_t ranks, std::int64_t) { return ranks == 6; };
  EXPECT_THAT(part(slower(Collectives::kGloo, 2, of_six)).answer,
              AllOf(HasSubstr("Over Gloo, 1 GB among 6 ranks take 3.33× as long as among 2; the "
                              "bytes that each rank of a ring sends grow only 1.67×"),
                    HasSubstr("so they do not explain it")));
}

TEST(AllReduceAnswer, SetsGlooBesideNccl) {
  EXPECT_THAT(part(as_it_is).answer,
              HasSubstr("Among 2 ranks Gloo on the CPU takes 30× as long as NCCL at 1 MB and 150× "
                        "at 1 GB"));
}

TEST(AllReduceAnswer, OfOneGpuSaysWhatTheHostLacks) {
  const Part shown = part(with_gpus(2));
  EXPECT_THAT(shown.answer,
              AllOf(HasSubstr("NCCL, 4 ranks; NCCL, 6 ranks: skipped: this host has 2 GPUs"),
                    Not(HasSubstr("Over NCCL"))));
  const auto lines = rows(shown, "grid");
  ASSERT_EQ(lines.size(), 18u) << "16 that ran, and a row for 4 and 6 GPUs each";
  EXPECT_THAT(lines[11], HasSubstr("Gloo | 6 | 1 GB"));
  EXPECT_THAT(lines[17], AllOf(HasSubstr("1 MB to 1 GB"), HasSubstr("this host has 2 GPUs")));
}

TEST(AllReduceAnswer, SaysWhatARunLeftOut) {
  EXPECT_THAT(part(as_it_is, all_reduces(Preset::kDemo)).answer,
              HasSubstr("this run left out 100 MB and 1 GB, and 4 and 6 ranks."));
  EXPECT_THAT(part(as_it_is, all_reduces(Preset::kQuick)).answer,
              HasSubstr("this run left out 1 GB, and 4 and 6 ranks."));
  EXPECT_THAT(part(as_it_is).answer, Not(HasSubstr("left out")));
  EXPECT_THAT(part(with_gpus(2)).answer, Not(HasSubstr("left out")))
      << "what was asked of the host and not there has its reason";
}

TEST(AllReduceAnswer, NamesWrongSums) {
  const auto wrong = [](const CellSpec& spec, Launch& launch) {
    if (spec.ranks->count != 4 || spec.device != DeviceKind::kCuda) return;
    launch.tables.front().rows.front()[10] = std::int64_t{3};
  };
  EXPECT_THAT(part(wrong).answer, HasSubstr("The sums of NCCL, 4 ranks are wrong in 3 elements"));
  EXPECT_THAT(part(as_it_is).answer, Not(HasSubstr("wrong")));
}

TEST(AllReduceMethod, TellsOfRoundsThatEveryLaunchHad) {
  const auto in_rounds_except = [](std::int64_t ranks) {
    return [ranks](const CellSpec& spec, Launch& launch) {
      if (spec.ranks->count == ranks) return;
      launch.conditions.push_back(integer_metric(metric::kCollectives, metric::kRounds, "1", 5));
    };
  };
  EXPECT_THAT(part(in_rounds_except(0)).details.method,
              HasSubstr("The sizes take turns in 5 rounds"));
  EXPECT_THAT(part(in_rounds_except(4)).details.method, Not(HasSubstr("rounds")));
}

TEST(AllReduceTables, LeaveOutARowWithoutItsTimes) {
  const auto without = [](const CellSpec& spec, Launch& launch) {
    if (spec.ranks->count != 2 || spec.device != DeviceKind::kCuda) return;
    for (auto& row : launch.tables.front().rows) {
      if (row[0] == Scalar(std::int64_t{1'000'000})) row[4] = Scalar();
    }
  };
  const Part shown = part(without);
  EXPECT_THAT(shown.answer, HasSubstr("With NCCL, 2 ranks, 1 GB take **3.35 ms** and 10 MB"));
  EXPECT_THAT(rows(shown, "grid")[12], Not(HasSubstr("0.0")));
}

TEST(AllReduceTables, KeepEachRanksTimesAndItsLag) {
  for (const TableView& table : part(as_it_is).details.tables) {
    const std::size_t wanted = table.slug == "by-rank"      ? 2 * 4 * (2 + 4 + 6)
                               : table.slug == "every-size" ? 3 * (24 + 3 * 25)
                                                            : table.rows.size();
    EXPECT_EQ(table.rows.size(), wanted) << table.slug;
  }
}

TEST(AllReduceComparison, SetsTimeAndBusbwOfEachSizeBesideEachOther) {
  const PlanInput input = all_reduces(Preset::kQuick, "2026");
  const auto a = measured(input, as_it_is);
  const auto b = measured(
      input, slower(Collectives::kNccl, 2,
                    [](std::int64_t, std::int64_t bytes) { return bytes == 100'000'000; }));
  const Document document = diff_document(compare_runs(a, b), {"a", ""}, {"b", ""});
  ASSERT_EQ(document.sections.back().title, "All-reduce");
  const Part& part = document.sections.back().parts.front();
  EXPECT_THAT(rows(part, "ratios"),
              ElementsAre(HasSubstr("2 ranks over NCCL | 1 KiB | 0.02001 | 0.02001 | 1.00 |"),
                          HasSubstr("| 1 MB |"), HasSubstr("| 10 MB |"),
                          AllOf(HasSubstr("| 100 MB | 0.3533 | 0.7067 | 2.00 |"),
                                HasSubstr("| 283.0 | 141.5 |"))));
}

}  // namespace
}  // namespace labreport
