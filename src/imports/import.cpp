#include "imports/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.h"
#include "base/format.h"
#include "base/printable.h"
#include "base/text.h"
#include "plan/editions.h"
#include "results/bounds.h"
#include "results/metric_names.h"
#include "results/run_labels.h"

namespace labreport {
namespace {

using enum ImportField::Place;

constexpr std::size_t kMaxLineBytes = 1000;
constexpr std::int64_t kMaxParameter = 1'000'000'000;
constexpr double kMaxNumber = 1e15;  // Eleven days in nanoseconds, or a petabyte.
constexpr std::string_view kNeeded = "needed";
constexpr std::string_view kOptional = "optional";

constexpr auto kFields = std::to_array<ImportField>({
    {"gpu", kLine, "the GPU's name", kNeeded},
    {"edition", kLine, "2025 or 2026: the handout whose sizes these are", kNeeded},
    {"title", kLine, "whose numbers these are", kOptional},
    {"source", kLine, "where they were published, such as a URL", kOptional},
    {"size", kLineOrColumn, "a size of the edition, such as small or 2.7B", kNeeded},
    {"context", kLineOrColumn, "tokens in a sequence", kNeeded},
    {"batch", kLineOrColumn, "sequences in a step", "4"},
    {"precision", kLineOrColumn, "fp32, tf32, bf16 or fp16", kNeeded},
    {"mode", kLineOrColumn,
     "inference (no_grad), forward, forward_backward or train_step (with AdamW)", kNeeded},
    {"warmup", kLineOrColumn, "steps before the timed ones", "5"},
    {"steps", kLineOrColumn, "timed steps", "10"},
    {"mean", kColumn, "mean time of the mode's whole step", kOptional, metric::kTotal},
    {"stddev", kColumn, "its standard deviation", kOptional, metric::kTotal, true},
    {"forward", kColumn, "mean time of the step's forward pass alone", kOptional, metric::kForward,
     false, Mode::kForwardBackward},
    {"forward_stddev", kColumn, "its standard deviation", kOptional, metric::kForward, true,
     Mode::kForwardBackward},
    {"backward", kColumn, "mean time of the step's backward pass alone", kOptional,
     metric::kBackward, false, Mode::kForwardBackward},
    {"backward_stddev", kColumn, "its standard deviation", kOptional, metric::kBackward, true,
     Mode::kForwardBackward},
    {"optimizer", kColumn, "mean time of the step's optimizer alone", kOptional, metric::kOptimizer,
     false, Mode::kTrainStep},
    {"optimizer_stddev", kColumn, "its standard deviation", kOptional, metric::kOptimizer, true,
     Mode::kTrainStep},
    {"peak", kColumn, "peak of the memory allocated in a step", kOptional, metric::kPeak},
});

CellKind kind_of(const ImportField& field) {
  return field.metric == metric::kPeak ? CellKind::kMemory : CellKind::kTiming;
}

struct Unit {
  CellKind kind;
  std::string_view suffix;
  double scale;  ///< One unit in nanoseconds or bytes.
};
constexpr auto kUnits = std::to_array<Unit>({{CellKind::kTiming, "_ms", 1e6},
                                             {CellKind::kTiming, "_s", 1e9},
                                             {CellKind::kMemory, "_mib", kBytesPerMebibyte},
                                             {CellKind::kMemory, "_gib", kBytesPerGibibyte}});

/// The numbers of one metric in a row: times in nanoseconds, or a peak in bytes as `mean`.
struct PublishedNumbers {
  std::optional<std::int64_t> mean, deviation;
};

struct Column {
  const ImportField* field;
  std::string name;
};

/// Throws `InputError` for an unknown name. The known names are those of all fields except the
/// fields in `excluded_place`.
[[noreturn]] void refuse_name(std::string_view kind, std::string_view name,
                              ImportField::Place excluded_place) {
  std::vector<std::string> known;
  for (const ImportField& field : kFields) {
    if (field.place == excluded_place) continue;
    for (const std::string& column : field.column_names()) known.push_back(column);
  }
  throw InputError(fmt::format("unknown {} '{}'", kind, name),
                   fmt::format("nearest: {}; there are {}; a header to copy: {}",
                               nearest(name, known).front(), join(known, ", "), kExampleHeader));
}

/// Splits a line of a table. Also splits at separators within quotes, because no documented value
/// contains one.
std::vector<std::string> split_row(std::string_view line, char separator) {
  if (separator == '|' && line.starts_with('|')) line.remove_prefix(1);
  if (separator == '|' && line.ends_with('|')) line.remove_suffix(1);
  std::vector<std::string> cells = split(line, separator);
  for (std::string& cell : cells) {
    cell = trimmed(cell);
    if (cell.size() > 1 && cell.starts_with('"') && cell.ends_with('"')) {
      cell = cell.substr(1, cell.size() - 2);
    }
  }
  return cells;
}

class Importer {
 public:
  Importer(std::string file, const ImportFlags& flags) : file_(std::move(file)) {
    for (const auto& [name, text] : flags) set_value(name, text);
  }

  void read_line(std::string_view line) {
    ++line_number_;
    // Spreadsheets begin a file with a byte order mark.
    if (line_number_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    line = trimmed(line);
    check_text(line);
    if (line.empty()) return;
    const std::size_t colon = line.find(':');
    if (!columns_.empty()) {
      read_row(line);
    } else if (colon < line.find_first_of(",|")) {
      set_value(std::string(trimmed(line.substr(0, colon))),
                std::string(trimmed(line.substr(colon + 1))));
    } else {
      read_header(line);
    }
  }

  /// Returns the run after the last line was read.
  Run finish() {
    if (!run_.cells.empty()) return std::move(run_);
    throw InputError(
        file_ + " holds no published number",
        fmt::format("write a table in CSV or Markdown; a header to copy: {}", kExampleHeader));
  }

 private:
  static void check_text(std::string_view text) {
    if (!is_utf8(text)) throw InputError("it is no UTF-8", "save the file as UTF-8");
    if (text.size() > kMaxLineBytes) {
      throw InputError(fmt::format("it has more than {} bytes", format_count(kMaxLineBytes)));
    }
    if (printable(text, "\t") != text) throw InputError("it holds a control character");
  }

  void set_value(const std::string& name, const std::string& text) {
    const auto field = std::ranges::find(kFields, name, &ImportField::name);
    if (field == kFields.end() || field->place == kColumn) refuse_name("name", name, kColumn);
    check_text(text);
    if (text.empty()) throw InputError(name + " is empty");
    if (!values_.emplace(name, text).second) throw InputError(name + " is given twice");
  }

  void read_header(std::string_view line) {
    separator_ = line.find('|') == line.npos ? ',' : '|';
    for (const std::string& name : split_row(line, separator_)) add_column(name);
    std::vector<std::string> missing;
    for (const ImportField& field : kFields) {
      const bool is_given = values_.contains(field.name) ||
                            std::ranges::find(columns_, &field, &Column::field) != columns_.end();
      if (is_given || field.if_absent == kOptional) continue;
      if (field.if_absent == kNeeded) {
        missing.emplace_back(field.name);
      } else {
        values_.emplace(field.name, field.if_absent);
        assumed_.push_back(fmt::format("{} {}, as in the handout", field.name, field.if_absent));
      }
    }
    if (!missing.empty()) {
      throw InputError(
          "nothing says " + join(missing, ", "),
          fmt::format("write a line '{0}: …' above the table, or give --{0}", missing.front()));
    }
    edition_ = &find_edition(values_.at("edition"));
    run_.edition = edition_->name;
    run_.preset = kPresetNone;
    run_.source = kSourceImported;
    run_.devices.resize(1);
    run_.devices[0].kind = DeviceKind::kCuda;
    run_.devices[0].name = values_.at("gpu");
  }

  void add_column(const std::string& name) {
    const auto field = std::ranges::find_if(kFields, [&](const ImportField& each) {
      const auto names = each.column_names();
      return std::ranges::find(names, name) != names.end();
    });
    if (field == kFields.end()) refuse_name("column", name, kLine);
    if (field->place == kLine) {
      throw InputError(name + " is no column",
                       fmt::format("write a line '{0}: …' above the table, or give --{0}", name));
    }
    if (values_.contains(name)) throw InputError(name + " is given twice");
    for (const Column& other : columns_) {
      if (other.field == field) {
        throw InputError(fmt::format("columns {} and {} say the same", other.name, name));
      }
    }
    columns_.push_back({field, name});
  }

  void read_row(std::string_view line) {
    const bool is_markdown_rule = line.find_first_not_of("|:- \t") == line.npos;
    if (is_markdown_rule && !has_rows_) return;
    has_rows_ = true;
    row_ = split_row(line, separator_);
    if (row_.size() != columns_.size()) {
      throw InputError(fmt::format("{} in a table of {}", format_plural(row_.size(), "cell"),
                                   format_plural(columns_.size(), "column")));
    }
    CellSpec spec = timing_spec();
    add_cell(spec);
    spec.kind = CellKind::kMemory;
    spec.warmup.reset();  // A peak does not depend on the number of steps.
    spec.steps.reset();
    add_cell(spec);
  }

  /// Returns the text of a parameter from the current row, or from the lines and flags.
  std::string text_of(std::string_view name) const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].field->name == name) return row_[i];
    }
    return values_.find(name)->second;
  }

  std::int64_t integer_of(std::string_view name, std::int64_t min = 1) const {
    const std::string digits = text_of(name);
    const char* const end = digits.data() + digits.size();
    std::int64_t value = 0;
    const auto [parsed_end, error] = std::from_chars(digits.data(), end, value);
    if (error == std::errc() && parsed_end == end && value >= min && value <= kMaxParameter) {
      return value;
    }
    throw InputError(fmt::format("{} is '{}'", name, digits),
                     fmt::format("write a whole number, at least {}", min));
  }

  CellSpec timing_spec() const {
    CellSpec spec;
    const std::string size = text_of("size");
    std::vector<std::string> names;
    for (const Size& known : edition_->sizes) {
      names.push_back(known.name);
      if (known.name == size) spec.model = known.shape;
    }
    if (!spec.model) refuse_unknown("size of the " + edition_->name + " edition", size, names);
    spec.size = size;
    spec.context = integer_of("context");
    spec.batch = integer_of("batch");
    spec.precision = parse_precision(text_of("precision"));
    spec.mode = parse_mode(text_of("mode"));
    spec.warmup = integer_of("warmup", 0);
    spec.steps = integer_of("steps");
    if (bytes_are_countable(spec)) return spec;
    throw InputError("its tensors would have more bytes than can be counted");
  }

  /// Adds a cell with the numbers of the current row that belong to `spec.kind`, if there are any.
  void add_cell(const CellSpec& spec) {
    std::map<std::string_view, PublishedNumbers> numbers;
    bool out_of_memory = false;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const ImportField& field = *columns_[i].field;
      if (field.place != kColumn || kind_of(field) != spec.kind) continue;
      if (row_[i].empty() || row_[i] == "-") continue;
      if (*spec.mode < field.first_mode) {
        throw InputError(fmt::format("a step of mode {} has no {}", name(*spec.mode), field.name),
                         "write '-'");
      }
      if (row_[i] == "OOM") {
        out_of_memory = true;
      } else {
        PublishedNumbers& published = numbers[field.metric];
        (field.is_deviation ? published.deviation : published.mean) = number(columns_[i], row_[i]);
      }
    }
    if (!out_of_memory && numbers.empty()) return;
    if (out_of_memory && !numbers.empty()) {
      throw InputError("a step that ran out of memory has no times", "write OOM or '-'");
    }
    Launch launch = new_launch();
    if (out_of_memory) launch.outcome = OutOfMemory{};
    const bool is_timing = spec.kind == CellKind::kTiming;
    for (const auto& [metric_name, published] : numbers) {
      if (!published.mean)
        throw InputError("a deviation stands without its mean", "write '-' for it");
      launch.metrics.push_back(
          integer_metric(metric::kPublished, metric_name, is_timing ? "ns" : "B", *published.mean));
      if (!is_timing) continue;
      launch.metrics.push_back(integer_metric(metric::kPublishedStddev, metric_name, "ns",
                                              published.deviation, "the table has none"));
    }
    const auto [id_and_line, is_new] = cell_lines_.emplace(cell_id(spec), line_number_);
    if (!is_new)
      throw InputError(fmt::format("repeats line {}", id_and_line->second), "keep one of them");
    if (run_.cells.size() == kMaxCells) {
      throw InputError(fmt::format("more than {} cells", format_count(kMaxCells)),
                       "import parts of the table");
    }
    run_.cells.push_back({id_and_line->first, spec, {std::move(launch)}});
  }

  /// Returns a published number in nanoseconds or bytes.
  static std::int64_t number(const Column& column, const std::string& text) {
    const auto unit = std::ranges::find_if(
        kUnits, [&](const Unit& each) { return column.name.ends_with(each.suffix); });
    const char* const end = text.data() + text.size();
    double value = 0;
    const auto [parsed_end, error] = std::from_chars(text.data(), end, value);
    const double scaled = value * unit->scale;
    const double min = column.field->is_deviation ? 0 : 1;
    if (error == std::errc() && parsed_end == end && scaled >= min && scaled <= kMaxNumber) {
      return std::llround(scaled);
    }
    throw InputError(fmt::format("{} is '{}'", column.name, text),
                     "write a number such as 12.5, '-' for none, or OOM");
  }

  Launch new_launch() const {
    Launch launch;
    launch.device = 0;
    const auto add_condition = [&](std::string_view name, const std::string& text) {
      if (!text.empty()) launch.conditions.push_back(text_metric(metric::kProvenance, name, text));
    };
    const auto value_of = [&](std::string_view name) {
      const auto found = values_.find(name);
      return found == values_.end() ? "" : found->second;
    };
    add_condition(metric::kTitle, value_of("title"));
    add_condition(metric::kSource, value_of("source"));
    add_condition(metric::kFile, file_);
    add_condition(metric::kPlace, fmt::format("line {}", line_number_));
    add_condition(metric::kAssumed, join(assumed_, "; "));
    return launch;
  }

  std::string file_;
  std::size_t line_number_ = 0;
  ImportFlags values_;  ///< Values from flags, lines above the table and the course handout.
  std::vector<std::string> assumed_;  ///< Descriptions of the values that are assumed.
  char separator_ = ',';
  std::vector<Column> columns_;
  std::vector<std::string> row_;  ///< The current row.
  bool has_rows_ = false;
  const Edition* edition_ = nullptr;
  std::map<std::string, std::size_t> cell_lines_;  ///< The line number of each cell, by its id.
  Run run_;
};

}  // namespace

std::vector<std::string> ImportField::column_names() const {
  if (place != kColumn) return {std::string(name)};
  std::vector<std::string> names;
  for (const Unit& unit : kUnits) {
    if (unit.kind == kind_of(*this)) names.push_back(fmt::format("{}{}", name, unit.suffix));
  }
  return names;
}

std::span<const ImportField> import_fields() { return kFields; }

Run import_table(const std::string& text, const std::string& file, const ImportFlags& flags) {
  Importer importer(file, flags);
  std::size_t line_number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++line_number;
    try {
      importer.read_line(line);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: line {}: {}", file, line_number, error.what()));
    }
  }
  return importer.finish();
}

}  // namespace labreport
