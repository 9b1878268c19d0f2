#include "document/view.h"

#include <algorithm>

#include "base/format.h"
#include "results/shipped_variant.h"

namespace labreport {

std::vector<const Cell*> RunView::cells(CellKind kind, const SpecFilter& filter) const {
  std::vector<const Cell*> found;
  for (const Cell& cell : run_.cells) {
    if (is_shipped(cell.spec)) continue;  // A separate section compares these.
    if (cell.spec.kind == kind && (!filter || filter(cell.spec))) found.push_back(&cell);
  }
  return found;
}

const Cell* RunView::cell(CellKind kind, const SpecFilter& filter) const {
  const auto found = cells(kind, filter);
  return found.empty() ? nullptr : found.front();
}

const Device* RunView::device() const { return most_used_device(run_); }

bool RunView::on_gpu() const {
  const Device* main = device();
  if (main != nullptr) return main->kind == DeviceKind::kCuda;
  const std::vector<Cell>& cells = run_.cells;
  return cells.empty() || cells.front().spec.device == DeviceKind::kCuda;
}

std::string device_words(const Run& run, const Device& device) {
  constexpr std::size_t kShortHash = 8;
  if (run.devices.size() < 2 || device.uuid_hash.empty()) return device.name;
  return device.name + " (GPU " + device.uuid_hash.substr(0, kShortHash) + ")";
}

const Launch* ok_launch(const Cell& cell) {
  const Launch* launch = representative(cell);
  return launch != nullptr && is_ok(launch->outcome) ? launch : nullptr;
}

std::string reason_missing(const Cell& cell) {
  const Launch* launch = representative(cell);
  if (launch == nullptr) return "not measured yet";
  return is_ok(launch->outcome) ? "" : describe_briefly(launch->outcome);
}

std::vector<double> milliseconds(const Launch& launch, std::string_view tag,
                                 std::string_view name) {
  std::vector<double> samples = launch.numbers(tag, name);
  for (double& sample : samples) sample /= kNanosecondsPerMillisecond;
  return samples;
}

std::optional<double> single_milliseconds(const Launch& launch, std::string_view tag,
                                          std::string_view name) {
  const auto number = launch.number(tag, name);
  return number ? std::optional(*number / kNanosecondsPerMillisecond) : std::nullopt;
}

std::vector<double> window(const std::vector<double>& samples, std::size_t warmup,
                           std::size_t count) {
  const std::size_t begin = std::min(warmup, samples.size());
  const std::size_t end = std::min(samples.size(), begin + count);
  return {samples.begin() + static_cast<std::ptrdiff_t>(begin),
          samples.begin() + static_cast<std::ptrdiff_t>(end)};
}

}  // namespace labreport
