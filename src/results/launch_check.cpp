#include "results/launch_check.h"

#include "results/run_json.h"

namespace labreport {

void check_launch(const CellSpec& spec, const Launch& launch, const std::optional<Device>& device,
                  const std::string& origin) {
  Run run;
  run.edition = "2025";
  run.preset = "none";
  run.source = "measured";
  run.sessions.resize(1);
  run.sessions[0].started_at = "2000-01-01T00:00:00Z";
  if (device) run.devices = {*device};
  Cell& cell = run.find_or_add(spec);
  cell.launches = {launch};
  cell.launches[0].session = 0;
  cell.launches[0].device.reset();
  if (device) cell.launches[0].device = 0;
  run_from_json(to_json(run), origin);
}

}  // namespace labreport
