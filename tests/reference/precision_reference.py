"""What the worker traces and adds up, held against PyTorch in Python.

precision_reference.py <labreport-worker> [--device cpu|cuda]

The dtypes of the toy model under FP16 and BF16 autocast, and the sums of the four loops, have to be
the same.
"""

import argparse
import sys

import torch
from launches import metrics_of, result_of
from torch import nn

HALVES = {"fp16": torch.float16, "bf16": torch.bfloat16}


class ToyModel(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc1 = nn.Linear(d_in, 10, bias=False)
        self.relu = nn.ReLU()
        self.ln = nn.LayerNorm(10)
        self.fc2 = nn.Linear(10, d_out, bias=False)

    def forward(self, x):
        return self.fc2(self.ln(self.relu(self.fc1(x))))


def dtype_rows(precision, device):
    """{(group, name): dtype} of one training step."""
    rows = {}

    def note(group, name, tensor):
        rows[group, name] = str(tensor.dtype).removeprefix("torch.")

    model = ToyModel(20, 5).to(device)
    for name, module in model.named_children():
        module.register_forward_hook(
            lambda _, __, output, name=name: note("output", name, output))
    x = torch.randn(8, 20, device=device)
    classes = torch.randint(5, (8,), device=device)
    values = torch.randn(8, 5, device=device)
    with torch.autocast(device, dtype=HALVES[precision]):
        for name, parameter in model.named_parameters():
            note("parameter", name, parameter)
        note("input", "x", x)
        logits = model(x)
        loss = nn.functional.cross_entropy(logits, classes)
        note("loss", "cross-entropy", loss)
        note("loss", "mse", nn.functional.mse_loss(logits, values))
        note("loss", "sum", logits.sum())
        note("loss", "mean", logits.mean())
        half = torch.randn(1, 4, 32, device=device, dtype=HALVES[precision])
        note("norm", "layer_norm", nn.functional.layer_norm(half, (32,)))
    loss.backward()
    for name, parameter in model.named_parameters():
        note("gradient", name, parameter.grad)
    return rows


def sums(device):
    def loop(sum_dtype, addend_dtype, cast):
        total = torch.tensor(0, dtype=sum_dtype, device=device)
        for _ in range(1000):
            addend = torch.tensor(0.01, dtype=addend_dtype, device=device)
            total += addend.type(sum_dtype) if cast else addend
        return total.item()

    full, half = torch.float32, torch.float16
    return {"fp32+=fp32": loop(full, full, False), "fp16+=fp16": loop(half, half, False),
            "fp32+=fp16": loop(full, half, False), "fp32+=float(fp16)": loop(full, half, True)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("worker")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    chosen = parser.parse_args()
    wrong = []
    [table] = result_of(chosen.worker, "dtypes", {"device": chosen.device})["tables"]
    traced = {tuple(row[:3]): row[3] for row in table["rows"]}
    for precision in HALVES:
        for (group, name), dtype in dtype_rows(precision, chosen.device).items():
            ours = traced.get((precision, group, name))
            if ours != dtype:
                wrong.append(f"{precision} {group} {name}: {ours}, in Python {dtype}")
    metrics = metrics_of(chosen.worker, "accumulation", {"device": chosen.device})
    ends = {name: sums[-1] for (tag, name), sums in metrics.items() if tag == "running"}
    for name, value in sums(chosen.device).items():
        if ends.get(name) != value:
            wrong.append(f"{name}: {ends.get(name)}, in Python {value}")
    print("\n".join(wrong) or f"alike on {chosen.device}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
