// Facts hold what a presenter found in a run, formatted for the words of a section.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "document/dataset.h"

namespace labreport {

/// Named values for one part's words. Every name that a template uses must be set, even without a
/// value: by `flag(name, false)` or an empty list.
class Facts {
 public:
  /// Sets plain text; Markdown's characters in it are escaped, and no address becomes a link.
  Facts& set(const std::string& name, std::string_view text);
  /// Sets Markdown that this program wrote. It must not contain a run's strings.
  Facts& set_markdown(const std::string& name, std::string markdown);
  /// Sets a number, formatted as in tables.
  Facts& set(const std::string& name, const Value& value, const Notation& notation);
  /// Sets each value of a row under its column's name, formatted as in tables.
  template <typename Row>
  Facts& set(const Row& row, const std::vector<Column<Row>>& columns) {
    for (const auto& column : columns) set(column.name, column.value(row), column.notation);
    return *this;
  }
  /// Adds other facts. None of their names may be set already.
  Facts& add(const Facts& others);
  /// Sets whether the sentences inside {{#name}}…{{/name}} are shown.
  Facts& flag(const std::string& name, bool value);
  /// Sets a condition, which holds if there are values. Its sentences stand inside
  /// {{#name}}…{{/name}}, and only they can use the values.
  Facts& when(const std::string& name, const std::optional<Facts>& values);
  /// Sets a condition whose values are known even if it does not hold.
  Facts& when(const std::string& name, bool holds, const Facts& values);
  /// Sets a condition whose sentences need a single value.
  Facts& when(const std::string& name, bool holds, const std::string& value_name,
              std::string_view text);
  /// Sets all `conditions`. Only the one called `chosen` holds, and it has the values.
  Facts& choose(std::initializer_list<const char*> conditions, std::string_view chosen,
                const Facts& values);
  /// Sets a list. The sentences inside {{#name}}…{{/name}} are shown once for each item.
  Facts& list(const std::string& name, std::vector<Facts> items);

  using Entry = std::variant<std::string, bool, std::vector<Facts>>;
  const std::map<std::string, Entry>& entries() const { return entries_; }

 private:
  std::map<std::string, Entry> entries_;
};

/// Puts a backslash before each character that Markdown or HTML would interpret.
std::string escape_markdown(std::string_view text);

/// Fills a Mustache template ({{name}}, {{#flag}}…{{/flag}}, {{^flag}}…{{/flag}},
/// {{#list}}…{{/list}}) and joins lines as Markdown does. Throws `Error`, which names `where` and
/// the tag, if neither the facts nor the items of a list around the tag have the tag's name.
std::string render_words(std::string_view words, const Facts& facts, std::string_view where);

}  // namespace labreport
