// A text with published tables: each is refused in one line, or imported as runs that can be read.
#include "base/text.h"
#include "fuzz/target.h"
#include "imports/importing.h"
#include "results/run_json.h"

namespace labreport::fuzz {

void import_table(const TextTable& table, const Declared& said) {
  std::vector<Run> runs;
  const bool taken = accepted([&] {
    TextTable checked = table;
    check_shape(checked, said.file);
    Readings found;
    const std::string edition = edition_of({checked}, said, found);
    const Readings read = read_table(checked, columns_of(checked), said, edition);
    add_missing(found.missing, read.missing);
    refuse_missing(found.missing, said.file);
    runs = imported_runs(read.readings, said, read.assumed);
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
  std::vector<TextTable> tables = find_tables(text);
  share_contexts(tables);
  Declared by_table;
  by_table.file = "table.md";
  for (const TextTable& table : tables) {
    import_table(table, by_table);
    import_table(table, on_a_gpu(unit_named("ms")));
  }
}

}  // namespace labreport::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  labreport::fuzz::import_text(labreport::fuzz::text_of(data, size));
  return 0;
}
