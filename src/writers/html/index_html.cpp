// The site's first page.
#include <algorithm>

#include "writers/html/card.h"
#include "writers/html/template.h"
#include "writers/html/unbroken.h"

namespace labreport {
namespace {

/// A group shows so many runs at once; the rest waits behind one click.
constexpr std::size_t kShown = 6;

/// "2026-05-01T12:34:56Z" → "2026-05-01, 12:34 UTC"
std::string readable_time(const std::string& iso) {
  constexpr std::size_t kDate = 10;
  constexpr std::size_t kMinutes = 16;
  if (iso.size() <= kMinutes || iso[kDate] != 'T') return iso;
  return iso.substr(0, kDate) + ", " + iso.substr(kDate + 1, kMinutes - kDate - 1) + " UTC";
}

std::string card_html(const RunCard& card) {
  TemplateList key_numbers;
  for (const KeyNumber& number : card.key_numbers) {
    key_numbers.push_back(
        TemplateObject{{"label", whole_words_html(number.label)}, {"value", number.value}});
  }
  TemplateList formats;
  for (const FormatLink& format : card.formats) {
    formats.push_back(
        TemplateObject{{"name", format.name}, {"link", card.folder + "/" + format.file}});
  }
  return fill_template("card.html", {{"link", card.folder + "/index.html"},
                                     {"edition", card.edition},
                                     {"preset", card.preset},
                                     {"started_at", card.started_at},
                                     {"time", readable_time(card.started_at)},
                                     {"revised", !card.revision.empty()},
                                     {"revision", card.revision},
                                     {"demonstration", card.demonstration},
                                     {"reference", card.reference},
                                     {"incomplete", card.incomplete},
                                     {"key_numbers", key_numbers},
                                     {"outcome", card.outcome},
                                     {"formatted", !card.formats.empty()},
                                     {"formats", formats}});
}

std::string count_of(std::size_t runs) {
  return std::to_string(runs) + (runs == 1 ? " run" : " runs");
}

TemplateObject group_values(const CardGroup& group, std::size_t number) {
  std::string shown;
  std::string earlier;
  const std::size_t count = group.cards.size();
  for (std::size_t i = 0; i < count; ++i) {
    (i < kShown ? shown : earlier) += card_html(group.cards[i]);
  }
  return {{"anchor", "device-" + std::to_string(number)},
          {"device", group.device},
          {"demonstration", group.demonstration},
          {"count", count_of(count)},
          {"cards", shown},
          {"more", !earlier.empty()},
          {"rest", count_of(count - std::min(count, kShown))},
          {"earlier", earlier}};
}

}  // namespace

std::string index_html(const std::vector<RunCard>& cards, const std::vector<ComparedPair>& pairs) {
  TemplateList compared;
  for (const ComparedPair& pair : pairs) {
    compared.push_back(TemplateObject{{"link", pair.link},
                                      {"title", pair.title},
                                      {"edition", pair.edition},
                                      {"words", pair.words}});
  }
  TemplateList groups;
  bool demonstrated = false;
  for (const CardGroup& group : grouped(cards)) {
    groups.push_back(group_values(group, groups.size() + 1));
    demonstrated = demonstrated || group.demonstration;
  }
  return fill_template("index.html", {{"empty", cards.empty()},
                                      {"several", groups.size() > 1},
                                      {"groups", groups},
                                      {"comparable", cards.size() > 1},
                                      {"compared", !pairs.empty()},
                                      {"pairs", compared},
                                      {"any_demonstration", demonstrated}});
}

}  // namespace labreport
