// Facts hold what a presenter knows, formatted once, for the words of a section.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "document/dataset.h"

namespace labreport {

/// Named values for one part's words. Every name a template may use has to be declared, even
/// without a value: `flag(name, false)` or an empty list.
class Facts {
 public:
  /// Sets plain text; Markdown's characters in it are escaped, and no address becomes a link.
  Facts& set(const std::string& name, std::string_view text);
  /// Sets Markdown made by this program (never a run's strings).
  Facts& set_markdown(const std::string& name, std::string markdown);
  /// Sets a number in the format of tables.
  Facts& set(const std::string& name, const Value& value, const Notation& notation);
  /// Sets a row's values by their columns' names, in the format of tables.
  template <typename Row>
  Facts& set(const Row& row, const std::vector<Column<Row>>& columns) {
    for (const auto& column : columns) set(column.name, column.value(row), column.notation);
    return *this;
  }
  /// Adds all other facts, whose names must be different.
  Facts& add(const Facts& others);
  Facts& flag(const std::string& name, bool value);
  /// Sets whether a situation holds (with an optional: if there are values). Its sentences stand
  /// inside {{#name}}…{{/name}}, and only they can use the values.
  Facts& when(const std::string& name, const std::optional<Facts>& values);
  Facts& when(const std::string& name, bool holds, const Facts& values);
  /// Sets a situation whose sentences need a single value.
  Facts& when(const std::string& name, bool holds, const std::string& value_name,
              std::string_view text);
  /// Sets all `situations`: the one equal to `holds` has the values, the others do not hold.
  Facts& choose(std::initializer_list<const char*> situations, std::string_view holds,
                const Facts& values);
  Facts& list(const std::string& name, std::vector<Facts> items);

  using Entry = std::variant<std::string, bool, std::vector<Facts>>;
  const std::map<std::string, Entry>& entries() const { return entries_; }

 private:
  std::map<std::string, Entry> entries_;
};

/// Backslash-escapes what Markdown or HTML would interpret.
std::string escape_markdown(std::string_view text);

/// Fills a Mustache template ({{name}}, {{#flag}}…{{/flag}}, {{^flag}}…{{/flag}},
/// {{#list}}…{{/list}}) and joins lines as Markdown does. Throws `Error` naming `where` and the tag
/// when a tag is not among the facts (of the list item or of what surrounds it).
std::string render_words(std::string_view words, const Facts& facts, std::string_view where);

}  // namespace labreport
