// Tries run.json files. Each is refused in one line, or written and read again the same.
#include "fuzz/target.h"
#include "results/run_json.h"

namespace labreport::fuzz {

void read_run(std::string_view text) {
  Run run;
  if (!accepted([&] { run = run_from_json(text, "run.json"); })) return;
  const std::string written = to_json(run);
  promise(to_json(run_from_json(written, "run.json")) == written,
          "what was read is written and read again the same");
}

}  // namespace labreport::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  labreport::fuzz::read_run(labreport::fuzz::text_of(data, size));
  return 0;
}
