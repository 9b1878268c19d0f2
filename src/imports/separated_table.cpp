// Comma, tab or semicolon between fields; quotes as in RFC 4180.
#include <algorithm>

#include "imports/lines.h"

namespace labreport {
namespace {

/// A quoted field may hold line breaks, but a quote in prose must not swallow a document.
constexpr std::size_t kMostLinesOfARecord = 16;

struct Record {
  std::vector<std::string> fields;
  std::size_t end = 0;  ///< The first line behind it.
};

/// Reads one record field by field.
class RecordReader {
 public:
  RecordReader(const std::vector<std::string_view>& lines, std::size_t begin, char separator)
      : lines_(lines), line_(begin), separator_(separator) {}

  /// Nothing where a quote is never closed.
  std::optional<Record> read() {
    const std::size_t last = std::min(lines_.size(), line_ + kMostLinesOfARecord);
    Record record;
    while (true) {
      std::string field;
      if (!read_field(field, last)) return std::nullopt;
      record.fields.push_back(std::move(field));
      if (at_ >= text().size()) break;
      ++at_;  // the separator
    }
    record.end = line_ + 1;
    return record;
  }

 private:
  std::string_view text() const { return lines_[line_]; }

  bool read_field(std::string& field, std::size_t last) {
    const std::size_t content = text().find_first_not_of(' ', at_);
    const bool quoted = content != text().npos && text()[content] == '"';
    if (quoted) {
      at_ = content + 1;
      if (!read_quoted(field, last)) return false;
    }
    const std::size_t end = std::min(text().find(separator_, at_), text().size());
    field += text().substr(at_, end - at_);
    at_ = end;
    field = without_spaces(field);
    return true;
  }

  bool read_quoted(std::string& field, std::size_t last) {
    while (true) {
      const std::size_t quote = text().find('"', at_);
      field += text().substr(at_, quote - at_);
      if (quote == text().npos) {
        if (line_ + 1 >= last) return false;
        field += '\n';
        ++line_;
        at_ = 0;
      } else {
        at_ = quote + 1;
        if (at_ >= text().size() || text()[at_] != '"') return true;
        field += '"';
        ++at_;
      }
    }
  }

  const std::vector<std::string_view>& lines_;
  std::size_t line_;
  std::size_t at_ = 0;
  char separator_;
};

char separator_of(std::string_view line) {
  for (const char separator : {'\t', ',', ';'}) {
    if (line.find(separator) != line.npos) return separator;
  }
  return '\0';
}

/// A sentence with commas may stand right above a table of another form.
bool ends_table(const std::vector<std::string_view>& lines, std::size_t at) {
  return at >= lines.size() || is_blank(lines[at]) || lines[at].starts_with("```") ||
         pipe_table(lines, at);
}

}  // namespace

std::optional<FoundTable> separated_table(const std::vector<std::string_view>& lines,
                                          std::size_t begin) {
  const char separator = separator_of(lines[begin]);
  if (separator == '\0') return std::nullopt;
  const auto header = RecordReader(lines, begin, separator).read();
  if (!header || ends_table(lines, header->end)) return std::nullopt;
  FoundTable found;
  found.table.form = TableForm::kSeparated;
  found.table.header = header->fields;
  std::size_t i = header->end;
  while (!ends_table(lines, i)) {
    auto record = RecordReader(lines, i, separator).read();
    if (!record && found.table.broken_line == 0) found.table.broken_line = i + 1;
    if (!record) break;
    // Prose with commas is a table only if its first two lines agree.
    const bool first = found.table.rows.empty();
    if (first && record->fields.size() != header->fields.size()) return std::nullopt;
    found.table.rows.push_back({i + 1, std::move(record->fields)});
    i = record->end;
  }
  if (found.table.rows.empty()) return std::nullopt;
  found.end = i;
  return found;
}

}  // namespace labreport
