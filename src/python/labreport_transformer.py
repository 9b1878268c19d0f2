"""labreport's network, its loss and its optimizer in plain eager PyTorch: the reference for labreport-worker, and the
input of torch.compile."""

import math

import torch
from torch import nn


def truncated_normal(shape, std, device=None):
    """Draws within ±3 std exactly like labreport-worker, so one seed gives both networks equal initial weights."""
    weight, bound = torch.empty(shape, device=device).normal_(0, std), 3 * std
    for _ in range(2):
        outside = weight.clamp(-bound, bound).ne(weight)
        weight.addcmul_(torch.empty_like(weight).normal_(0, std).sub_(weight), outside)
    return nn.Parameter(weight.clamp_(-bound, bound))


class Linear(nn.Module):
    def __init__(self, d_in, d_out, device=None):
        super().__init__()
        self.weight = truncated_normal((d_out, d_in), math.sqrt(2 / (d_in + d_out)), device)

    def forward(self, x):
        return nn.functional.linear(x, self.weight)


class Embedding(nn.Module):
    def __init__(self, vocab, d_model, device=None):
        super().__init__()
        self.weight = truncated_normal((vocab, d_model), 1.0, device)

    def forward(self, ids):
        return self.weight[ids]


class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5, device=None):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model, device=device))
        self.eps = eps

    def forward(self, x):
        dtype = x.dtype
        x = x.to(torch.float32)
        scale = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)
        return (self.weight * (x * scale)).to(dtype)


class RotaryEmbedding(nn.Module):
    def __init__(self, context, d_head, theta=10_000.0, device=None):
        super().__init__()
        frequencies = theta ** -(torch.arange(0, d_head, 2, device=device) / d_head)
        angles = torch.outer(torch.arange(context, device=device), frequencies)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def forward(self, x):
        cos, sin = self.cos[: x.shape[-2]], self.sin[: x.shape[-2]]
        even, odd = x[..., 0::2], x[..., 1::2]
        first = cos * even - sin * odd
        second = sin * even + cos * odd
        return torch.cat((first, second), dim=-1)


def softmax(x):
    shifted = x - torch.max(x, dim=-1, keepdim=True).values
    exponentials = torch.exp(shifted)
    return exponentials / torch.sum(exponentials, dim=-1, keepdim=True)


def scaled_dot_product(q, k, v, mask):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    scores = torch.where(mask, scores, float("-inf"))
    return softmax(scores) @ v


class Attention(nn.Module):
    def __init__(self, d_model, heads, rotary, device=None, sdpa=False):
        super().__init__()
        self.heads, self.sdpa = heads, sdpa
        self.q_proj = Linear(d_model, d_model, device)
        self.k_proj = Linear(d_model, d_model, device)
        self.v_proj = Linear(d_model, d_model, device)
        self.output_proj = Linear(d_model, d_model, device)
        self.rotary = rotary

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        q, k = self.rotary(q), self.rotary(k)
        return self.output_proj(self.mixed(q, k, v).transpose(1, 2).contiguous().flatten(-2))

    def mixed(self, q, k, v):
        if self.sdpa:
            dtype = v.dtype  # RoPE returns q and k in FP32
            return nn.functional.scaled_dot_product_attention(q.to(dtype), k.to(dtype), v, is_causal=True)
        positions = torch.arange(q.shape[-2], device=q.device)
        mask = positions[:, None] >= positions[None, :]
        return scaled_dot_product(q, k, v, mask)


class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff, device=None):
        super().__init__()
        self.w1 = Linear(d_model, d_ff, device)
        self.w2 = Linear(d_ff, d_model, device)
        self.w3 = Linear(d_model, d_ff, device)

    def forward(self, x):
        gate = self.w1(x)
        return self.w2(gate * torch.sigmoid(gate) * self.w3(x))


class Block(nn.Module):
    def __init__(self, d_model, d_ff, heads, rotary, device=None, sdpa=False):
        super().__init__()
        self.ln1 = RMSNorm(d_model, device=device)
        self.attn = Attention(d_model, heads, rotary, device, sdpa)
        self.ln2 = RMSNorm(d_model, device=device)
        self.ffn = SwiGLU(d_model, d_ff, device)

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.ffn(self.ln2(x))


class Transformer(nn.Module):
    def __init__(self, d_model, d_ff, layers, heads, vocab, context, device=None, sdpa=False):
        super().__init__()
        self.token_embeddings = Embedding(vocab, d_model, device)
        rotary = RotaryEmbedding(context, d_model // heads, device=device)
        self.layers = nn.ModuleList(
            Block(d_model, d_ff, heads, rotary, device, sdpa) for _ in range(layers)
        )
        self.ln_final = RMSNorm(d_model, device=device)
        self.lm_head = Linear(d_model, vocab, device)

    def forward(self, ids):
        x = self.token_embeddings(ids)
        for layer in self.layers:
            x = layer(x)
        return self.lm_head(self.ln_final(x))


def log_softmax(x):
    shifted = x - torch.max(x, dim=-1, keepdim=True).values
    return shifted - torch.log(torch.sum(torch.exp(shifted), dim=-1, keepdim=True))


def cross_entropy(logits, targets):
    return -log_softmax(logits).gather(-1, targets.unsqueeze(-1)).mean()


class AdamW(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))

    def step(self, closure=None):
        loss = closure() if closure else None
        for group in self.param_groups:
            lr, (beta1, beta2) = group["lr"], group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state, grad = self.state[p], p.grad.data
                if not state:
                    state.update(t=0, m=torch.zeros_like(p.data), v=torch.zeros_like(p.data))
                t = state["t"] + 1
                p.data -= lr * group["weight_decay"] * p.data
                m = beta1 * state["m"] + (1 - beta1) * grad
                v = beta2 * state["v"] + (1 - beta2) * grad**2
                rate = lr * math.sqrt(1 - beta2**t) / (1 - beta1**t)
                p.data -= rate * m / (torch.sqrt(v) + group["eps"])
                state["t"], state["m"], state["v"] = t, m, v
        return loss
