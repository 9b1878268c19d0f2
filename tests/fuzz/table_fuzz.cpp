// Tries tables of published numbers. Each is refused in one line, or imported as a run that can be
// read.
#include "fuzz/target.h"
#include "imports/import.h"
#include "results/run_json.h"

namespace labreport::fuzz {

void import_text(const std::string& text, const ImportFlags& flags) {
  Run run;
  if (!accepted([&] { run = import_table(text, "table.md", flags); })) return;
  run.sessions.resize(1);
  run.sessions[0].started_at = "2026-05-01T12:00:00Z";
  const std::string written = to_json(run);
  promise(to_json(run_from_json(written, "run.json")) == written, "an imported run can be read");
}

}  // namespace labreport::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(labreport::fuzz::text_of(data, size));
  labreport::fuzz::import_text(text, {});
  labreport::fuzz::import_text(text, {{"gpu", "Made Up"}, {"edition", "2025"}});
  return 0;
}
