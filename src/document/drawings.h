// Pictures of figures for output without interactive charts.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "document/document.h"

namespace labreport {

/// SVG text at both widths.
struct Drawing {
  std::string wide;
  std::string narrow;
};

/// Paths relative to page and report: "charts/<slug>.svg", "charts/narrow/<slug>.svg".
std::string chart_path(const Figure& figure);
std::string narrow_chart_path(const Figure& figure);

/// Drawings by the figure's slug; empty if no tool could draw.
using Drawings = std::map<std::string, Drawing>;

/// A wide drawing for paper and for other programs.
struct Print {
  std::string pdf;
  std::string png;
};

/// Prints by the figure's slug; empty if no tool could print.
using Prints = std::map<std::string, Print>;

/// A Typst source with the pictures beside it.
struct TypesetJob {
  std::string source;
  std::map<std::string, std::string> pictures;  ///< Bytes by relative path.
};

struct Typeset {
  std::string pdf;
  std::string problem;  ///< One line that says why there is no PDF; else empty.
};

/// Turns Vega-Lite into pictures, Typst into PDF, TeX into formulas and trees into LaTeX. An
/// interface because the tool is a process of its own, which only the command line may start.
class ChartTool {
 public:
  virtual ~ChartTool() = default;

  /// Draws one SVG a spec, in order, in one start of the tool. Throws `Error` with the remedy.
  virtual std::vector<std::string> draw(const std::vector<std::string>& specs) = 0;

  /// True if the tool draws a minimal chart: then an earlier failure was the fault of a run's spec.
  virtual bool works();

  /// Makes one print a drawing, in order, in one start of the tool. The same SVG gives the same
  /// bytes. A tool that cannot print returns none. Throws `Error` with the remedy.
  virtual std::vector<Print> print(const std::vector<std::string>& svgs);

  /// The script that makes charts interactive in a page, with everything it needs inside.
  virtual std::string bundle() = 0;

  /// Returns one result a job, in order, in one start of the tool. Throws `Error` with the remedy;
  /// a tool that only draws always throws.
  virtual std::vector<Typeset> typeset(const std::vector<TypesetJob>& jobs);

  /// The formulas among `sources`, each with its dollars, that can be shown. Throws `Error` with
  /// the remedy; a tool that only draws always throws.
  virtual Formulas convert(const std::set<std::string>& sources);

  /// Returns LaTeX of each tree (see writers/pandoc), in order, in one start of the tool; an empty
  /// text for a tree that fails. Throws like `typeset`.
  virtual std::vector<std::string> latex(const std::vector<std::string>& trees);
};

/// A document's figures in the order of the page, those of details included.
std::vector<const Figure*> figures_of(const Document& document);

/// Draws the figures of all documents in one start of the tool; one result a document.
std::vector<Drawings> draw_all(const std::vector<const Document*>& documents, ChartTool& tool);

/// Prints the wide drawings in one start of the tool; one result for each document.
std::vector<Prints> print_all(const std::vector<Drawings>& drawings, ChartTool& tool);

/// Draw or print all documents in one start of the tool, or one by one if that fails for some of
/// them. `problems` has one entry for each document: the reason why it has no result, or an empty
/// text. Throw `Error` if the tool does not work.
std::vector<Drawings> draw_each(const std::vector<const Document*>& documents, ChartTool& tool,
                                std::vector<std::string>& problems);
std::vector<Prints> print_each(const std::vector<Drawings>& drawings, ChartTool& tool,
                               std::vector<std::string>& problems);

}  // namespace labreport
