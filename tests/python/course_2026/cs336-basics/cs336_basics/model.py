"""A small Transformer under the names of the course's package, so that tests need not have it."""

import torch
from cs336_basics.nn_utils import rms
from torch import nn


class Linear(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(d_out, d_in) / d_in**0.5)

    def forward(self, x):
        return x @ self.weight.T


class Embedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(vocab_size, d_model))

    def forward(self, ids):
        return self.weight[ids]


class RMSNorm(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        return (x.float() / rms(x.float()) * self.weight).to(x.dtype)


class Block(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.num_heads = num_heads
        self.norm, self.qkv, self.out = RMSNorm(d_model), Linear(d_model, 3 * d_model), Linear(d_model, d_model)
        self.ffn_norm, self.up, self.down = RMSNorm(d_model), Linear(d_model, d_ff), Linear(d_ff, d_model)

    def forward(self, x):
        q, k, v = (part.unflatten(-1, (self.num_heads, -1)).transpose(-3, -2) for part in self.qkv(self.norm(x)).chunk(3, -1))
        turns = torch.cos(torch.arange(x.shape[-2], device=x.device) / 100)[:, None]  # is FP32, as rotary embeddings
        mixed = nn.functional.scaled_dot_product_attention(q * turns, k * turns, v, is_causal=True)
        x = x + self.out(mixed.transpose(-3, -2).flatten(-2))
        return x + self.down(nn.functional.silu(self.up(self.ffn_norm(x))))


class BasicsTransformerLM(nn.Module):
    def __init__(self, vocab_size, context_length, d_model, num_layers, num_heads, d_ff, rope_theta):
        super().__init__()
        self.token_embeddings, self.positions = Embedding(vocab_size, d_model), Embedding(context_length, d_model)
        self.layers = nn.ModuleList(Block(d_model, num_heads, d_ff) for _ in range(num_layers))
        self.ln_final, self.lm_head = RMSNorm(d_model), Linear(d_model, vocab_size)

    def forward(self, ids):
        x = self.token_embeddings(ids) + self.positions(torch.arange(ids.shape[-1], device=ids.device))
        for layer in self.layers:
            x = layer(x)
        return self.lm_head(self.ln_final(x))
