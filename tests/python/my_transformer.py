"""A Transformer as a student writes one: the example of docs/model.md."""

import torch
from torch import nn
from torch.nn import functional


class Attention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.output = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        q, k, v = (part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=-1))
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.output(mixed.transpose(1, 2).flatten(-2))


class Block(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.ln1, self.attn = nn.RMSNorm(d_model), Attention(d_model, num_heads)
        self.ln2, self.up, self.down = nn.RMSNorm(d_model), nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.down(functional.gelu(self.up(self.ln2(x))))


class TransformerLM(nn.Module):
    def __init__(self, vocab_size, context_length, d_model, num_layers, num_heads, d_ff):
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Parameter(torch.zeros(context_length, d_model))
        self.layers = nn.ModuleList(Block(d_model, num_heads, d_ff) for _ in range(num_layers))
        self.norm, self.head = nn.RMSNorm(d_model), nn.Linear(d_model, vocab_size, bias=False)

    def forward(self, ids):
        x = self.tokens(ids) + self.positions[: ids.shape[1]]
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))
