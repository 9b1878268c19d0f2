#include "results/json_writer.h"

#include <algorithm>

namespace labreport {
namespace {

constexpr std::size_t kLineLength = 100;
constexpr std::size_t kPackedLine = 400;

bool is_scalar_array(const Json& value) {
  return value.is_array() &&
         std::none_of(value.begin(), value.end(), [](const Json& x) { return x.is_structured(); });
}

/// True for an object of scalars and arrays of scalars, such as a metric or a list of software.
bool is_flat_object(const Json& value) {
  return value.is_object() && std::all_of(value.begin(), value.end(), [](const Json& x) {
           return !x.is_structured() || is_scalar_array(x);
         });
}

bool is_metric(const Json& value) { return value.contains("tag") && value.contains("unit"); }

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

void write(std::string& out, const Json& value, std::size_t depth);

void write_spread(std::string& out, const Json& value, std::size_t depth) {
  const std::string indent((depth + 1) * 2, ' ');
  out += value.is_object() ? '{' : '[';
  bool first = true;
  for (const auto& [key, part] : value.items()) {
    out += first ? "\n" : ",\n";
    first = false;
    out += indent;
    if (value.is_object()) out += compact_json(Json(key)) + ": ";
    write(out, part, depth + 1);
  }
  out += "\n" + std::string(depth * 2, ' ');
  out += value.is_object() ? '}' : ']';
}

bool is_number_row(const Json& value) {
  return value.is_array() && !value.empty() &&
         std::all_of(value.begin(), value.end(),
                     [](const Json& x) { return x.is_number_integer() || x.is_null(); });
}

/// Rows of numbers are packed: tables have thousands of rows, and a line each would be mostly
/// indentation.
bool is_number_table(const Json& value) {
  return value.is_array() && !value.empty() &&
         std::all_of(value.begin(), value.end(), is_number_row);
}

void write_packed(std::string& out, const Json& rows, std::size_t depth) {
  const std::string indent((depth + 1) * 2, ' ');
  std::size_t line = out.size();
  out += '[';
  for (const Json& row : rows) {
    const std::string text = compact_json(row);
    if (out.back() != '[') out += ',';
    const bool full = out.size() + text.size() > line + kPackedLine || out.back() == '[';
    if (full) line = out.size() + 1;
    out += (full ? "\n" + indent : "") + text;
  }
  out += "\n" + std::string(depth * 2, ' ') + ']';
}

void write(std::string& out, const Json& value, std::size_t depth) {
  if (!value.is_structured() || is_scalar_array(value)) {
    out += one_line(value);
    return;
  }
  if (is_flat_object(value)) {
    const std::string line = one_line(value);
    if (line.size() <= kLineLength || is_metric(value)) {
      out += line;
      return;
    }
  }
  is_number_table(value) ? write_packed(out, value, depth) : write_spread(out, value, depth);
}

}  // namespace

std::string write_json(const Json& document) {
  std::string out;
  write(out, document, 0);
  return out + "\n";
}

}  // namespace labreport
