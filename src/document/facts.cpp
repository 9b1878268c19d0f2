#include "document/facts.h"

#include <algorithm>
#include <kainjow/mustache.hpp>

#include "base/error.h"
#include "base/text.h"
#include "document/tags.h"

namespace labreport {
namespace {

namespace mustache = kainjow::mustache;

mustache::data to_data(const Facts& facts) {
  mustache::object object;
  for (const auto& [name, entry] : facts.entries()) {
    if (const auto* text = std::get_if<std::string>(&entry)) {
      object[name] = mustache::data(*text);
    } else if (const auto* flag = std::get_if<bool>(&entry)) {
      object[name] = mustache::data(*flag);
    } else {
      mustache::list items;
      for (const Facts& item : std::get<std::vector<Facts>>(entry)) items.push_back(to_data(item));
      object[name] = mustache::data(items);
    }
  }
  return mustache::data(object);
}

/// Whether the first word is "12.", "12)", "-", "*", "+", ">", "##" or "===", or the line is a row
/// of a table, "| a | b |": a block of its own.
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

/// Appends `line` with each run of spaces as one: a section that is not shown leaves its spaces.
void append_words(std::string& paragraph, std::string_view line) {
  for (const char letter : line) {
    if (letter == ' ' && (paragraph.empty() || paragraph.back() == ' ')) continue;
    paragraph.push_back(letter);
  }
}

/// Lines of one paragraph or list item become one line; one blank line stays between paragraphs.
std::string join_lines(std::string_view text) {
  std::string joined;
  bool blank = true;
  bool fenced = false;
  for (const std::string& raw : split(text, '\n')) {
    const std::string_view line = trimmed(raw);
    const bool fence = line.starts_with("```");
    if (line.empty() && !fenced) {
      blank = true;
      continue;
    }
    const bool separate = blank || fenced || fence || opens_block(line);
    if (!joined.empty()) joined += !separate ? " " : blank ? "\n\n" : "\n";
    if (fenced) {
      joined += raw;
    } else {
      append_words(joined, line);
    }
    fenced = fenced != fence;
    blank = false;
  }
  return joined;
}

bool is_section_tag(std::string_view line) {
  if (!line.starts_with("{{") || !line.ends_with("}}") || line.size() < 5) return false;
  if (std::string_view("#^/").find(line[2]) == std::string_view::npos) return false;
  return line.find("}}") == line.size() - 2;
}

/// A section's tag alone on a line is no line: the library would leave an empty one, and so a new
/// paragraph, where the section is not shown.
std::string without_tag_lines(std::string_view words) {
  std::string joined;
  for (const std::string& line : split(words, '\n')) {
    const std::string_view tag = trimmed(line);
    is_section_tag(tag) ? joined.append(tag) : joined.append(line).append("\n");
  }
  return joined;
}

bool is_special(char letter) {
  return std::string_view("\\`*_{}[]<>|~&$").find(letter) != std::string_view::npos;
}

/// Of what a run says nothing becomes a link: readers of Markdown make one of each address.
std::string without_addresses(std::string escaped) {
  return replaced(replaced(std::move(escaped), "://", ":\\/\\/"), "www.", "www\\.");
}

}  // namespace

void Facts::set(const std::string& name, std::string_view text) {
  entries_[name] = without_addresses(escape_markdown(text));
}

void Facts::set_markdown(const std::string& name, std::string markdown) {
  entries_[name] = std::move(markdown);
}

void Facts::set(const std::string& name, const Value& value, const Notation& notation) {
  set(name, format_value(value, notation));
}

void Facts::when(const std::string& name, const std::optional<Facts>& values) {
  list(name, values ? std::vector<Facts>{*values} : std::vector<Facts>());
}

void Facts::when(const std::string& name, bool holds, const std::string& value_name,
                 std::string_view text) {
  Facts values;
  values.set(value_name, text);
  when(name, holds ? std::optional(values) : std::nullopt);
}

void Facts::flag(const std::string& name, bool value) { entries_[name] = value; }

void Facts::list(const std::string& name, std::vector<Facts> items) {
  entries_[name] = std::move(items);
}

std::string escape_markdown(std::string_view text) {
  std::string escaped;
  for (const char letter : text) {
    if (is_special(letter)) escaped.push_back('\\');
    escaped.push_back(letter == '\n' || letter == '\r' ? ' ' : letter);
  }
  if (!opens_block(escaped)) return escaped;
  // The first mark that is no digit is what opens the block: "1\. ", "\- ".
  escaped.insert(escaped.find_first_not_of("0123456789"), 1, '\\');
  return escaped;
}

std::string render_words(std::string_view words, const Facts& facts, std::string_view where) {
  check_tags(words, facts, where);
  mustache::mustache tmpl{without_tag_lines(words)};
  if (!tmpl.is_valid()) throw Error(std::string(where) + ": " + tmpl.error_message());
  tmpl.set_custom_escape([](const std::string& text) { return text; });
  return join_lines(tmpl.render(to_data(facts)));
}

}  // namespace labreport
