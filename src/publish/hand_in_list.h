// Lists what a submission has of all that the handout asks for, as a grader would see it.
#pragma once

#include <map>
#include <string>

#include "document/document.h"
#include "publish/write_up.h"

namespace labreport {

/// Says what gave a problem's numbers.
struct MeasuredBy {
  bool users_code = false;  ///< Else labreport's.
  bool on_cpu = false;      ///< True for a demonstration.
};

/// Returns what measured each problem of the write-up, by the problem's name.
std::map<std::string, MeasuredBy> measured_by(const WriteUp& write_up);

/// The edition's problems with their points, whose words answer them and whose code was measured,
/// then the PDF. Below a problem stand the screenshots that the handout asks for and what the
/// report has instead.
class HandInList {
 public:
  HandInList(const Document& document, Answers answers,
             const std::map<std::string, MeasuredBy>& sources, bool has_pdf);

  /// Writes the list for a terminal of 100 columns.
  std::string text() const;

  /// Writes the list as the submission's README.md.
  std::string markdown() const;

 private:
  std::string edition_;
  TableView table_;
  int missing_points_ = 0;             ///< The points of problems that lack a part.
  bool has_unwritten_answer_ = false;  ///< True if some answer is not in the author's words.
};

}  // namespace labreport
