// Changes a measured run: some changes are small, others make content that no program writes.
#pragma once

#include <string>
#include <vector>

#include "fuzz/dice.h"

namespace labreport::fuzz {

/// Returns words with which readers of runs compare, and words that writers must escape.
const std::vector<std::string>& hostile_words();

/// Pointers to the values of a run that the schema does not restrict.
struct OpenValues {
  std::vector<nlohmann::json*> numbers;
  std::vector<nlohmann::json*> texts;

  void add(nlohmann::json& value, const std::string& key);
};

/// Changes a run. Each change is skipped if the run has nothing of its kind.
class RunShuffler {
 public:
  RunShuffler(nlohmann::json& run, Dice& dice) : run_(run), dice_(dice) {}
  void change_once();

 private:
  nlohmann::json number(const nlohmann::json& like);
  OpenValues open_values();
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
  /// Drops all rows of a table that have one value in a column, or all others.
  void drop_alike();
  void repeat_rows();
  void change_columns();
  void empty_cell();
  void drop_metric();
  void cut_samples();
  void change_cells();
  void change_params(nlohmann::json& cell);
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
