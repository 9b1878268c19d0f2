#include "cli/load_run.h"

#include <filesystem>

#include "base/files.h"
#include "results/run_json.h"
#include "results/run_store.h"

namespace labreport {

Run load_run(const std::string& named) {
  if (std::filesystem::is_regular_file(named)) return run_from_json(read_file(named), named);
  return RunStore(named).load();
}

}  // namespace labreport
