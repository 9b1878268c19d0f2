#include "experiments/nsys_profile/profiles.h"

#include <algorithm>

#include "base/lists.h"
#include "plan/editions.h"
#include "results/run_labels.h"

namespace labreport::nsys_profile {
namespace {

/// Chooses the profile that the 2025 answers describe, at the reference context if it ran, or else
/// at the longest. A training step answers more parts than a larger network's forward pass.
const KernelProfile* choose_for_2025(const RunView& view, std::vector<const KernelProfile*> ran) {
  const auto context = [](const KernelProfile* profile) {
    return profile->spec.context.value_or(0);
  };
  const std::int64_t reference = view.edition().reference_context;
  const bool has_reference = std::ranges::count(ran, reference, context) > 0;
  const std::int64_t chosen =
      has_reference ? reference : context(*std::ranges::max_element(ran, {}, context));
  std::erase_if(ran, [&](const KernelProfile* profile) { return profile->spec.context != chosen; });
  return *std::ranges::max_element(ran, {}, [](const KernelProfile* profile) {
    const bool has_train_step = profile->step && profile->step->spec->mode == Mode::kTrainStep;
    return std::pair(has_train_step, profile->parameters());
  });
}

}  // namespace

double time_share(const KernelRows& rows, const std::function<bool(const KernelRow&)>& predicate) {
  const double all_ms = total_ms(rows);
  return all_ms > 0 ? total_ms(matching(rows, predicate)) / all_ms : 0;
}

double gemm_share(const KernelRows& rows) { return time_share(rows, is_gemm); }

Value share_or_reason(const KernelProfile& profile, Pass pass,
                      const std::function<bool(const KernelRow&)>& predicate) {
  const KernelRows rows = profile.rows(pass);
  return rows.empty() ? Value::missing(profile.why_missing(pass))
                      : Value(time_share(rows, predicate));
}

Profiles::Profiles(const RunView& run)
    : view(run), limits(measured_limits(run.run())), all(kernel_profiles(run)) {
  std::vector<const KernelProfile*> ran;
  for (const KernelProfile& profile : all) {
    in_details.push_back(&profile);
    if (!profile.empty()) ran.push_back(&profile);
  }
  in_tables = in_details;
  if (ran.empty()) return;
  const bool is_2025 = view.edition().name != kEdition2026;
  const Precision precision = ran.front()->precision();
  const auto differs = [&](const KernelProfile* profile) {
    return profile->precision() != precision;
  };
  const auto size_and_context = [](const KernelProfile* profile) {
    return std::pair(profile->parameters(), profile->spec.context);
  };
  std::erase_if(ran, differs);
  in_answers =
      is_2025 ? choose_for_2025(view, ran) : *std::ranges::max_element(ran, {}, size_and_context);
  const auto sixteen_bits = std::ranges::find_if(all, [&](const KernelProfile& profile) {
    return size_and_context(&profile) == size_and_context(in_answers) && !profile.empty() &&
           &profile != in_answers && profile.precision() >= Precision::kBf16;
  });
  if (sixteen_bits != all.end()) in_answers_16_bit = &*sixteen_bits;
  std::erase_if(in_tables, [&](const KernelProfile* profile) {
    const bool other_context = is_2025 && profile->spec.context != in_answers->spec.context;
    return (other_context || differs(profile)) && profile != in_answers_16_bit;
  });
}

std::string Profiles::kernels_word() const { return view.on_gpu() ? "kernels" : "operators"; }

Facts Profiles::facts() const {
  Facts facts;
  facts.flag("gpu", view.on_gpu());
  facts.flag("own", in_answers == nullptr || in_answers->is_own_network());
  facts.set("kernel", view.on_gpu() ? "kernel" : "operator");
  facts.set("kernels", kernels_word());
  facts.set("Kernels", view.on_gpu() ? "Kernels" : "Operators");
  facts.set("words", in_answers == nullptr ? "" : in_answers->full_name);
  facts.set("network", in_answers == nullptr ? "" : in_answers->network);
  return facts;
}

}  // namespace labreport::nsys_profile
