"""A Transformer with every product an einsum, RoPE and SwiGLU: the course's way to write one."""

import torch
from torch import einsum, nn


class Linear(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(d_out, d_in) * (2 / (d_in + d_out)) ** 0.5)

    def forward(self, x):
        return einsum("... i, o i -> ... o", x, self.weight)


class RoPE(nn.Module):
    def __init__(self, context_length, d_head, theta):
        super().__init__()
        frequencies = theta ** (-torch.arange(0, d_head, 2) / d_head)
        turns = torch.outer(torch.arange(context_length), frequencies)
        self.register_buffer("rotations", torch.stack([turns.cos(), -turns.sin(), turns.sin(), turns.cos()], -1).unflatten(-1, (2, 2)))

    def forward(self, x):  # pairs of neighbors are turned by an angle that grows with the position
        pairs = x.unflatten(-1, (-1, 2))
        return einsum("s p i j, b h s p j -> b h s p i", self.rotations[: x.shape[-2]], pairs).flatten(-2)


class Attention(nn.Module):
    def __init__(self, d_model, num_heads, rope):
        super().__init__()
        self.heads, self.rope = num_heads, rope
        self.q_proj, self.k_proj, self.v_proj, self.output_proj = (Linear(d_model, d_model) for _ in range(4))

    def forward(self, x):
        q, k, v = (project(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
                   for project in (self.q_proj, self.k_proj, self.v_proj))
        scores = einsum("b h q d, b h k d -> b h q k", self.rope(q), self.rope(k)) / q.shape[-1] ** 0.5
        later = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).triu(1)
        weights = scores.masked_fill(later, float("-inf")).softmax(-1)
        mixed = einsum("b h q k, b h k d -> b h q d", weights, v)
        return self.output_proj(mixed.transpose(1, 2).flatten(-2))


class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.w1, self.w2, self.w3 = Linear(d_model, d_ff), Linear(d_ff, d_model), Linear(d_model, d_ff)

    def forward(self, x):
        return self.w2(nn.functional.silu(self.w1(x)) * self.w3(x))


class Block(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, rope):
        super().__init__()
        self.ln1, self.attn = nn.RMSNorm(d_model), Attention(d_model, num_heads, rope)
        self.ln2, self.ffn = nn.RMSNorm(d_model), SwiGLU(d_model, d_ff)

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.ffn(self.ln2(x))


class TransformerLM(nn.Module):
    def __init__(self, vocab_size, context_length, d_model, num_layers, num_heads, d_ff, rope_theta):
        super().__init__()
        self.token_embeddings = nn.Embedding(vocab_size, d_model)
        rope = RoPE(context_length, d_model // num_heads, rope_theta)
        self.layers = nn.ModuleList(Block(d_model, num_heads, d_ff, rope) for _ in range(num_layers))
        self.ln_final, self.lm_head = nn.RMSNorm(d_model), Linear(d_model, vocab_size)

    def forward(self, ids):
        x = self.token_embeddings(ids)
        for layer in self.layers:
            x = layer(x)
        return self.lm_head(self.ln_final(x))
