// The numbers of a row.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "imports/row_reader.h"
#include "results/published_names.h"

namespace labreport {
namespace {

constexpr double kLongestNanoseconds = 1e15;  // Eleven days; a peak of as many bytes is a petabyte.

}  // namespace

void RowReader::read_value(std::size_t index, const Reading& parameters) {
  const ImportColumn& column = columns_[index];
  const TableNumber number = parse_table_number(row_->cells.at(index));
  const std::string shown = in_quotes(row_->cells.at(index));
  if (number.kind == TableNumber::Kind::kMissing) throw LeftOut("no value is given");
  if (number.kind == TableNumber::Kind::kUnclear) throw LeftOut(shown + " is no plain number");
  if (number.kind == TableNumber::Kind::kWrong) {
    refuse(fmt::format("{} in {}: {}", shown, in_quotes(column.name), number.why));
  }
  Reading reading = parameters;
  set_subject(reading, column);
  reading.spec.precision = precision_of(column);
  if (number.kind == TableNumber::Kind::kOutOfMemory) {
    reading.outcome = OutOfMemory{};
  } else {
    set_number(reading, index, number);
  }
  into_.readings.push_back(std::move(reading));
}

std::optional<Subject> RowReader::row_subject() const {
  if (has(Role::kSubject)) return meaning_of(words_of(text(Role::kSubject))).subject;
  if (!has(Role::kForwardOnly)) return std::nullopt;
  const auto only = parse_yes_no(text(Role::kForwardOnly));
  if (!only) throw LeftOut(in_quotes(text(Role::kForwardOnly)) + " is neither true nor false");
  return Subject{CellKind::kTiming, *only ? Mode::kForward : Mode::kForwardBackward,
                 metric::kTotal};
}

void RowReader::set_subject(Reading& reading, const ImportColumn& column) {
  const auto subject = column.meaning.subject ? column.meaning.subject : row_subject();
  if (!subject) {
    refuse(fmt::format("{} does not say what was timed, and no other column does",
                       in_quotes(column.name)),
           "name it in the header, such as forward_mean");
  }
  reading.spec.kind = subject->kind;
  reading.spec.mode = subject->mode;
  reading.name = subject->name;
  if (subject->kind != CellKind::kMemory) return;
  reading.spec.warmup.reset();  // A peak is of a step, whichever.
  reading.spec.steps.reset();
}

Precision RowReader::precision_of(const ImportColumn& column) {
  if (column.meaning.precision) return *column.meaning.precision;
  if (has(Role::kPrecision)) {
    const std::string written = text(Role::kPrecision);
    const auto named = precision_named(written);
    if (!named) throw LeftOut(in_quotes(written) + " is no precision of a step");
    return *named;
  }
  if (const ImportColumn* autocast = find_column(columns_, Role::kAutocast)) {
    if (autocast->assumed) {
      into_.assumed.insert(in_quotes(autocast->name) + " means BF16, as in the handout");
    }
    return *parse_yes_no(text(Role::kAutocast)) ? *autocast->meaning.precision : Precision::kFp32;
  }
  if (declared_.precision) return *declared_.precision;
  const std::set<Precision>& nearby = nearby_precisions_;
  if (nearby.size() > 1) {
    miss("the words above the table say several precisions", "--precision NAME");
  }
  const Precision precision = nearby.empty() ? Precision::kFp32 : *nearby.begin();
  into_.assumed.insert(
      fmt::format("precision {}, {}: --precision says otherwise", name(precision),
                  nearby.empty() ? "as in the handout" : "from the words above the table"));
  return precision;
}

std::optional<Unit> RowReader::written_unit(std::size_t index, const TableNumber& number) const {
  const ImportColumn& column = columns_[index];
  const std::optional<Unit>& named = column.meaning.unit;
  if (number.unit && named && *number.unit != *named) {
    refuse(
        fmt::format("{} in {} is in {}, the column's name says {}", in_quotes(row_->cells[index]),
                    in_quotes(column.name), name(*number.unit), name(*named)),
        "write one unit");
  }
  return number.unit ? number.unit : named;
}

Unit RowReader::unit_of(std::size_t index, const TableNumber& number, bool time) {
  const ImportColumn& column = columns_[index];
  std::optional<Unit> unit = written_unit(index, number);
  if (has(Role::kUnit)) {
    const auto of_row = unit_named(text(Role::kUnit));
    if (!unit && !of_row) throw LeftOut(in_quotes(text(Role::kUnit)) + " is no unit that is read");
    // One column may name the unit of the row's times beside a peak that has its own.
    if (unit && of_row && is_time(*unit) == is_time(*of_row) && *unit != *of_row) {
      refuse(fmt::format("{} in {} is in {}, the row says {}", in_quotes(row_->cells[index]),
                         in_quotes(column.name), name(*unit), name(*of_row)),
             "write one unit");
    }
    if (!unit) unit = of_row;
  }
  if (unit && time && declared_.unit && *unit != *declared_.unit) {
    refuse(fmt::format("the table says {}, --unit says {}", name(*unit), name(*declared_.unit)),
           "leave --unit out");
  }
  if (!unit && time) unit = declared_.unit;
  if (!unit && time && nearby_unit_) {
    unit = nearby_unit_;
    into_.assumed.insert(
        fmt::format("unit {}, from the words above the table: --unit says otherwise", name(*unit)));
  }
  if (!unit && time) {
    miss(fmt::format("nothing says in which unit {} is", in_quotes(column.name)),
         "--unit s, --unit ms or --unit us");
    return Unit::kSeconds;  // Nothing of it is kept.
  }
  if (!unit)
    throw LeftOut(in_quotes(column.name) + " has no unit; GiB and MiB are read, GB is unclear");
  if (is_time(*unit) != time) {
    throw LeftOut(fmt::format("{} is no unit of {}", name(*unit), time ? "time" : "memory"));
  }
  return *unit;
}

std::int64_t RowReader::scaled(double value, Unit unit) const {
  const double scaled = value * nanoseconds_or_bytes(unit);
  if (scaled > kLongestNanoseconds) refuse(fmt::format("{} {} cannot be", value, name(unit)));
  return std::llround(scaled);
}

void RowReader::set_number(Reading& reading, std::size_t index, const TableNumber& number) {
  const ImportColumn& column = columns_[index];
  const bool time = reading.spec.kind == CellKind::kTiming;
  const Unit unit = unit_of(index, number, time);
  reading.value = scaled(number.value, unit);
  if (reading.value <= 0) {
    refuse(fmt::format("{} in {} is no {}", in_quotes(row_->cells[index]), in_quotes(column.name),
                       time ? "time" : "peak"));
  }
  if (time) set_deviation(reading, index, number, unit);
}

std::optional<std::size_t> RowReader::deviation_column(const Meaning& mean) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Meaning& meaning = columns_[i].meaning;
    const bool same = meaning.subject == mean.subject && meaning.precision == mean.precision;
    if (columns_[i].role == Role::kValue && meaning.statistic == Statistic::kStddev && same)
      return i;
  }
  return std::nullopt;
}

void RowReader::set_deviation(Reading& reading, std::size_t index, const TableNumber& number,
                              Unit unit) {
  const std::optional<std::int64_t> beside = deviation_beside(index, unit);
  if (number.deviation && beside && scaled(*number.deviation, unit) != *beside) {
    refuse(in_quotes(row_->cells[index]) + " has another deviation than the column of deviations",
           "keep one of them");
  }
  if (beside) reading.deviation = beside;
  if (number.deviation) reading.deviation = scaled(*number.deviation, unit);
}

std::optional<std::int64_t> RowReader::deviation_beside(std::size_t index, Unit unit) {
  const auto at = deviation_column(columns_[index].meaning);
  if (!at) return std::nullopt;
  const TableNumber deviation = parse_table_number(row_->cells.at(*at));
  if (deviation.kind == TableNumber::Kind::kWrong) {
    refuse(fmt::format("{} in {}: {}", in_quotes(row_->cells[*at]), in_quotes(columns_[*at].name),
                       deviation.why));
  }
  const std::string shown = in_quotes(row_->cells[*at]);
  if (deviation.kind == TableNumber::Kind::kUnclear) {
    into_.left_out[shown + " is no plain number"].push_back(row_->line);
  }
  if (deviation.kind != TableNumber::Kind::kNumber) return std::nullopt;
  const Unit own = written_unit(*at, deviation).value_or(unit);
  if (!is_time(own)) {
    refuse(fmt::format("{} in {} is no time", shown, in_quotes(columns_[*at].name)));
  }
  return scaled(deviation.value, own);
}

}  // namespace labreport
