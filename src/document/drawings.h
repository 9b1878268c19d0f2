// Makes pictures of figures, and declares the tool that draws, prints and typesets.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "document/document.h"

namespace labreport {

/// The SVG text of a chart at both widths.
struct Drawing {
  std::string wide;
  std::string narrow;
};

/// Returns the path of the wide drawing beside the report: "charts/<slug>.svg".
std::string chart_path(const Figure& figure);

/// Returns the path of the narrow drawing beside the report: "charts/narrow/<slug>.svg".
std::string narrow_chart_path(const Figure& figure);

/// Drawings by the figure's slug; empty if no tool could draw.
using Drawings = std::map<std::string, Drawing>;

/// A wide drawing as the bytes of a PDF, for paper, and of a PNG, for other programs.
struct PrintedChart {
  std::string pdf;
  std::string png;
};

/// Printed charts by the figure's slug; empty if no tool could print.
using PrintedCharts = std::map<std::string, PrintedChart>;

/// A Typst source and the pictures that it includes.
struct TypesetJob {
  std::string source;
  std::map<std::string, std::string> pictures;  ///< Bytes by relative path.
};

struct TypesetResult {
  std::string pdf;
  std::string problem;  ///< One line that says why there is no PDF; else empty.
  /// Characters that the PDF shows as boxes, by the package whose fonts have them.
  std::map<std::string, std::vector<std::string>> missing_letters = {};
};

/// Turns Vega-Lite into pictures, Typst into PDF, TeX into formulas and Markdown into LaTeX.
/// It is an interface, because only higher rooms may start processes. Every function that returns a
/// list starts the tool once and keeps the order of the inputs. Functions throw `Error` with the
/// remedy if the tool fails; those with a default throw `Error` unless a tool overrides them.
class ChartTool {
 public:
  virtual ~ChartTool() = default;

  /// Draws an SVG for each Vega-Lite spec.
  virtual std::vector<std::string> draw(const std::vector<std::string>& specs) = 0;

  /// True if the tool can draw a minimal chart. An earlier failure is then the fault of a spec.
  virtual bool works();

  /// Prints each SVG. The same SVG gives the same bytes. Returns an empty list if the tool cannot
  /// print.
  virtual std::vector<PrintedChart> print(const std::vector<std::string>& svgs);

  /// Returns the script that makes charts interactive in a page, with all of its libraries.
  virtual std::string bundle() = 0;

  /// Typesets each job.
  virtual std::vector<TypesetResult> typeset(const std::vector<TypesetJob>& jobs);

  /// Converts formulas, given as TeX in `$` or `$$`. Formulas that cannot be converted are absent
  /// from the result.
  virtual Formulas convert_formulas(const std::set<std::string>& sources);

  /// Renders each report in Markdown for paper (writers/markdown/paper.h) as LaTeX. A report that
  /// fails gives an empty text.
  virtual std::vector<std::string> render_latex(const std::vector<std::string>& reports);
};

/// Returns a document's figures in the order of the page, including those in the parts' details.
std::vector<const Figure*> figures_of(const Document& document);

/// Draws the figures of all documents in one start of the tool. Returns the drawings of each
/// document.
std::vector<Drawings> draw_all(const std::vector<const Document*>& documents, ChartTool& tool);

/// Prints the wide drawings of all documents in one start of the tool.
std::vector<PrintedCharts> print_all(const std::vector<Drawings>& drawings, ChartTool& tool);

/// Draws all documents in one start of the tool. If this fails although the tool works, each
/// document gets a start of its own, so that only documents that fail have no drawings. `problems`
/// then has the reason for each document, empty if it succeeded. Throws `Error` if the tool does
/// not work.
std::vector<Drawings> draw_isolating_failures(const std::vector<const Document*>& documents,
                                              ChartTool& tool, std::vector<std::string>& problems);
/// Prints all drawings, and isolates failures like `draw_isolating_failures`.
std::vector<PrintedCharts> print_isolating_failures(const std::vector<Drawings>& drawings,
                                                    ChartTool& tool,
                                                    std::vector<std::string>& problems);

}  // namespace labreport
