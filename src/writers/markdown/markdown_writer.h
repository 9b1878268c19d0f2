// Writes the blocks of a report as Markdown. What differs on paper is virtual.
#pragma once

#include <string>

#include "document/document.h"

namespace labreport {

class MarkdownWriter {
 public:
  MarkdownWriter(const FrontMatter& front, Answers answers)
      : answers_(answers), note_mark_(front.attribution() + ".") {}
  virtual ~MarkdownWriter() = default;

  std::string write(const Document& document);
  std::string write(const Part& part);

 protected:
  void paragraph(const std::string& text) {
    if (!text.empty()) text_ += text + "\n\n";
  }
  void warnings(const Details& details);

  /// Writes everything above the first section.
  virtual void title_block(const Document& document) = 0;
  virtual void section_heading(const Section& section) = 0;
  virtual void begin(const Part&) {}
  /// Writes a heading of escaped words; sections have level 1.
  virtual void heading(int level, const std::string& words) = 0;
  virtual void figure(const Figure& figure) = 0;
  virtual void table(const TableView& table) = 0;
  virtual void details(const Details& details) = 0;

  Answers answers_;
  std::string text_;

 private:
  void add(const Part& part);
  void quote(const std::string& markdown);
  void answer(const Part& part);
  void reproduce(const Document& document);
  std::string take_text();

  std::string note_mark_;
};

/// Writes the words of a document's state in quotations: a demonstration, an interrupted run.
std::string banners_markdown(const Document& document);

/// How a table is written for a reader of Markdown or for paper.
enum class TableUse {
  kScreen,
  /// Spaces align the decimals of numbers. Cells across which a reason or a remark extends hold
  /// `kSpanned`.
  kPaper,
};

/// This noncharacter fills the cells that join the cell before them; site/paper.lua joins them.
inline constexpr const char* kSpanned = "\uFDD0";

std::string table_markdown(const TableView& table, TableUse use);

}  // namespace labreport
