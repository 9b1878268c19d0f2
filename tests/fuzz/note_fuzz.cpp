// Tries notes and front matter in every format. Their words are written as text, in valid UTF-8,
// and add no markup.
#include "base/text.h"
#include "fuzz/target.h"
#include "notes/note.h"
#include "writers/html/html.h"
#include "writers/markdown/markdown.h"
#include "writers/markdown/paper.h"
#include "writers/typst/typst.h"

namespace labreport::fuzz {

Document document_with(const ParsedNote& file, const FrontMatter& front) {
  Document document;
  document.front = front;
  document.title = "A report";
  Part part;
  part.problem = "benchmarking_script";
  part.letter = "b";
  part.title = "A part";
  part.answer = "It took 5 ms.";
  part.note = file.note;
  document.sections = {{"benchmarking_script", "A section", {part}}};
  return document;
}

std::size_t count(std::string_view text, std::string_view word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    ++found;
  return found;
}

void check_page(const std::string& page, const std::string& empty_page) {
  promise(is_utf8(page), "a page is UTF-8");
  promise(count(page, "<script") == count(empty_page, "<script"), "a note adds no script");
  promise(count(page, "<iframe") + count(page, "<object") + count(page, "<form") == 0,
          "a note adds no frame");
  promise(page.find("href=\"javascript:") == std::string::npos, "no link is a script");
}

FoundPicture find_picture(const std::string& target) {
  if (target.ends_with(".png")) return {"notes/plot.png", ""};
  return {{}, "is no picture"};
}

void write_note(std::string_view text) {
  if (!is_utf8(text)) return;  // The reader of the file refuses it.
  const ParsedNote file = parse_note(text, find_picture);
  const ParsedFrontMatter front = parse_front_matter(text);
  const Document document = document_with(file, front.front);
  static const std::string empty_page = page_html(document_with({}, {}), {}, {});
  check_page(page_html(document, {}, {}), empty_page);
  promise(is_utf8(report_markdown(document, {}, Answers::kFull)), "Markdown is UTF-8");
  promise(is_utf8(report_paper(document, {}, {})), "Markdown for paper is UTF-8");
  promise(is_utf8(report_typst(document, {}, {})), "Typst is UTF-8");
}

}  // namespace labreport::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  labreport::fuzz::write_note(labreport::fuzz::text_of(data, size));
  return 0;
}
