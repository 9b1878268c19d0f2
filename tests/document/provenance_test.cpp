// Tests whose words the head of a report says its answers are.
#include <gtest/gtest.h>

#include "document/document.h"

namespace labreport::provenance_test {
namespace {

Document report(std::size_t answers, std::size_t notes) {
  Document document;
  document.provenance = "labreport a1b2c3d";
  document.sections = {{"nsys_profile", "Kernels", {}}};
  for (std::size_t i = 0; i < answers; ++i) {
    Part part;
    part.question = "Why?";
    part.answer = "Because.";
    if (i < notes) part.note = AuthorNote{"Mine."};
    document.sections.front().parts.push_back(part);
  }
  return document;
}

TEST(Provenance, CountsTheAuthorsAnswers) {
  EXPECT_EQ(report(3, 0).provenance_line(Answers::kFull),
            "labreport a1b2c3d · answers are generated from this run’s measurements");
  EXPECT_EQ(report(3, 1).provenance_line(Answers::kFull),
            "labreport a1b2c3d · 1 of 3 answers in the author’s words, the rest generated");
  EXPECT_EQ(report(3, 3).provenance_line(Answers::kFull), "labreport a1b2c3d");
  EXPECT_EQ(report(3, 1).provenance_line(Answers::kNone), "labreport a1b2c3d");
}

TEST(Provenance, DoesNotCountTheSummary) {
  Document document = report(1, 1);
  Part summary;
  summary.answer = "- A step takes 1 ms.";
  document.sections.front().parts.push_back(summary);
  EXPECT_EQ(document.provenance_line(Answers::kFull), "labreport a1b2c3d");
}

}  // namespace
}  // namespace labreport::provenance_test
