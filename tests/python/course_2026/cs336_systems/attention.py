import torch
from torch.nn.functional import scaled_dot_product_attention


class Attention(torch.autograd.Function):
    """PyTorch's attention, computed again in backward."""

    @staticmethod
    def forward(ctx, q, k, v, is_causal=False):
        ctx.save_for_backward(q, k, v)
        ctx.is_causal = is_causal
        return scaled_dot_product_attention(q, k, v, is_causal=is_causal)

    @staticmethod
    def backward(ctx, upstream):
        inputs = [tensor.detach().requires_grad_() for tensor in ctx.saved_tensors]
        with torch.enable_grad():
            output = scaled_dot_product_attention(*inputs, is_causal=ctx.is_causal)
        return *torch.autograd.grad(output, inputs, upstream), None
