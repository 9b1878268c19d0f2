// What columns are called.
#include "base/table.h"
#include "base/text.h"
#include "imports/column.h"

namespace labreport {
namespace {

/// Names in the wild, their words, one underscore between.
constexpr ConstantTable<std::string_view, Role, 66> kRoles{{
    {"size", Role::kSize},
    {"model", Role::kSize},
    {"model_size", Role::kSize},
    {"modelsize", Role::kSize},
    {"model_name", Role::kSize},
    {"model_config", Role::kSize},
    {"config", Role::kSize},
    {"configuration", Role::kSize},
    {"name", Role::kSize},
    {"gpu", Role::kGpu},
    {"device", Role::kGpu},
    {"hardware", Role::kGpu},
    {"edition", Role::kEdition},
    {"problem", Role::kExperiment},
    {"experiment", Role::kExperiment},
    {"metric", Role::kSubject},
    {"pass", Role::kSubject},
    {"pass_type", Role::kSubject},
    {"mode", Role::kSubject},
    {"phase", Role::kSubject},
    {"stage", Role::kSubject},
    {"forward_only", Role::kForwardOnly},
    {"fwd_only", Role::kForwardOnly},
    {"unit", Role::kUnit},
    {"units", Role::kUnit},
    {"precision", Role::kPrecision},
    {"dtype", Role::kPrecision},
    {"data_type", Role::kPrecision},
    {"context", Role::kContext},
    {"context_length", Role::kContext},
    {"context_len", Role::kContext},
    {"ctx", Role::kContext},
    {"ctx_len", Role::kContext},
    {"seq", Role::kContext},
    {"seq_len", Role::kContext},
    {"seqlen", Role::kContext},
    {"seq_length", Role::kContext},
    {"sequence_length", Role::kContext},
    {"batch", Role::kBatch},
    {"batch_size", Role::kBatch},
    {"bs", Role::kBatch},
    {"warmup", Role::kWarmup},
    {"warm_up", Role::kWarmup},
    {"warmups", Role::kWarmup},
    {"warmup_steps", Role::kWarmup},
    {"warm_up_steps", Role::kWarmup},
    {"num_warmup", Role::kWarmup},
    {"steps", Role::kSteps},
    {"num_steps", Role::kSteps},
    {"n_steps", Role::kSteps},
    {"benchmark_steps", Role::kSteps},
    {"measure_steps", Role::kSteps},
    {"measurement_steps", Role::kSteps},
    {"timed_steps", Role::kSteps},
    {"repo", Role::kSource},
    {"repository", Role::kSource},
    {"source", Role::kSource},
    {"url", Role::kSource},
    {"d_model", Role::kModelWidth},
    {"d_ff", Role::kInnerWidth},
    {"layers", Role::kLayers},
    {"num_layers", Role::kLayers},
    {"n_layers", Role::kLayers},
    {"heads", Role::kHeads},
    {"num_heads", Role::kHeads},
    {"n_heads", Role::kHeads},
}};

constexpr Names<Role, 18> kRoleWords{{{Role::kSize, "size"},
                                      {Role::kGpu, "GPU"},
                                      {Role::kEdition, "edition"},
                                      {Role::kExperiment, "experiment"},
                                      {Role::kSubject, "what is timed"},
                                      {Role::kForwardOnly, "forward only"},
                                      {Role::kUnit, "unit"},
                                      {Role::kPrecision, "precision"},
                                      {Role::kAutocast, "precision"},
                                      {Role::kContext, "context"},
                                      {Role::kBatch, "batch"},
                                      {Role::kWarmup, "warm-up steps"},
                                      {Role::kSteps, "timed steps"},
                                      {Role::kSource, "source"},
                                      {Role::kModelWidth, "d_model"},
                                      {Role::kInnerWidth, "d_ff"},
                                      {Role::kLayers, "layers"},
                                      {Role::kHeads, "heads"}}};

}  // namespace

std::optional<Role> role_named(const std::vector<std::string>& words) {
  const Role* role = look_up(kRoles, join(words, "_"));
  return role == nullptr ? std::nullopt : std::optional(*role);
}

std::string_view describe(Role role) { return name_in(kRoleWords, role); }

}  // namespace labreport
