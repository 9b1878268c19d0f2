#include "writers/html/unbroken.h"

#include <gtest/gtest.h>

namespace labreport {
namespace {

TEST(Unbroken, AHyphenInsideAShortWordEndsNoLine) {
  EXPECT_EQ(whole_words_html("Forward, demo-3"), "Forward, <span class=\"whole\">demo-3</span>");
  EXPECT_EQ(whole_words_html("Forward, 2.7B"), "Forward, 2.7B");
}

TEST(Unbroken, WhatComesFromARunIsText) {
  EXPECT_EQ(whole_words_html("a-<b>"), "<span class=\"whole\">a-&lt;b&gt;</span>");
  const std::string endless = std::string(40, 'x') + "-y";
  EXPECT_EQ(whole_words_html(endless), endless);
}

}  // namespace
}  // namespace labreport
