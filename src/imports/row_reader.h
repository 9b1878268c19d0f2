// One row of a table: its parameters, then its numbers.
#pragma once

#include <set>

#include "base/error.h"
#include "imports/reading.h"
#include "imports/table_number.h"

namespace labreport {

/// A value left out, and why: not wrong, but nothing to keep.
class LeftOut : public Error {
 public:
  using Error::Error;
};

class RowReader {
 public:
  RowReader(const TextTable& table, const std::vector<ImportColumn>& columns, const Declared& declared,
            const std::string& edition, Readings& into);

  void read(const TableRow& row);

 private:
  Reading parameters();
  void set_network(Reading& reading);
  void read_value(std::size_t index, const Reading& parameters);
  void set_subject(Reading& reading, const ImportColumn& column);
  void set_number(Reading& reading, std::size_t index, const TableNumber& number);
  void set_deviation(Reading& reading, std::size_t index, const TableNumber& number, Unit unit);
  std::optional<std::size_t> deviation_column(const Meaning& mean) const;

  std::optional<Subject> row_subject() const;
  Precision precision_of(const ImportColumn& column);
  Unit unit_of(std::size_t index, const TableNumber& number, bool time);
  /// What the cell or its column's name says; refused where they disagree.
  std::optional<Unit> written_unit(std::size_t index, const TableNumber& number) const;
  std::optional<std::int64_t> deviation_beside(std::size_t index, Unit unit);
  /// The column's cell, else what the user said, else what is assumed.
  std::int64_t number(Role role, std::optional<std::int64_t> declared, std::string_view flag,
                      std::optional<std::int64_t> assumed, std::string_view whose);
  std::string text(Role role) const;  ///< Empty where there is no such column.
  bool has(Role role) const { return find_column(columns_, role) != nullptr; }
  std::int64_t scaled(double value, Unit unit) const;
  void miss(const std::string& problem, const std::string& flag);
  [[noreturn]] void refuse(const std::string& problem, const std::string& remedy = "") const;

  const std::vector<ImportColumn>& columns_;
  const Declared& declared_;
  const std::string& edition_;
  Readings& into_;
  const std::optional<NearbyContext> nearby_context_;
  const std::optional<Unit> nearby_unit_;
  const std::set<std::int64_t> nearby_batches_;
  const std::set<Precision> nearby_precisions_;
  const TableRow* row_ = nullptr;
};

}  // namespace labreport
