// One row of a table: its parameters, then its numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "imports/row_facts.h"
#include "imports/table_number.h"
#include "imports/words.h"

namespace labreport {
namespace {

using Kind = TableNumber::Kind;

constexpr double kLongestNanoseconds = 1e15;  // Eleven days; a peak of as many bytes is a petabyte.

class RowReader : private RowFacts {
 public:
  using RowFacts::RowFacts;

  void read(const std::string& edition) {
    or_leave_out([&] {
      const Reading common = parameters(edition);
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        const Meaning& meaning = columns_[i].meaning;
        if (meaning.role != Role::kValue || meaning.deviation) continue;
        or_leave_out([&] { read_value(i, common); });
      }
    });
  }

 private:
  void or_leave_out(const auto& work) {
    try {
      work();
    } catch (const LeftOut& left) {
      into_.left_out[left.what()].push_back(row_.line);
    }
  }

  Reading parameters(const std::string& edition) {
    Reading reading;
    reading.line = row_.line;
    if (has(Role::kMode)) subject();  // Rows that measure something else need no parameters.
    reading.gpu = fact(Role::kGpu).value_or("");
    const auto source = declared_.facts.find(Role::kSource);
    reading.source = source == declared_.facts.end() ? cell(Role::kSource) : source->second;
    reading.experiment = cell(Role::kExperiment);
    reading.edition = has(Role::kEdition) ? cell(Role::kEdition) : edition;
    set_network(reading);
    reading.spec.batch = number(Role::kBatch);
    reading.spec.context = number(Role::kContext);
    reading.spec.warmup = number(Role::kWarmup);
    reading.spec.steps = number(Role::kSteps);
    if (is_countable(reading.spec)) return reading;
    throw LeftOut("its tensors would have more bytes than can be counted");
  }

  void set_network(Reading& reading) const {
    const auto edition = std::ranges::find(editions(), reading.edition, &Edition::name);
    if (edition == editions().end()) {
      throw LeftOut("no edition is called " + in_quotes(reading.edition));
    }
    const std::string written = in_quotes(cell(Role::kSize));
    const Size* size = size_named(*edition, cell(Role::kSize));
    if (size == nullptr)
      throw LeftOut(written + " is no size of the " + edition->name + " edition");
    reading.spec.size = size->name;
    reading.spec.model = size->shape;
    check_number(Role::kModelWidth, size->shape.d_model);
    check_number(Role::kInnerWidth, size->shape.d_ff);
    check_number(Role::kLayers, size->shape.layers);
    check_number(Role::kHeads, size->shape.heads);
  }

  void read_value(std::size_t index, Reading reading) {
    const Meaning& meaning = columns_[index].meaning;
    const TableNumber number = number_at(index);
    if (number.kind == Kind::kMissing) throw LeftOut("no value is given");
    if (number.kind == Kind::kUnclear) throw LeftOut(text(index) + " is no plain number");
    const Subject measured = meaning.subject ? *meaning.subject : subject();
    reading.spec.kind = measured.kind;
    reading.spec.mode = measured.mode;
    reading.metric = measured.metric;
    if (measured.kind == CellKind::kMemory) {  // A peak is of a step, whichever.
      reading.spec.warmup.reset();
      reading.spec.steps.reset();
    }
    reading.spec.precision = meaning.precision ? *meaning.precision : precision();
    if (number.kind == Kind::kOutOfMemory) {
      reading.outcome = OutOfMemory{};
    } else {
      set_number(reading, index, number);
    }
    into_.readings.push_back(std::move(reading));
  }

  void set_number(Reading& reading, std::size_t index, const TableNumber& number) {
    const bool time = reading.spec.kind == CellKind::kTiming;
    const Unit& unit = unit_of(index, number, time);
    reading.value = scaled(number.value, unit);
    if (reading.value <= 0) refuse(shown(index) + (time ? " is no time" : " is no peak"));
    if (number.deviation) reading.deviation = scaled(*number.deviation, unit);
    const auto beside = columns_[index].deviations;
    if (!beside) return;
    const TableNumber deviation = number_at(*beside);
    if (deviation.kind == Kind::kUnclear) {
      into_.left_out[text(*beside) + " is no plain number"].push_back(row_.line);
    }
    if (deviation.kind != Kind::kNumber) return;
    const Unit& own = deviation.unit == nullptr ? unit : *deviation.unit;
    if (!own.time) refuse(shown(*beside) + " is no time");
    const std::int64_t value = scaled(deviation.value, own);
    if (reading.deviation.value_or(value) != value) {
      refuse(shown(index) + " has another deviation than " + in_quotes(columns_[*beside].name),
             "keep one of them");
    }
    reading.deviation = value;
  }

  const Unit& unit_of(std::size_t index, const TableNumber& number, bool time) {
    if (number.unit != nullptr && number.unit->time != time) {
      throw LeftOut(
          fmt::format("{} is no unit of {}", number.unit->name, time ? "time" : "memory"));
    }
    const bool column = has(Role::kUnit);
    const bool said = column || declared_.facts.contains(Role::kUnit);
    const bool needed = time && number.unit == nullptr && !column;
    const std::string written = column           ? cell(Role::kUnit)
                                : said || needed ? fact(Role::kUnit).value_or("s")
                                                 : "";
    const Unit* of_row = unit_named(written);
    // The unit of the row's times may stand beside a peak that has its own.
    if (of_row != nullptr && of_row->time != time) of_row = nullptr;
    if (number.unit != nullptr && of_row != nullptr && number.unit != of_row) {
      refuse(fmt::format("{} is in {}, {} says {}", shown(index), number.unit->name,
                         column ? "the row" : "--unit", of_row->name),
             "write one unit");
    }
    if (number.unit != nullptr || of_row != nullptr) {
      return number.unit != nullptr ? *number.unit : *of_row;
    }
    throw LeftOut(fmt::format("{} is no unit of {} that is read", in_quotes(written),
                              time ? "time" : "memory"));
  }

  TableNumber number_at(std::size_t index) const {
    TableNumber number = parse_table_number(row_.cells.at(index), columns_[index].meaning.unit);
    if (number.kind == Kind::kWrong) refuse(shown(index) + ": " + number.why);
    return number;
  }

  std::string text(std::size_t index) const { return in_quotes(row_.cells.at(index)); }

  /// "'12.5s' in 'forward_ms'"
  std::string shown(std::size_t index) const {
    return text(index) + " in " + in_quotes(columns_[index].name);
  }

  std::int64_t scaled(double value, const Unit& unit) const {
    const double scaled = value * unit.scale;
    if (scaled > kLongestNanoseconds) refuse(fmt::format("{} {} cannot be", value, unit.name));
    return std::llround(scaled);
  }
};

}  // namespace

void read_rows(const UnderstoodTable& table, const Declared& declared, const std::string& edition,
               Readings& into) {
  for (const TableRow& row : table.table.rows) {
    RowReader(table, row, declared, into).read(edition);
  }
}

}  // namespace labreport
