#include "writers/html/html.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "document/data_url.h"
#include "document/rich_text.h"
#include "writers/html/assets.h"
#include "writers/html/pictures.h"
#include "writers/html/template.h"
#include "writers/visible_text.h"

namespace labreport {
namespace {

/// This content security policy allows a page the site's own files and no `eval`.
constexpr const char* kLinkedPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'";

/// Link previews and search engines cut longer descriptions.
constexpr std::size_t kMostDescriptionBytes = 200;

/// Returns the first block, a paragraph or the items of a list, as sentences of plain text.
std::string sentences(const Blocks& blocks) {
  if (blocks.empty()) return "";
  if (blocks.front().items.empty()) {
    const std::string text = plain_text(blocks.front().inlines);
    return text.empty() || text.ends_with('.') ? text : text + ".";
  }
  std::string text;
  for (const Blocks& item : blocks.front().items) {
    text += (text.empty() ? "" : " ") + sentences(item);
  }
  return text;
}

}  // namespace

std::string head_html(const HeadWords& words, const PageOptions& options,
                      const EnclosedAssets* enclosed) {
  const bool single = enclosed != nullptr;
  return fill_template(
      "head.html", {{"policy", single ? policy_for(*enclosed) : kLinkedPolicy},
                    {"title", words.title},
                    {"description", words.description},
                    {"type", words.type},
                    {"has_address", !options.address.empty()},
                    {"address", options.address},
                    {"has_card", !options.card_alt.empty()},
                    {"card", kCardFile},
                    {"width", std::to_string(kCardWidth)},
                    {"height", std::to_string(kCardHeight)},
                    {"alt", options.card_alt},
                    {"icon", single ? data_url(kIconPath, page_icon()) : options.root + kIconPath},
                    {"is_single_file", single},
                    {"style", single ? enclosed->style : ""},
                    {"root", options.root},
                    {"is_interactive", options.interactive},
                    {"specs", kSpecsPath}});
}

std::string description_of(const Document& document, Answers answers) {
  std::string text =
      document.device.empty()
          ? "Measured reports and comparisons of a Transformer’s training step on GPUs, for CS336 "
            "assignment 2."
          : fmt::format("{}, measured on {} for CS336 assignment 2, {} edition. {}.",
                        document.title, document.device, document.edition, document.outcome);
  if (!document.sections.empty() && !document.sections.front().is_handout_problem()) {
    const Part& summary = document.sections.front().parts.front();
    const std::string finding = sentences(rich_text(summary.generated_answer(answers)));
    if (!finding.empty()) text = finding;
  }
  text = visible_text(text);
  if (text.size() <= kMostDescriptionBytes) return text;
  // The text is cut behind a sentence that fits, else behind a word; "vs. " ends no sentence.
  const std::string start = text.substr(0, kMostDescriptionBytes);
  std::size_t end = start.rfind(". ");
  while (end != std::string::npos && start.substr(0, end).ends_with("vs")) {
    end = start.rfind(". ", end - 1);
  }
  if (end != std::string::npos) return start.substr(0, end + 1);
  return cut_short(text, std::min(start.rfind(' '), kMostDescriptionBytes));
}

std::string foot_html(const Document& document) {
  return fill_template("foot.html", {{"has_repository", !document.front.repository.empty()},
                                     {"repository", document.front.repository},
                                     {"is_reference", document.reference}});
}

}  // namespace labreport
