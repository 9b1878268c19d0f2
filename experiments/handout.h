// Lists all problems of the handout with their points, also those that labreport does not answer.
#pragma once

#include <string_view>
#include <vector>

namespace labreport {

/// Screenshots that the handout asks for in a part of a problem.
struct Screenshots {
  std::string_view letter;           ///< The part in the handout: "a"
  std::string_view answered_letter;  ///< The part of the experiment that has figures instead.
  std::string_view wanted;           ///< "2 images of memory_viz"
  std::string_view file = {};  ///< A file of the run's artifacts to take them from; may be empty.
};

struct HandoutProblem {
  std::string_view name;
  int points;
  std::string_view experiment;  ///< It answers the problem. Empty if the problem asks for code.
  std::vector<std::string_view> letters = {};  ///< The parts of `experiment` that answer it.
  std::vector<Screenshots> screenshots = {};
  std::string_view only_edition = {};  ///< Empty if both editions have the problem.
};

/// Returns the edition's problems in the handout's order.
std::vector<HandoutProblem> handout_problems(std::string_view edition);

}  // namespace labreport
