// Implementations of attention: inputs, the forward pass, and what each differs from FP64.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "results/cell.h"

namespace labreport {

/// Random normal, made before anything is timed. Q, K and V require gradients: [batch, tokens,
/// head_dim] for one head of the eager operators, [batch · heads, tokens, head_dim] for the user's,
/// else [batch, heads, tokens, head_dim].
struct AttentionInputs {
  at::Tensor q, k, v;
  at::Tensor upstream;  ///< The gradient of the output.
  at::Tensor mask;      ///< Of the eager operators alone: the others are told that they are causal.

  void clear_gradients() const;
};

AttentionInputs attention_inputs(const CellSpec& spec, std::int64_t length, c10::Device device);

at::Tensor attend(AttentionBackend backend, const AttentionInputs& inputs);

/// What is measured: one of the backends, or a function of Python's.
class AttentionImplementation {
 public:
  virtual ~AttentionImplementation() = default;
  virtual at::Tensor forward(const AttentionInputs& inputs) const = 0;
  /// `again`: the same graph will be asked for once more. An undefined `upstream` is 1.
  virtual void backward(const at::Tensor& value, const at::Tensor& upstream, bool again) const;
  /// Where its first call at a length compiles it: from now on no length is known.
  virtual bool compiles_anew() const { return false; }
};

using AttentionFactory = std::function<std::unique_ptr<AttentionImplementation>(
    const std::string& implementation, c10::Device device)>;

/// What makes cells' implementations that are not the program's own; empty, as in the beginning:
/// nothing does.
void set_attention_factory(AttentionFactory factory);

std::unique_ptr<AttentionImplementation> make_attention(const CellSpec& spec, c10::Device device);

/// While it lives, scaled_dot_product_attention has that backend alone, for code of the user's all
/// of them, and what it says of others is kept.
class OneBackend {
 public:
  explicit OneBackend(AttentionBackend backend);
  ~OneBackend();
  OneBackend(const OneBackend&) = delete;
  OneBackend& operator=(const OneBackend&) = delete;

  /// Why it was refused, in LibTorch's words; `message` where it gave none.
  std::string reason(std::string_view message) const;

 private:
  struct Listener;
  std::unique_ptr<Listener> listener_;
  bool flash_, efficient_, cudnn_, math_, overrideable_;
};

/// Of the warnings with which LibTorch refuses one backend after the other, those that give a
/// reason; the first line of `message` where none does.
std::string backend_reason(const std::vector<std::string>& warnings, std::string_view message);

/// The largest difference from FP64 on the same inputs, relative to the largest magnitude there.
struct AttentionErrors {
  double output = 0, grad_q = 0, grad_k = 0, grad_v = 0;

  double largest() const;  ///< Infinite where one is not a number.
};

AttentionErrors attention_errors(const AttentionImplementation& measured,
                                 const AttentionInputs& inputs);

/// What such an error may be: 10⁻⁴ in FP32, 0.01 in TF32, 0.05 in 16-bit formats. The user's may
/// use TF32 on FP32 inputs, as Triton's dot does.
double attention_tolerance(const CellSpec& spec);

}  // namespace labreport
