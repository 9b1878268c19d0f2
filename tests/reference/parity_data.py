"""Writes the reference's results, with which parity.cpp compares: parity_data.py FILE."""

import math
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[2] / "src" / "python"))
from labreport_transformer import AdamW, Block, RotaryEmbedding, Transformer, cross_entropy

# Name, then d_model, d_ff, layers, heads, vocabulary, longest context, positions used, batch.
SHAPES = {
    "one_block": (16, 32, 1, 2, 50, 12, 12, 2),
    "shorter_than_context": (24, 72, 2, 3, 101, 40, 17, 3),
    "wide": (64, 96, 3, 8, 257, 33, 33, 1),
}
OPTIMIZER_STEPS = 2


def forward_backward(model, ids, targets, dtype=None):
    model.zero_grad(set_to_none=True)
    with torch.autocast("cpu", dtype=dtype, enabled=dtype is not None):
        logits = model(ids)
        loss = cross_entropy(logits, targets)
    loss.backward()
    results = {"logits": logits.detach(), "loss": loss.detach()}
    for name, parameter in model.named_parameters():
        results["grad/" + name] = parameter.grad.clone()
    return results


def optimizer_steps(model):
    optimizer = AdamW(model.parameters())
    results = {}
    for step in range(1, OPTIMIZER_STEPS + 1):
        optimizer.step()
        for name, parameter in model.named_parameters():
            results[f"after{step}/{name}"] = parameter.detach().clone()
    return results


def shape_results(d_model, d_ff, layers, heads, vocab, context, positions, batch):
    model = Transformer(d_model, d_ff, layers, heads, vocab, context)
    ids, targets = torch.randint(vocab, (2, batch, positions)).unbind()
    results = {"ids": ids, "targets": targets}
    results["shape"] = torch.tensor([d_model, d_ff, layers, heads, vocab, context])
    for name, parameter in model.named_parameters():
        results["weight/" + name] = parameter.detach().clone()
    bf16 = forward_backward(model, ids, targets, torch.bfloat16)
    results.update({"bf16/" + name: tensor for name, tensor in bf16.items()})
    results.update(forward_backward(model, ids, targets))
    results.update(optimizer_steps(model))
    return results


def saved_for_backward(dtype=None):
    """Returns dtype and shape of each tensor that one block saves, each once, without tensors of no dimension."""
    saved = {}

    def pack(tensor):
        if tensor.dim() > 0:
            name = f"{str(tensor.dtype).removeprefix('torch.')} {list(tensor.shape)}"
            saved[tensor.untyped_storage().data_ptr(), name] = tensor  # keeps the tensor alive, so that its address is unique
        return tensor

    block = Block(32, 48, 4, RotaryEmbedding(10, 8))
    x = torch.randn(2, 10, 32, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        with torch.autocast("cpu", dtype=dtype, enabled=dtype is not None):
            block(x)
    return sorted(name for _, name in saved)


def operators(dtype=None):
    """Returns the calls of operators in one block, forward and backward: depth, name and sizes of inputs."""
    block = Block(32, 48, 4, RotaryEmbedding(10, 8))
    x = torch.randn(2, 10, 32, requires_grad=True)
    gradient = torch.ones(2, 10, 32)
    with torch.autograd.profiler.profile(record_shapes=True) as profile:
        with torch.autocast("cpu", dtype=dtype, enabled=dtype is not None):
            y = block(x)
        y.backward(gradient)
    calls = []
    for event in profile.function_events:
        depth, parent = 0, event.cpu_parent
        while parent:
            depth, parent = depth + 1, parent.cpu_parent
        counts = (f" {math.prod(shape)}" for shape in event.input_shapes if shape)
        calls.append((depth, event.name, "".join(counts)))
    return calls


def main(path):
    torch.manual_seed(0)
    data = {
        f"{name}/{key}": tensor
        for name, shape in SHAPES.items()
        for key, tensor in shape_results(*shape).items()
    }
    data["saved/fp32"] = saved_for_backward()
    data["saved/bf16"] = saved_for_backward(torch.bfloat16)
    data["operators/fp32"] = operators()
    data["operators/bf16"] = operators(torch.bfloat16)
    torch.save(data, path)


main(sys.argv[1])
