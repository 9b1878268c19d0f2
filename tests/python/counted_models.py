"""Models whose floating-point operations are known: one layer of attention, computed in several ways."""

import sys

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Attentive(nn.Module):
    is_causal = True

    def __init__(self, vocab_size, d_model, num_heads):
        super().__init__()
        self.table, self.num_heads = nn.Embedding(vocab_size, d_model), num_heads
        self.qkv, self.head = nn.Linear(d_model, 3 * d_model, bias=False), nn.Linear(d_model, vocab_size, bias=False)

    def project(self, x):
        return self.qkv(x)

    def attend(self, x):
        q, k, v = (part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in self.project(x).chunk(3, -1))
        x = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=self.is_causal)
        return x.transpose(1, 2).flatten(-2)

    def forward(self, ids):
        return self.head(self.attend(self.table(ids)))


class Unmasked(Attentive):
    is_causal = False


class Explicit(Attentive):
    """Multiplies all scores, also those that its mask discards."""

    def attend(self, x):
        with nn.attention.sdpa_kernel(nn.attention.SDPBackend.MATH):
            return super().attend(x)


class Checkpointed(Attentive):
    def forward(self, ids):
        return self.head(checkpoint(self.attend, self.table(ids), use_reentrant=False))


class Product(torch.autograd.Function):
    """Is an autograd Function of torch's operators."""

    @staticmethod
    def forward(context, x, weight):
        context.save_for_backward(x, weight)
        return x @ weight.T

    @staticmethod
    def backward(context, gradient):
        x, weight = context.saved_tensors
        return gradient @ weight, gradient.flatten(0, 1).T @ x.flatten(0, 1)


class InFunction(Attentive):
    def project(self, x):
        return Product.apply(x, self.qkv.weight)


@torch.library.custom_op("counted_models::project", mutates_args=())
def project(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return x @ weight.T


project.register_autograd(Product.backward, setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs))


class InCustomOperator(Attentive):
    def project(self, x):
        return project(x, self.qkv.weight)


class InTriton(Attentive):
    """Launches a kernel of Triton's, which the test replaces, in place of the projection."""

    def project(self, x):
        sys.modules["triton.runtime.jit"].JITFunction(lambda: None).run()
        return x.new_ones(*x.shape[:-1], self.qkv.out_features) + self.qkv.weight.sum()
