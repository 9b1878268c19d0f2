// Tries a section's words and the values that are filled in. The words are the program's own, but
// the values may come from anybody. The input's first line is the value, and the rest are the
// words.
#include "base/text.h"
#include "document/facts.h"
#include "document/rich_text.h"
#include "document/section.h"
#include "fuzz/target.h"

namespace labreport::fuzz {

Facts facts_of(std::string_view value) {
  Facts item;
  item.set("value", value);
  Facts facts;
  facts.set("value", value);
  facts.flag("present", !value.empty());
  facts.list("items", {item, item});
  return facts;
}

/// Fills the value into the words. Wrong words may only throw `Error`.
void fill(std::string_view value, std::string_view words) {
  try {
    const SectionWords section = parse_section(words);
    std::map<std::string, PartContent> parts;
    for (const PartWords& part : section.parts) parts[part.letter].facts = facts_of(value);
    compose_section(words, parts);
  } catch (const Error&) {
  }
}

/// Checks that a value is written as text and opens no tag.
void check_stays_text(std::string_view value) {
  const std::string words = render_words("{{value}}", facts_of(value), "words");
  promise(words.find("<") == std::string::npos || words.find("\\<") != std::string::npos,
          "no value opens a tag");
}

}  // namespace labreport::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = labreport::fuzz::text_of(data, size);
  if (!labreport::is_utf8(text)) return 0;
  const std::size_t line = std::min(text.find('\n'), text.size());
  labreport::fuzz::check_stays_text(text.substr(0, line));
  labreport::fuzz::fill(text.substr(0, line), text.substr(std::min(line + 1, text.size())));
  return 0;
}
