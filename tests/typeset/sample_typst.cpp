// Writes sample reports as Typst sources with their charts: sample_typst FOLDER.
#include <filesystem>

#include "base/files.h"
#include "writers/hostile_fixture.h"
#include "writers/html/pictures.h"
#include "writers/markdown/markdown.h"
#include "writers/sample_fixture.h"
#include "writers/typst/typst.h"

namespace fs = std::filesystem;
using namespace labreport;

namespace {

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  write_atomically(path, text);
}

void write_charts(const fs::path& folder, const Document& document, const Drawings& drawings) {
  for (const Figure* figure : figures_of(document)) {
    write(folder / chart_path(*figure), drawings.at(figure->slug).wide);
    write(folder / narrow_chart_path(*figure), drawings.at(figure->slug).narrow);
  }
}

void write_report(const fs::path& out, const std::string& name, const Document& document) {
  FakeChartTool tool;
  const Drawings drawings = draw_all({&document}, tool).front();
  for (const auto& [paper, size] : {std::pair(Paper::kA4, "a4"), {Paper::kLetter, "letter"}}) {
    const fs::path folder = out / (name + "-" + size);
    TypstOptions options;
    options.paper = paper;
    write(folder / "report.typ", report_typst(document, drawings, options));
    write_charts(folder, document, drawings);
  }
}

}  // namespace

int main(int, char** argv) {
  const fs::path out = argv[1];
  write_report(out, "sample", sample_document());
  write_report(out, "demonstration", demonstration_document());
  write_report(out, "hostile", hostile_document());
}
