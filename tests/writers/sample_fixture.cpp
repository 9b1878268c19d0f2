#include "writers/sample_fixture.h"

#include "writers/sample_parts.h"

namespace labreport {
namespace {

TableView outcome_table() {
  TableView table{.slug = "ran", .title = "Context 512, batch 4, FP32", .columns = {}, .rows = {}};
  table.columns = {{"size", "", Align::kLeft},
                   {"inference", "", Align::kLeft},
                   {"forward", "", Align::kLeft},
                   {"forward+backward", "", Align::kLeft},
                   {"train step", "", Align::kLeft}};
  for (const SampleSize& size : sample_sizes()) {
    RowView row{{size.name}};
    for (int mode = 0; mode < 4; ++mode) {
      const bool oom = mode == 3 && size.optimizer == 0;
      row.cells.emplace_back(oom ? "out of memory in optimizer" : "ok");
    }
    table.rows.push_back(row);
  }
  return table;
}

TableView sample_environment() {
  TableView table{.slug = "environment", .title = "Environment", .columns = {}, .rows = {}};
  table.columns = {{"what", "", Align::kLeft}, {"value", "", Align::kLeft}};
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"GPU", "NVIDIA H200, 139.8 GiB, 132 multiprocessors, 700 W"},
      {"Driver", "580.65.06"},
      {"CUDA", "13.0"},
      {"LibTorch", "2.11.0"},
      {"Processor", "Example CPU, 16 cores"},
      {"TF32", "off"}};
  for (const auto& [what, value] : rows) {
    table.rows.push_back({{what, value}});
  }
  return table;
}

/// Makes a section that is no problem of the handout: its part has no letter and no question.
Section outcome_section() {
  Part part;
  part.problem = "ran";
  part.setting = "20 of 21 measurements succeeded.";
  part.tables = {outcome_table()};
  return {"ran", "What ran", {std::move(part)}};
}

}  // namespace

Document sample_document() {
  Document document;
  document.title = "Profiling and benchmarking (§1.1)";
  document.device = "NVIDIA H200";
  document.edition = "2025";
  document.preset = "full";
  document.started_at = "2026-05-01";
  document.revision = "a1b2c3d";
  document.provenance =
      "labreport a1b2c3d · driver 580.65.06 · CUDA 13.0 · LibTorch 2.11.0 · FP32, TF32 off · "
      "batch 4, vocabulary 10,000";
  document.reference = true;
  document.outcome = "21 cells: 20 ok, 1 out of memory";
  document.sections = {sample_section(), outcome_section()};
  document.method =
      "Times are read from the host's clock after the device has finished; CUDA events stand "
      "beside "
      "them.\n\n- The steps ran in C++ (LibTorch).\n- Launch-bound rows are marked.";
  document.environment = sample_environment();
  document.reproduce = "git checkout a1b2c3d\nmake report EDITION=2025 PRESET=full";
  return document;
}

RunSummary sample_summary(const Document& report, const std::string& folder) {
  return {report, folder, report.title, {"2.7B", "BF16", 1133.5, 303.1, 0.212, "MFU", 70426112000}};
}

Document demonstration_document() {
  Document document = sample_document();
  document.device = "<script>alert(1)</script> & | `CPU` **bold**";
  document.preset = "demo";
  document.started_at = "2026-05-02";
  document.reference = false;
  document.demonstration = true;
  document.incomplete = true;
  return document;
}

std::vector<std::string> FakeChartTool::draw(const std::vector<std::string>& specs) {
  ++starts;
  return std::vector<std::string>(
      specs.size(),
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"20\" height=\"10\" viewBox=\"0 0 20 10\">"
      "<clipPath id=\"clip7\"><rect width=\"20\" height=\"10\"/></clipPath>"
      "<g clip-path=\"url(#clip7)\"></g></svg>");
}

std::vector<PrintedChart> FakeChartTool::print(const std::vector<std::string>& svgs) {
  return std::vector<PrintedChart>(svgs.size(), {"%PDF", "PNG"});
}

}  // namespace labreport
