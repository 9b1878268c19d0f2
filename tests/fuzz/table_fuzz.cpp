// A text with published tables: each is refused in one line, or imported as runs that can be read.
#include "base/text.h"
#include "fuzz/target.h"
#include "imports/importing.h"
#include "results/run_json.h"

namespace labreport::fuzz {

void import_table(const UnderstoodTable& table, const Declared& said) {
  std::vector<Run> runs;
  const bool taken = accepted([&] {
    check_shape(table.table, said.file);
    runs = import_tables({table}, said).runs;
  });
  if (!taken) return;
  for (Run& run : runs) {
    run.sessions.resize(1);
    run.sessions[0].started_at = "2026-05-01T12:00:00Z";
    const std::string written = to_json(run);
    promise(to_json(run_from_json(written, "run.json")) == written, "an imported run can be read");
  }
}

void import_text(std::string_view text) {
  if (!is_utf8(text)) return;  // refused before it is searched
  std::vector<UnderstoodTable> tables;
  accepted([&] { tables = understood_tables(std::string(text), "table.md"); });
  for (const UnderstoodTable& table : tables) {
    import_table(table, {{}, "", "table.md"});
    import_table(table, with(on_a_gpu(), Role::kUnit, "ms"));
  }
}

}  // namespace labreport::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  labreport::fuzz::import_text(labreport::fuzz::text_of(data, size));
  return 0;
}
