"""Compares the dtypes and sums of the worker with PyTorch in Python.

precision_reference.py <labreport-worker> [--device cpu|cuda]

The dtypes of the toy model under FP16 and BF16 autocast and the sums of the four loops must be equal.
"""

import argparse
import sys

import torch
from launches import metrics_of, result_of
from torch import nn

AUTOCAST_DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16}


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
    """Returns the dtypes of one training step by (group, name)."""
    rows = {}

    def record(group, name, tensor):
        rows[group, name] = str(tensor.dtype).removeprefix("torch.")

    model = ToyModel(20, 5).to(device)
    for name, module in model.named_children():
        module.register_forward_hook(
            lambda _, __, output, name=name: record("output", name, output))
    x = torch.randn(8, 20, device=device)
    classes = torch.randint(5, (8,), device=device)
    values = torch.randn(8, 5, device=device)
    with torch.autocast(device, dtype=AUTOCAST_DTYPES[precision]):
        for name, parameter in model.named_parameters():
            record("parameter", name, parameter)
        record("input", "x", x)
        logits = model(x)
        loss = nn.functional.cross_entropy(logits, classes)
        record("loss", "cross-entropy", loss)
        record("loss", "mse", nn.functional.mse_loss(logits, values))
        record("loss", "sum", logits.sum())
        record("loss", "mean", logits.mean())
        half = torch.randn(1, 4, 32, device=device, dtype=AUTOCAST_DTYPES[precision])
        record("norm", "layer_norm", nn.functional.layer_norm(half, (32,)))
    loss.backward()
    for name, parameter in model.named_parameters():
        record("gradient", name, parameter.grad)
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
    options = parser.parse_args()
    differences = []
    [table] = result_of(options.worker, "dtypes", {"device_kind": options.device})["tables"]
    traced = {tuple(row[:3]): row[3] for row in table["rows"]}
    for precision in AUTOCAST_DTYPES:
        for (group, name), dtype in dtype_rows(precision, options.device).items():
            ours = traced.get((precision, group, name))
            if ours != dtype:
                differences.append(f"{precision} {group} {name}: {ours}, in Python {dtype}")
    metrics = metrics_of(options.worker, "accumulation", {"device_kind": options.device})
    last_sums = {name: sums[-1] for (tag, name), sums in metrics.items() if tag == "running"}
    for name, value in sums(options.device).items():
        if last_sums.get(name) != value:
            differences.append(f"{name}: {last_sums.get(name)}, in Python {value}")
    print("\n".join(differences) or f"alike on {options.device}")
    sys.exit(bool(differences))


if __name__ == "__main__":
    main()
