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

std::vector<Typeset> ChartTool::typeset(const std::vector<TypesetJob>&) {
  throw Error("this tool does not typeset");
}

Formulas ChartTool::convert(const std::set<std::string>&) {
  throw Error("this tool does not convert formulas");
}

std::vector<std::string> ChartTool::latex(const std::vector<std::string>&) {
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

std::vector<Print> ChartTool::print(const std::vector<std::string>&) { return {}; }

namespace {

/// Removes links: a browser follows none in a picture, and a drawing tool resolves them from
/// another folder.
nlohmann::json without_links(nlohmann::json spec) {
  if (spec.contains("encoding")) spec["encoding"].erase("href");
  for (const char* several : {"layer", "vconcat", "hconcat"}) {
    if (!spec.contains(several)) continue;
    for (nlohmann::json& one : spec[several]) one = without_links(std::move(one));
  }
  return spec;
}

}  // namespace

std::vector<Drawings> draw_all(const std::vector<const Document*>& documents, ChartTool& tool) {
  std::vector<std::string> specs;
  for (const Document* document : documents) {
    for (const Figure* figure : figures_of(*document)) {
      nlohmann::json unlinked = without_links(figure->spec);
      specs.push_back(themed(unlinked, ChartWidth::kWide).dump());
      specs.push_back(themed(std::move(unlinked), ChartWidth::kNarrow).dump());
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

std::vector<Prints> print_all(const std::vector<Drawings>& drawings, ChartTool& tool) {
  std::vector<std::string> svgs;
  for (const Drawings& document : drawings) {
    for (const auto& [slug, drawing] : document) svgs.push_back(drawing.wide);
  }
  std::vector<Prints> all(drawings.size());
  if (svgs.empty()) return all;
  std::vector<Print> prints = tool.print(svgs);
  if (prints.empty()) return all;
  if (prints.size() != svgs.size()) throw Error("the chart tool printed another number of charts");
  auto next = prints.begin();
  for (std::size_t i = 0; i < drawings.size(); ++i) {
    for (const auto& [slug, drawing] : drawings[i]) all[i][slug] = std::move(*next++);
  }
  return all;
}

namespace {

/// Makes all results in one start of the tool, or one by one if that fails although the tool works.
template <typename Input, typename Make>
auto together_or_each(const std::vector<Input>& inputs, ChartTool& tool,
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

std::vector<Drawings> draw_each(const std::vector<const Document*>& documents, ChartTool& tool,
                                std::vector<std::string>& problems) {
  problems.resize(documents.size());
  return together_or_each(documents, tool, problems,
                          [&](const auto& some) { return draw_all(some, tool); });
}

std::vector<Prints> print_each(const std::vector<Drawings>& drawings, ChartTool& tool,
                               std::vector<std::string>& problems) {
  problems.resize(drawings.size());
  return together_or_each(drawings, tool, problems,
                          [&](const auto& some) { return print_all(some, tool); });
}

}  // namespace labreport
