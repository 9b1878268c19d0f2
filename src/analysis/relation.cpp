#include "analysis/relation.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "results/run_labels.h"

namespace labreport {
namespace {

/// All values of one property in a run. An empty text stands for an unknown value.
using Values = std::set<std::string>;

struct Machine {
  Values device_names, uuids, power_limits, drivers, processors, cores, hosts;
  bool has_gpu = false;
};

Machine machine_of(const Run& run) {
  Machine machine;
  for (const Device& device : run.devices) {
    const std::int64_t watts = device.power_limit_mw / 1000;
    machine.device_names.insert(device.name);
    machine.uuids.insert(device.uuid_hash);
    machine.power_limits.insert(device.power_limit_mw > 0 ? fmt::format("{} W", watts) : "");
    machine.has_gpu = machine.has_gpu || device.kind != DeviceKind::kCpu;
  }
  for (const Session& session : run.sessions) {
    machine.drivers.insert(session.software.driver);
    machine.processors.insert(session.cpu);
    machine.cores.insert(session.cores > 0 ? std::to_string(session.cores) : "");
    machine.hosts.insert(session.host);
  }
  return machine;
}

bool are_known(const Values& values) { return !values.empty() && !values.contains(""); }

/// Adds a reason to `reasons` if the values differ or are unknown.
void compare_values(const std::string& name, const Values& a, const Values& b,
                    std::vector<std::string>& reasons) {
  if (a == b && are_known(a)) return;
  const auto words = [](const Values& values) {
    std::vector<std::string> texts;
    for (const std::string& value : values) texts.push_back(value.empty() ? "unknown" : value);
    return texts.empty() ? "unknown" : join_words(texts);
  };
  reasons.push_back(a == b ? name + " unknown" : name + " " + words(a) + " against " + words(b));
}

MachineRelation same_machine_relation(const Machine& machine) {
  return {
      .relation = Relation::kSameMachine,
      .equal_facts = machine.has_gpu ? "GPU, driver, CPU and power limit" : "CPU, cores and host"};
}

/// Relates machines without a GPU whose processors are of one model. A processor has no UUID, so
/// the host's name distinguishes machines. The reasons do not contain the name, which may be
/// private.
MachineRelation relate_processors(const Machine& a, const Machine& b) {
  const bool cores_known = are_known(a.cores) && are_known(b.cores);
  const bool hosts_known = are_known(a.hosts) && are_known(b.hosts);
  std::vector<std::string> reasons;
  if (cores_known) compare_values("cores", a.cores, b.cores, reasons);
  if (hosts_known && a.hosts != b.hosts) reasons.emplace_back("another host");
  if (!reasons.empty()) return {Relation::kSameDeviceModel, std::move(reasons)};
  if (!cores_known) reasons.emplace_back("cores unknown");
  if (!hosts_known) {
    reasons.emplace_back("no host is recorded that could be compared, see --keep-host");
  }
  if (!reasons.empty()) return {Relation::kSameProcessor, std::move(reasons)};
  return same_machine_relation(a);
}

}  // namespace

MachineRelation relate_machines(const Run& a, const Run& b) {
  const bool imported_a = a.source == kSourceImported;
  const bool imported_b = b.source == kSourceImported;
  if (imported_a || imported_b) {
    const char* imported_sides = imported_a && imported_b ? "A and B are"
                                 : imported_a             ? "A is"
                                                          : "B is";
    return {
        Relation::kImported,
        {imported_sides +
         std::string(
             " imported: nobody measured it with this program, its times are means as published")}};
  }
  const Machine machine_a = machine_of(a), machine_b = machine_of(b);
  if (machine_a.device_names != machine_b.device_names || machine_a.device_names.empty()) {
    return {Relation::kDifferentHardware};
  }
  if (!machine_a.has_gpu && !machine_b.has_gpu) return relate_processors(machine_a, machine_b);
  std::vector<std::string> reasons;
  if (!are_known(machine_a.uuids) || !are_known(machine_b.uuids)) {
    reasons.emplace_back("the devices have no UUIDs that could be compared");
  } else if (machine_a.uuids != machine_b.uuids) {
    reasons.emplace_back("another GPU by its UUID");
  }
  compare_values("driver", machine_a.drivers, machine_b.drivers, reasons);
  compare_values("CPU", machine_a.processors, machine_b.processors, reasons);
  compare_values("power limit", machine_a.power_limits, machine_b.power_limits, reasons);
  if (!reasons.empty()) return {Relation::kSameDeviceModel, std::move(reasons)};
  return same_machine_relation(machine_a);
}

MachineRelation relation_within_run(const Run& run) {
  return same_machine_relation(machine_of(run));
}

}  // namespace labreport
