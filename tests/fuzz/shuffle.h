// Changes a measured run, from small damage to content that nobody wrote.
#pragma once

#include <string>
#include <vector>

#include "fuzz/dice.h"

namespace labreport::fuzz {

/// Words that readers of runs compare with or writers have to escape.
const std::vector<std::string>& hostile_words();

/// Values that the schema does not restrict, by kind.
struct Leaves {
  std::vector<nlohmann::json*> numbers;
  std::vector<nlohmann::json*> texts;

  void add(nlohmann::json& value, const std::string& key);
};

/// Changes one thing of the run at a time. Changes nothing if there is nothing of the kind.
class Shuffle {
 public:
  Shuffle(nlohmann::json& run, Dice& dice) : run_(run), dice_(dice) {}
  void once();

 private:
  nlohmann::json number(const nlohmann::json& like);
  Leaves leaves();
  nlohmann::json* cell();
  nlohmann::json* launch();
  nlohmann::json* table();
  nlohmann::json* filled_table();
  nlohmann::json* metric();
  void set_metrics(const nlohmann::json& like, const nlohmann::json& value);
  void set_columns(const std::string& table, const std::string& column,
                   const nlohmann::json& value);
  void set_number();
  /// Changes every number of one metric, or of one column, in all launches.
  void set_numbers_alike();
  void swap_numbers();
  void swap_texts();
  void set_text();
  /// Renames one name everywhere, so that references still find it.
  void set_texts_alike();
  void drop_rows();
  /// Drops all rows that are equal in one column, in one table or in the launch's first of that
  /// name.
  void drop_alike();
  void repeat_rows();
  void change_columns();
  void empty_cell();
  void drop_metric();
  void cut_samples();
  void change_cells();
  void change_params(nlohmann::json& of);
  void change_param();
  void change_outcome();
  void exchange_parts();
  void reorder();
  void change_head();
  void change_launches();

  nlohmann::json& run_;
  Dice& dice_;
};

}  // namespace labreport::fuzz
