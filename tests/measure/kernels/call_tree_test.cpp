#include "measure/kernels/call_tree.h"

#include <gtest/gtest.h>

namespace labreport::call_tree_test {
namespace {

TraceEvent host(const char* name, std::int64_t start, std::int64_t duration,
                std::uint64_t thread = 1) {
  return {TraceKind::kOperator, name, start, duration, thread, 0, 0, -1, 0};
}

TEST(CallTree, NestsAnEventInItsCaller) {
  const Trace trace{host("aten::matmul", 0, 100), host("aten::mm", 10, 50)};
  const CallTree tree(trace);
  EXPECT_EQ(tree.chain(&trace[1]), (Chain{&trace[1], &trace[0]}));
}

/// The clock is read twice for each event, so an event may seem to outlast its caller.
TEST(CallTree, NestsTheLaterOfOverlappingEvents) {
  const Trace trace{host("first", 0, 10), host("second", 5, 10), host("inner", 11, 2),
                    host("next", 15, 5)};
  const CallTree tree(trace);
  EXPECT_EQ(tree.chain(&trace[1]), (Chain{&trace[1], &trace[0]}));
  EXPECT_EQ(tree.chain(&trace[2]).at(1), &trace[1]);
  EXPECT_EQ(tree.chain(&trace[3]), Chain{&trace[3]});
}

TEST(CallTree, NestsTheShorterOfEventsThatBeginTogether) {
  const Trace trace{host("inner", 0, 5), host("outer", 0, 10)};
  const CallTree tree(trace);
  EXPECT_EQ(tree.chain(&trace[0]), (Chain{&trace[0], &trace[1]}));
}

TEST(CallTree, CountsFusedCpuKernelsAsComputing) {
  const Trace trace{host("CompiledFunction", 0, 100), host("graph_0_cpp_fused_add_0", 10, 5),
                    host("aten::mm", 20, 5)};
  const CallTree tree(trace);
  EXPECT_FALSE(tree.is_computing_operator(&trace[0]));
  EXPECT_TRUE(tree.is_computing_operator(&trace[1]));
  EXPECT_TRUE(tree.is_computing_operator(&trace[2]));
}

TEST(CallTree, KeepsThreadsApart) {
  const Trace trace{host("main", 0, 100), host("autograd", 10, 50, 2)};
  const CallTree tree(trace);
  EXPECT_EQ(tree.chain(&trace[1]), Chain{&trace[1]});
}

}  // namespace
}  // namespace labreport::call_tree_test
