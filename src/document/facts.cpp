#include "document/facts.h"

#include <algorithm>
#include <kainjow/mustache.hpp>

#include "base/error.h"
#include "base/text.h"

namespace labreport {
namespace {

namespace mustache = kainjow::mustache;

mustache::data mustache_data(const Facts& facts) {
  mustache::object object;
  for (const auto& [name, entry] : facts.entries()) {
    if (const auto* text = std::get_if<std::string>(&entry)) {
      object[name] = mustache::data(*text);
    } else if (const auto* flag = std::get_if<bool>(&entry)) {
      object[name] = mustache::data(*flag);
    } else {
      mustache::list items;
      for (const Facts& item : std::get<std::vector<Facts>>(entry))
        items.push_back(mustache_data(item));
      object[name] = mustache::data(items);
    }
  }
  return mustache::data(object);
}

/// A Mustache section, {{#name}}…, whose closing tag has not come yet.
struct OpenSection {
  std::string name;
  std::vector<const Facts*> items;  ///< Items of a list, whose facts the section's body may use.
  bool is_empty_list = false;       ///< If true, the names of the items' facts are unknown.
};

/// Checks a template's tags before it is filled. The library would render an unknown tag as
/// nothing, which leaves a hole in a sentence. The checker refuses a tag that names no fact, a flag
/// where text is needed, text where a section begins, and kinds of tags that no template needs
/// (partials, delimiters, {{{triple}}}). It also checks sections that will not be shown. Inside the
/// section of an empty list every name passes.
class TagChecker {
 public:
  TagChecker(const Facts& facts, std::string_view where) : facts_(facts), where_(where) {}

  void check(std::string_view words) {
    for (std::size_t begin = words.find("{{"); begin != std::string_view::npos;
         begin = words.find("{{", begin)) {
      const std::size_t end = words.find("}}", begin);
      if (end == std::string_view::npos) fail(words.substr(begin, 20), "is not closed");
      check_tag(std::string(words.substr(begin + 2, end - begin - 2)));
      begin = end + 2;
    }
    if (!open_.empty()) fail("#" + open_.back().name, "has no closing tag");
  }

 private:
  void check_tag(const std::string& tag) {
    const char sigil = tag.empty() ? ' ' : tag.front();
    if (sigil == '#' || sigil == '^') return open(tag.substr(1), sigil == '^');
    if (sigil == '/') return close(tag.substr(1));
    if (std::string_view("{&>=!").find(sigil) != std::string_view::npos) {
      fail(tag, "is a kind of tag that words do not use");
    }
    for (const Facts::Entry* entry : find(tag)) {
      if (!std::holds_alternative<std::string>(*entry)) fail(tag, "is not text");
    }
  }

  void open(const std::string& name, bool inverted) {
    OpenSection section{.name = name, .items = {}, .is_empty_list = false};
    bool is_list = false;
    for (const Facts::Entry* entry : find(name)) {
      if (std::holds_alternative<std::string>(*entry)) fail(name, "is text, not a flag or a list");
      const auto* list = std::get_if<std::vector<Facts>>(entry);
      if (list == nullptr || inverted) continue;
      is_list = true;
      for (const Facts& item : *list) section.items.push_back(&item);
    }
    section.is_empty_list = is_list && section.items.empty();
    open_.push_back(section);
  }

  void close(const std::string& name) {
    if (open_.empty() || open_.back().name != name) fail("/" + name, "closes what is not open");
    open_.pop_back();
  }

  /// Finds the entries of that name: one for each item of the innermost list whose items have the
  /// name, else the entry outside of all lists.
  std::vector<const Facts::Entry*> find(const std::string& name) const {
    for (auto section = open_.rbegin(); section != open_.rend(); ++section) {
      if (section->is_empty_list) return {};
      const auto entries = find_in_items(*section, name);
      if (!entries.empty()) return entries;
    }
    const auto found = facts_.entries().find(name);
    if (found == facts_.entries().end()) fail(name, "names no fact");
    return {&found->second};
  }

  std::vector<const Facts::Entry*> find_in_items(const OpenSection& section,
                                                 const std::string& name) const {
    std::vector<const Facts::Entry*> entries;
    for (const Facts* item : section.items) {
      const auto found = item->entries().find(name);
      if (found != item->entries().end()) entries.push_back(&found->second);
    }
    if (!entries.empty() && entries.size() != section.items.size()) {
      fail(name, "is missing from some items of '" + section.name + "'");
    }
    return entries;
  }

  [[noreturn]] void fail(std::string_view tag, const std::string& problem) const {
    throw Error(std::string(where_) + ": the tag '" + std::string(tag) + "' " + problem,
                "name a fact that the presenter sets");
  }

  const Facts& facts_;
  std::string_view where_;
  std::vector<OpenSection> open_;
};

/// True if the line opens a block: its first word is "12.", "12)", "-", "*", "+", ">", "##" or
/// "===", or it is a row of a table, "| a | b |".
bool opens_block(std::string_view line) {
  const std::string_view marker = line.substr(0, line.find(' '));
  if (marker.empty()) return false;
  if (marker.front() == '|') return true;
  const std::string_view rest =
      marker.substr(std::min(marker.find_first_not_of("0123456789"), marker.size()));
  if (rest.size() < marker.size()) return rest == "." || rest == ")";
  return marker == "*" || marker == "+" || marker == ">" ||
         (std::string_view("-#=").find(marker.front()) != std::string_view::npos &&
          marker.find_first_not_of(marker.front()) == std::string_view::npos);
}

/// Joins the lines of each paragraph and list item. One blank line stays between paragraphs.
/// Several spaces become one, because a section that is not shown leaves the spaces around it.
std::string join_lines(std::string_view text) {
  std::string joined;
  bool after_blank = true;
  bool in_fence = false;
  for (const std::string& raw : split(text, '\n')) {
    const std::string_view line = trimmed(raw);
    const bool is_fence = line.starts_with("```");
    if (line.empty() && !in_fence) {
      after_blank = true;
      continue;
    }
    const bool begins_line = after_blank || in_fence || is_fence || opens_block(line);
    if (!joined.empty()) joined += !begins_line ? " " : after_blank ? "\n\n" : "\n";
    if (in_fence) {
      joined += raw;
    } else {
      for (const char letter : line) {
        const bool is_repeated = letter == ' ' && (joined.empty() || joined.back() == ' ');
        if (!is_repeated) joined.push_back(letter);
      }
    }
    in_fence = in_fence != is_fence;
    after_blank = false;
  }
  return joined;
}

/// Removes the line end after a section's tag that is alone on its line. If the section is not
/// shown, the line end would leave an empty line, which begins a paragraph. The library swallows
/// one line end after such a tag, so a blank line after the tag gets two.
std::string without_tag_line_ends(std::string_view words) {
  std::string joined;
  bool after_tag = false;
  for (const std::string& line : split(words, '\n')) {
    const std::string_view text = trimmed(line);
    if (after_tag && text.empty()) joined.append("\n");
    after_tag = text.size() > 4 && text.starts_with("{{") && text.find("}}") == text.size() - 2 &&
                std::string_view("#^/").find(text[2]) != std::string_view::npos;
    after_tag ? joined.append(text) : joined.append(line).append("\n");
  }
  return joined;
}

}  // namespace

Facts& Facts::set(const std::string& name, std::string_view text) {
  // Programs that show Markdown make a link of each address, unless it is escaped.
  const std::string escaped = replaced(escape_markdown(text), "://", ":\\/\\/");
  return set_markdown(name, replaced(escaped, "www.", "www\\."));
}

Facts& Facts::set_markdown(const std::string& name, std::string markdown) {
  entries_[name] = std::move(markdown);
  return *this;
}

Facts& Facts::set(const std::string& name, const Value& value, const Notation& notation) {
  return set(name, format_value(value, notation));
}

Facts& Facts::add(const Facts& others) {
  entries_.insert(others.entries_.begin(), others.entries_.end());
  return *this;
}

Facts& Facts::flag(const std::string& name, bool value) {
  entries_[name] = value;
  return *this;
}

Facts& Facts::when(const std::string& name, bool holds, const Facts& values) {
  return list(name, holds ? std::vector{values} : std::vector<Facts>());
}

Facts& Facts::when(const std::string& name, const std::optional<Facts>& values) {
  return when(name, values.has_value(), values.value_or(Facts()));
}

Facts& Facts::when(const std::string& name, bool holds, const std::string& value_name,
                   std::string_view text) {
  return when(name, holds, Facts().set(value_name, text));
}

Facts& Facts::choose(std::initializer_list<const char*> conditions, std::string_view chosen,
                     const Facts& values) {
  for (const char* condition : conditions) when(condition, condition == chosen, values);
  return *this;
}

Facts& Facts::list(const std::string& name, std::vector<Facts> items) {
  entries_[name] = std::move(items);
  return *this;
}

std::string escape_markdown(std::string_view text) {
  constexpr std::string_view kSpecial = "\\`*_{}[]<>|~&$";
  std::string escaped;
  for (const char letter : text) {
    if (kSpecial.find(letter) != kSpecial.npos) escaped.push_back('\\');
    escaped.push_back(letter == '\n' || letter == '\r' ? ' ' : letter);
  }
  if (!opens_block(escaped)) return escaped;
  // With a backslash before its first character that is no digit, the text opens no block.
  escaped.insert(escaped.find_first_not_of("0123456789"), 1, '\\');
  return escaped;
}

std::string render_words(std::string_view words, const Facts& facts, std::string_view where) {
  TagChecker(facts, where).check(words);
  mustache::mustache tmpl{without_tag_line_ends(words)};
  if (!tmpl.is_valid()) throw Error(std::string(where) + ": " + tmpl.error_message());
  tmpl.set_custom_escape([](const std::string& text) { return text; });  // set() escaped it.
  return join_lines(tmpl.render(mustache_data(facts)));
}

}  // namespace labreport
