// Figures drawn ahead of time: what every writer shows where nothing interactive can.
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

/// Where they lie, relative to page and report: "charts/<slug>.svg", "charts/narrow/<slug>.svg".
std::string chart_path(const Figure& figure);
std::string narrow_chart_path(const Figure& figure);

/// By the figure's slug; empty where there was no tool to draw with.
using Drawings = std::map<std::string, Drawing>;

/// A wide drawing for paper and for other programs.
struct Print {
  std::string pdf;
  std::string png;
};

/// By the figure's slug; empty where there was no tool to print with.
using Prints = std::map<std::string, Print>;

/// A Typst source with what lies beside it.
struct TypesetJob {
  std::string source;
  std::map<std::string, std::string> pictures;  ///< Bytes by relative path.
};

struct Typeset {
  std::string pdf;
  std::string problem;  ///< One line, where there is no PDF.
};

/// Turns Vega-Lite into pictures, Typst into PDF, TeX into formulas and trees into LaTeX. An
/// interface because the tool is a process of its own, which only the command line may start.
class ChartTool {
 public:
  virtual ~ChartTool() = default;

  /// One SVG a spec, in order, in one start of the tool. Throws `Error` with the remedy.
  virtual std::vector<std::string> draw(const std::vector<std::string>& specs) = 0;

  /// Whether it draws a chart that is none of a run's: where it does, a failure was the spec's
  /// fault.
  virtual bool works();

  /// One print a drawing, in order, in one start of the tool: the same SVG gives the same bytes.
  /// None at all from a tool that cannot. Throws `Error` with the remedy.
  virtual std::vector<Print> print(const std::vector<std::string>& svgs);

  /// The script that makes charts interactive in a page, with everything it needs inside.
  virtual std::string bundle() = 0;

  /// One result a job, in order, in one start of the tool. Throws `Error` with the remedy, as a
  /// tool does that only draws.
  virtual std::vector<Typeset> typeset(const std::vector<TypesetJob>& jobs);

  /// The formulas among `sources`, each with its dollars, that are fit to be shown. Throws `Error`
  /// with the remedy, as a tool does that only draws.
  virtual Formulas convert(const std::set<std::string>& sources);

  /// LaTeX of each tree (see writers/pandoc), in order, in one start of the tool; empty where it
  /// fails over one. Throws `Error` with the remedy, as a tool does that only draws.
  virtual std::vector<std::string> latex(const std::vector<std::string>& trees);
};

/// A document's figures in the order of the page, those of details included.
std::vector<const Figure*> figures_of(const Document& document);

/// Draws the figures of all documents in one start of the tool; one result a document.
std::vector<Drawings> draw_all(const std::vector<const Document*>& documents, ChartTool& tool);

/// Prints what was drawn in one start of the tool; one result a document's drawings.
std::vector<Prints> print_all(const std::vector<Drawings>& drawings, ChartTool& tool);

/// The same, each document by itself where the tool works and fails over some: those have no
/// result, and in `problems`, one a document, the reason. Throw `Error` where the tool does not
/// work.
std::vector<Drawings> draw_each(const std::vector<const Document*>& documents, ChartTool& tool,
                                std::vector<std::string>& problems);
std::vector<Prints> print_each(const std::vector<Drawings>& drawings, ChartTool& tool,
                               std::vector<std::string>& problems);

}  // namespace labreport
