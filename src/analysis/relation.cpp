#include "analysis/relation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"

namespace labreport {
namespace {

using Words = std::set<std::string>;

template <typename Part>
Words words(const auto& parts, Part part) {
  Words found;
  for (const auto& each : parts) found.insert(part(each));
  return found;
}

Words names(const Run& run) {
  return words(run.devices, [](const Device& device) { return device.name; });
}
Words gpus(const Run& run) {
  return words(run.devices, [](const Device& device) { return device.uuid_hash; });
}
Words power_limits(const Run& run) {
  return words(run.devices, [](const Device& device) {
    return device.power_limit_mw > 0 ? fmt::format("{} W", device.power_limit_mw / 1000) : "";
  });
}
Words drivers(const Run& run) {
  return words(run.sessions, [](const Session& session) { return session.software.driver; });
}
Words processors(const Run& run) {
  return words(run.sessions, [](const Session& session) { return session.cpu; });
}
Words cores(const Run& run) {
  return words(run.sessions, [](const Session& session) {
    return session.cores > 0 ? std::to_string(session.cores) : "";
  });
}
Words hosts(const Run& run) {
  return words(run.sessions, [](const Session& session) { return session.host; });
}

bool known(const Words& words) { return !words.empty() && !words.contains(""); }

std::string joined(const Words& words) {
  std::vector<std::string> known;
  for (const std::string& word : words) known.push_back(word.empty() ? "unknown" : word);
  return known.empty() ? "unknown" : join_words(known);
}

/// Adds a reason if the values differ or are unknown.
void compare(const std::string& what, const Words& a, const Words& b,
             std::vector<std::string>& reasons) {
  if (a == b && known(a)) return;
  reasons.push_back(a == b ? what + " unknown" : what + " " + joined(a) + " against " + joined(b));
}

std::vector<std::string> differences(const Run& a, const Run& b) {
  std::vector<std::string> reasons;
  const Words in_a = gpus(a);
  const Words in_b = gpus(b);
  if (!known(in_a) || !known(in_b)) {
    reasons.emplace_back("the devices have no UUIDs that could be compared");
  } else if (in_a != in_b) {
    reasons.emplace_back("another GPU by its UUID");
  }
  compare("driver", drivers(a), drivers(b), reasons);
  compare("CPU", processors(a), processors(b), reasons);
  compare("power limit", power_limits(a), power_limits(b), reasons);
  return reasons;
}

bool without_gpu(const Run& run) {
  return std::ranges::all_of(run.devices,
                             [](const Device& device) { return device.kind == DeviceKind::kCpu; });
}

/// Relates processors of one model. They have no UUID, so the host's name distinguishes machines.
/// Reasons do not repeat the name, since it may be meant to stay private.
Related relate_processors(const Run& a, const Run& b) {
  std::vector<std::string> reasons;
  if (known(cores(a)) && known(cores(b))) compare("cores", cores(a), cores(b), reasons);
  const bool told = known(hosts(a)) && known(hosts(b));
  if (told && hosts(a) != hosts(b)) reasons.emplace_back("another host");
  if (!reasons.empty()) return {Relation::kSameModel, std::move(reasons)};
  if (!known(cores(a)) || !known(cores(b))) reasons.emplace_back("cores unknown");
  if (!told) reasons.emplace_back("no host is recorded that could be compared, see --keep-host");
  if (!reasons.empty()) return {Relation::kSameProcessor, std::move(reasons)};
  return one_machine(a);
}

constexpr std::array<std::string_view, 5> kDescribed{
    "same machine", "same model, different machine", "same CPU model", "different hardware",
    "imported numbers"};
constexpr std::array<std::string_view, 5> kRelationNames{
    "same_machine", "same_model", "same_processor", "different_hardware", "imported"};

}  // namespace

std::string_view describe(Relation relation) {
  return kDescribed.at(static_cast<std::size_t>(relation));
}

std::string_view name(Relation relation) {
  return kRelationNames.at(static_cast<std::size_t>(relation));
}

Related relate(const Run& a, const Run& b) {
  const bool imported_a = a.source == "imported";
  const bool imported_b = b.source == "imported";
  if (imported_a || imported_b) {
    const char* which = imported_a && imported_b ? "A and B are" : imported_a ? "A is" : "B is";
    return {
        Relation::kImported,
        {which +
         std::string(
             " imported: nobody measured it with this program, its times are means as published")}};
  }
  if (names(a) != names(b) || names(a).empty()) return {Relation::kDifferentHardware};
  if (without_gpu(a) && without_gpu(b)) return relate_processors(a, b);
  auto reasons = differences(a, b);
  if (!reasons.empty()) return {Relation::kSameModel, std::move(reasons)};
  return one_machine(a);
}

Related one_machine(const Run& run) {
  return {Relation::kSameMachine,
          {},
          without_gpu(run) ? "CPU, cores and host" : "GPU, driver, CPU and power limit"};
}

}  // namespace labreport
