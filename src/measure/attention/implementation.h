// Implementations of attention: inputs, forward pass, and errors against FP64.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/cell.h"

namespace labreport {

/// Random normal tensors, made before anything is timed. Q, K and V require gradients. Their shape
/// is [batch, tokens, head_dim] for one head of the eager operators, [batch · heads, tokens,
/// head_dim] for the user's code, else [batch, heads, tokens, head_dim].
struct AttentionInputs {
  at::Tensor q, k, v;
  at::Tensor upstream;  ///< The output's gradient.
  at::Tensor mask;      ///< Eager operators only; the others take a causal flag.

  void clear_gradients() const;
  /// Draws new values into the same tensors, and marks no tensor as changed.
  void refill() const;
};

/// The queries whose results are compared with FP64, and whether gradients are compared, too.
struct ComparedQueries {
  std::int64_t first = 0, count = 0;
  bool with_gradients = true;
};

AttentionInputs attention_inputs(const CellSpec& spec, std::int64_t length, c10::Device device);

at::Tensor attend(AttentionBackend backend, const AttentionInputs& inputs);

/// The implementation that is measured: a backend, or a Python function.
class AttentionImplementation {
 public:
  virtual ~AttentionImplementation() = default;
  virtual at::Tensor forward(const AttentionInputs& inputs) const = 0;
  /// Runs backward from `value`, the output or a loss, as Tensor::backward() does. An undefined
  /// `upstream` counts as 1.
  virtual void backward(const at::Tensor& value, const at::Tensor& upstream,
                        bool retain_graph) const;
  /// Runs the tests that an implementation has to pass besides the comparison with FP64. Throws
  /// `UserCodeError` if it fails one.
  virtual void test(const AttentionInputs&) const {}
  /// Discards earlier compilations, so that the next forward() compiles for the length of its own
  /// inputs only. Returns true if the implementation compiles.
  virtual bool discard_compilations() const { return false; }
};

using AttentionFactory = std::function<std::unique_ptr<AttentionImplementation>(
    const std::string& implementation, c10::Device device)>;

/// Sets the factory for implementations that are not labreport's own. With an empty factory, the
/// default, make_attention() throws `InputError` for them.
void set_attention_factory(AttentionFactory factory);

std::unique_ptr<AttentionImplementation> make_attention(const CellSpec& spec, c10::Device device);

/// Restricts scaled_dot_product_attention to one backend during its lifetime, and collects the
/// warnings about refused backends. The user's code may use all backends.
class BackendRestriction {
 public:
  explicit BackendRestriction(AttentionBackend backend);
  ~BackendRestriction();
  BackendRestriction(const BackendRestriction&) = delete;
  BackendRestriction& operator=(const BackendRestriction&) = delete;

  /// Returns LibTorch's reason for the refusal; the first line of `message` if it gave none.
  std::string reason(std::string_view message) const;

 private:
  struct WarningCollector;
  std::unique_ptr<WarningCollector> collector_;
  bool flash_, efficient_, cudnn_, math_, overrideable_;  ///< LibTorch's settings to restore.
};

/// Joins the warnings that say why a backend was refused; if none, the first line of `message`.
std::string backend_reason(const std::vector<std::string>& warnings, std::string_view message);

/// The largest difference of each tensor from FP64 on the same inputs, divided by the tensor's
/// largest FP64 magnitude; 0 is exact.
struct AttentionErrors {
  double output = 0, grad_q = 0, grad_k = 0, grad_v = 0;
  double output_from_unmasked = 0;  ///< The output's difference from attention without a mask.
  std::optional<std::int64_t> pass_ns =
      {};                             ///< The compared forward and backward pass, if both ran.
  std::string backward_failure = {};  ///< Why there are no gradients, which then count as 0.

  double largest_gradient() const;  ///< Infinite if a gradient's error is NaN or infinite.
};

/// Throws what the forward pass throws. If the user's backward pass throws a `UserCodeError`, its
/// message is returned. The upstream gradient of queries that are not compared counts as 0, so that
/// the compared queries determine the gradients of K and V. FP64 takes 8 · count · tokens bytes for
/// each head's scores.
AttentionErrors attention_errors(const AttentionImplementation& attention,
                                 const AttentionInputs& inputs, const ComparedQueries& compared);

/// Returns the largest error that is allowed: 10⁻⁴ in FP32, 0.01 in TF32, 0.05 in 16-bit formats.
/// The user's code is allowed 0.01 in FP32, too, since Triton's dot uses TF32 on FP32 inputs.
double attention_tolerance(const CellSpec& spec);

}  // namespace labreport
