// Writes reports as LaTeX with their parts and charts: latex_samples OUT PROJECT. OUT/sample is the
// sample report; in OUT/hostile every text from data is hostile.
#include <filesystem>

#include "base/files.h"
#include "publish/chart_renderer.h"
#include "publish/run_files.h"
#include "writers/hostile_fixture.h"
#include "writers/sample_fixture.h"

namespace {

using namespace labreport;
namespace fs = std::filesystem;

void write(const fs::path& folder, const Document& document, ChartTool& tool) {
  const std::vector<Drawings> drawings = draw_all({&document}, tool);
  const std::vector<PrintedCharts> prints = print_all(drawings, tool);
  std::vector<Attachment> files = latex_sources(document, prints[0], {});
  std::vector<std::string> sources;
  for (const Attachment& source : files) sources.push_back(source.bytes);
  const std::vector<std::string> texts = tool.render_latex(sources);
  for (std::size_t i = 0; i < files.size(); ++i) files[i].bytes = texts[i];
  for (const Attachment& print : print_files(document, prints[0])) files.push_back(print);
  for (const Attachment& file : files) {
    fs::create_directories((folder / file.name).parent_path());
    write_atomically(folder / file.name, file.bytes, Sync::kNothing);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  ChartProcess tool(argv[2]);
  write(fs::path(argv[1]) / "sample", sample_document(), tool);
  write(fs::path(argv[1]) / "hostile", hostile_document(), tool);
}
