#include "results/json_writer.h"

#include <algorithm>

namespace labreport {
namespace {

constexpr std::size_t kMaxObjectLine = 100;  // bytes
constexpr std::size_t kMaxRowsLine = 400;    // bytes

bool is_scalar_array(const Json& value) {
  return value.is_array() &&
         std::none_of(value.begin(), value.end(), [](const Json& x) { return x.is_structured(); });
}

std::string one_line(const Json& value) {
  if (!value.is_structured()) return compact_json(value);
  std::string text;
  for (auto part = value.begin(); part != value.end(); ++part) {
    if (!text.empty()) text += ", ";
    if (value.is_object()) text += compact_json(Json(part.key())) + ": ";
    text += one_line(*part);
  }
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

/// True for an array of rows, each an array of integers and nulls.
bool is_integer_table(const Json& value) {
  const auto is_row = [](const Json& row) {
    return row.is_array() && !row.empty() && std::all_of(row.begin(), row.end(), [](const Json& x) {
             return x.is_number_integer() || x.is_null();
           });
  };
  return value.is_array() && !value.empty() && std::all_of(value.begin(), value.end(), is_row);
}

/// Writes as many rows on each line as fit 400 bytes. Tables have thousands of short rows, and a
/// line for each row would be mostly indentation.
void write_integer_table(std::string& out, const Json& rows, std::size_t depth) {
  const std::string indent((depth + 1) * 2, ' ');
  std::size_t line_begin = out.size();
  out += '[';
  for (const Json& row : rows) {
    const std::string text = compact_json(row);
    if (out.back() != '[') out += ',';
    const bool new_line = out.size() + text.size() > line_begin + kMaxRowsLine || out.back() == '[';
    if (new_line) line_begin = out.size() + 1;
    out += (new_line ? "\n" + indent : "") + text;
  }
  out += "\n" + std::string(depth * 2, ' ') + ']';
}

void write(std::string& out, const Json& value, std::size_t depth) {
  const auto is_flat = [](const Json& part) {
    return !part.is_structured() || is_scalar_array(part);
  };
  if (is_flat(value)) {
    out += one_line(value);
    return;
  }
  if (value.is_object() && std::all_of(value.begin(), value.end(), is_flat)) {
    const std::string line = one_line(value);
    const bool is_metric = value.contains("tag") && value.contains("unit");
    if (line.size() <= kMaxObjectLine || is_metric) {
      out += line;
      return;
    }
  }
  if (is_integer_table(value)) return write_integer_table(out, value, depth);
  out += value.is_object() ? '{' : '[';
  std::string separator = "\n" + std::string((depth + 1) * 2, ' ');
  for (const auto& [key, part] : value.items()) {
    out += separator;
    if (!separator.starts_with(',')) separator.insert(0, 1, ',');
    if (value.is_object()) out += compact_json(Json(key)) + ": ";
    write(out, part, depth + 1);
  }
  out += "\n" + std::string(depth * 2, ' ');
  out += value.is_object() ? '}' : ']';
}

}  // namespace

std::string write_json(const Json& document) {
  std::string out;
  write(out, document, 0);
  return out + "\n";
}

}  // namespace labreport
