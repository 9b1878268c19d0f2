// The pieces of a part in LaTeX, for the whole report and for fragments alike.
#pragma once

#include <set>
#include <string>

#include "writers/latex/latex.h"

namespace labreport {

class LatexParts {
 public:
  /// `placement`: where figures and short tables go, as a float says it ("H", "htbp"); `line`: see
  /// latex_table.h.
  LatexParts(const Prints& prints, const LatexOptions& options, const FrontMatter& front,
             std::string placement, double line)
      : prints_(prints),
        options_(options),
        front_(front),
        placement_(std::move(placement)),
        line_(line) {}

  std::string part(const Part& part);
  std::string table(const TableView& table, const std::string& where);

 private:
  std::string answer(const Part& part) const;
  std::string figure(const Figure& figure, const std::string& where);
  std::string details(const Details& details, const std::string& where);

  const Prints& prints_;
  const LatexOptions& options_;
  const FrontMatter& front_;
  std::string placement_;
  double line_;
  std::set<std::string> labels_;  ///< TeX refuses a label that is given twice.
};

/// Letters, digits and hyphens: what \label bears.
std::string latex_label(const std::string& kind, const std::string& name);

}  // namespace labreport
