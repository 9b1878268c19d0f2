#include <gmock/gmock.h>

#include "writers/html/html.h"
#include "writers/markdown/markdown.h"
#include "writers/pandoc/pandoc.h"
#include "writers/sample_fixture.h"
#include "writers/typst/typst.h"

namespace labreport {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Captions, WhatThePageAloneOffersIsToldNowhereElse) {
  Document document = sample_document();
  Figure& figure = document.sections.front().parts.front().figures.front();
  figure.in_page = "Pointing at a dot names it.";
  const Drawings drawings = {{figure.slug, {}}};
  const auto words = HasSubstr("Pointing at a dot");
  EXPECT_THAT(page_html(document, drawings, {}), words);
  EXPECT_THAT(report_typst(document, drawings, {}), Not(words));
  EXPECT_THAT(report_markdown(document, drawings, Answers::kFull), Not(words));
  EXPECT_THAT(report_pandoc(document, {{figure.slug, {}}}, {}), Not(words));
}

}  // namespace
}  // namespace labreport
