#include "document/drawings.h"

#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "document/charts/charts.h"

namespace labreport {

std::string chart_path(const Figure& figure) { return "charts/" + slug(figure.slug) + ".svg"; }

std::string narrow_chart_path(const Figure& figure) {
  return "charts/narrow/" + slug(figure.slug) + ".svg";
}

std::vector<TypesetResult> ChartTool::typeset(const std::vector<TypesetJob>&) {
  throw Error("this tool does not typeset");
}

Formulas ChartTool::convert_formulas(const std::set<std::string>&) {
  throw Error("this tool does not convert formulas");
}

std::vector<std::string> ChartTool::render_latex(const std::vector<std::string>&) {
  throw Error("this tool writes no LaTeX");
}

std::vector<const Figure*> figures_of(const Document& document) {
  std::vector<const Figure*> figures;
  for (const Section& section : document.sections) {
    for (const Part& part : section.parts) {
      for (const Figure& figure : part.figures) figures.push_back(&figure);
      for (const Figure& figure : part.details.figures) figures.push_back(&figure);
    }
  }
  return figures;
}

bool ChartTool::works() {
  try {
    return draw({R"({"data":{"values":[]},"mark":"point"})"}).size() == 1;
  } catch (const Error&) {
    return false;
  }
}

std::vector<PrintedChart> ChartTool::print(const std::vector<std::string>&) { return {}; }

std::vector<Drawings> draw_all(const std::vector<const Document*>& documents, ChartTool& tool) {
  std::vector<std::string> specs;
  for (const Document* document : documents) {
    for (const Figure* figure : figures_of(*document)) {
      specs.push_back(themed(figure->spec, ChartWidth::kWide).dump());
      specs.push_back(themed(figure->spec, ChartWidth::kNarrow).dump());
    }
  }
  if (specs.empty()) return std::vector<Drawings>(documents.size());
  const std::vector<std::string> svgs = tool.draw(specs);
  if (svgs.size() != specs.size()) throw Error("the chart tool drew another number of charts");
  std::vector<Drawings> drawn;
  auto next = svgs.begin();
  for (const Document* document : documents) {
    Drawings& drawings = drawn.emplace_back();
    for (const Figure* figure : figures_of(*document)) {
      drawings[figure->slug].wide = with_unique_ids(*next++, figure->slug + "-wide");
      drawings[figure->slug].narrow = with_unique_ids(*next++, figure->slug + "-narrow");
    }
  }
  return drawn;
}

std::vector<PrintedCharts> print_all(const std::vector<Drawings>& drawn, ChartTool& tool) {
  std::vector<std::string> svgs;
  for (const Drawings& drawings : drawn) {
    for (const auto& [slug, drawing] : drawings) svgs.push_back(drawing.wide);
  }
  std::vector<PrintedCharts> printed(drawn.size());
  if (svgs.empty()) return printed;
  std::vector<PrintedChart> charts = tool.print(svgs);
  if (charts.empty()) return printed;
  if (charts.size() != svgs.size()) throw Error("the chart tool printed another number of charts");
  auto next = charts.begin();
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    for (const auto& [slug, drawing] : drawn[i]) printed[i][slug] = std::move(*next++);
  }
  return printed;
}

namespace {

/// Calls `make` once with all inputs, or once for each input if that fails although the tool works.
template <typename Input, typename Make>
auto make_isolating_failures(const std::vector<Input>& inputs, ChartTool& tool,
                             std::vector<std::string>& problems, Make make) {
  try {
    return make(inputs);
  } catch (const Error&) {
    if (!tool.works()) throw;
  }
  decltype(make(inputs)) results(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    try {
      results[i] = std::move(make(std::vector<Input>{inputs[i]}).front());
    } catch (const Error& error) {
      problems[i] = error.what();
    }
  }
  return results;
}

}  // namespace

std::vector<Drawings> draw_isolating_failures(const std::vector<const Document*>& documents,
                                              ChartTool& tool, std::vector<std::string>& problems) {
  problems.resize(documents.size());
  return make_isolating_failures(documents, tool, problems,
                                 [&](const auto& inputs) { return draw_all(inputs, tool); });
}

std::vector<PrintedCharts> print_isolating_failures(const std::vector<Drawings>& drawings,
                                                    ChartTool& tool,
                                                    std::vector<std::string>& problems) {
  problems.resize(drawings.size());
  return make_isolating_failures(drawings, tool, problems,
                                 [&](const auto& inputs) { return print_all(inputs, tool); });
}

}  // namespace labreport
