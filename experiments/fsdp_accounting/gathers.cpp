#include "experiments/fsdp_accounting/gathers.h"

#include <algorithm>
#include <charconv>

#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::fsdp_accounting {
namespace {

constexpr std::string_view kBlocks = "layers.";
constexpr double kNsPerMs = 1e6;
constexpr double kShareInTime = 0.05, kUnnoticedNs = 10'000;

void add(BlockGather& block, const BlockGather& other) {
  block.bytes += other.bytes;
  block.alone_ms += other.alone_ms;
  block.wait_ms += other.wait_ms;
  block.layers += other.layers;
  block.in_time += other.in_time;
}

/// Returns nothing if the row lacks its bytes or a time.
std::optional<BlockGather> gather_of(const MeasuredRow& row) {
  const auto bytes = row.number(column::kBytes);
  const auto wait = row.number(column::kWaitNs), alone = row.number(column::kAloneNs);
  if (!bytes || !wait || !alone) return std::nullopt;
  std::string block = row.text(column::kModule);
  if (block.starts_with(kBlocks))
    block.erase(std::min(block.size(), block.find('.', kBlocks.size())));
  return BlockGather{.block = block,  // "layers.3" of "layers.3.attn.q_proj"
                     .pass = row.text(column::kPhase),
                     .bytes = *bytes,
                     .alone_ms = *alone / kNsPerMs,
                     .wait_ms = *wait / kNsPerMs,
                     .layers = 1,
                     .in_time = in_time(*wait, *alone) ? 1 : 0};
}

}  // namespace

std::optional<std::int64_t> BlockGather::number() const {
  std::int64_t number = 0;
  const std::string_view digits = std::string_view(block).substr(is_block() ? kBlocks.size() : 0);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (!is_block() || error != std::errc()) return std::nullopt;
  return number;
}

bool in_time(double wait_ns, double alone_ns) {
  return wait_ns <= std::max(kUnnoticedNs, kShareInTime * alone_ns);
}

std::vector<BlockGather> block_gathers(const Launch& launch) {
  std::vector<BlockGather> blocks;
  for (const MeasuredRow& row : measured_rows(launch, metric::kGathers)) {
    const auto gather = gather_of(row);
    if (!gather) continue;
    const auto known = std::ranges::find_if(blocks, [&](const BlockGather& block) {
      return block.block == gather->block && block.pass == gather->pass;
    });
    known == blocks.end() ? blocks.push_back(*gather) : add(*known, *gather);
  }
  std::ranges::stable_sort(
      blocks, {}, [](const BlockGather& block) { return block.pass == metric::kForward ? 0 : 1; });
  return blocks;
}

std::vector<std::string> late_matrices(const Launch& launch, std::string_view pass) {
  std::vector<std::pair<std::string, std::int64_t>> late;  // blocks late − blocks in time
  for (const MeasuredRow& row : measured_rows(launch, metric::kGathers)) {
    const std::string module(row.text(column::kModule));
    const auto gather = gather_of(row);
    if (!gather || !gather->is_block() || gather->pass != pass) continue;
    const std::string matrix = module.substr(gather->block.size() + 1);
    auto known = std::ranges::find(late, matrix, [](const auto& it) { return it.first; });
    if (known == late.end()) known = late.insert(known, {matrix, 0});
    known->second += gather->in_time == 0 ? 1 : -1;
  }
  std::erase_if(late, [](const auto& it) { return it.second <= 0; });
  std::vector<std::string> names;
  for (const auto& [matrix, excess] : late) names.push_back(matrix);
  return names;
}

std::optional<BlockGather> all_blocks(const std::vector<BlockGather>& gathers,
                                      std::string_view pass) {
  std::optional<BlockGather> all;
  for (const BlockGather& gather : gathers) {
    if (!gather.is_block() || gather.pass != pass) continue;
    if (all) {
      add(*all, gather);
    } else {
      all = gather;
    }
  }
  return all;
}

}  // namespace labreport::fsdp_accounting
