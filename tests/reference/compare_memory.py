"""Compares labreport-worker's memory peaks with the reference in eager Python, on a GPU.

compare_memory.py WORKER     needs a python3 with torch; about two minutes on a GPU with 80 GiB.
Peaks of max_memory_allocated must agree within one per cent. Recording a history must not change a peak: the recorded
step after two warm-up steps and the last unrecorded step after three are both the fourth step of a process, and their
peaks must be equal. Exits with 1 if not.
"""

import subprocess
import sys
from pathlib import Path

from launches import metrics_of

sys.path.insert(0, str(Path(__file__).parents[2] / "src" / "python"))

SHAPE = dict(d_model=2560, d_ff=10240, layers=32, heads=32, vocab=10_000)
CONTEXTS = (128, 256, 512)
MODES = ("inference", "forward", "train_step")
PRECISIONS = ("fp32", "bf16")
TOLERANCE = 0.01
GIB = 2**30


def run_reference(mode, precision, context):
    """Runs one process of the reference, which prints its peak in bytes after two warm-up steps."""
    import contextlib

    import torch
    from labreport_transformer import AdamW, Transformer, cross_entropy

    torch.backends.cuda.matmul.allow_tf32 = False
    ids, targets = torch.randint(SHAPE["vocab"], (2, 4, context), device="cuda")
    model = Transformer(**SHAPE, context=context, device="cuda")
    optimizer = AdamW(model.parameters())
    for _ in range(3):
        torch.cuda.reset_peak_memory_stats()
        with torch.no_grad() if mode == "inference" else contextlib.nullcontext():
            with torch.autocast("cuda", torch.bfloat16, enabled=precision == "bf16"):
                logits = model(ids)
                loss = cross_entropy(logits, targets) if mode == "train_step" else None
        if mode == "train_step":
            loss.backward()
            optimizer.step()
        torch.cuda.synchronize()
        peak = torch.cuda.max_memory_allocated()
        for parameter in model.parameters():
            parameter.grad = None
        del logits, loss
    print(peak)


def eager_peak(mode, precision, context):
    command = [sys.executable, "-W", "ignore", __file__, "--reference", mode, precision, str(context)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def worker_peaks(worker, mode, precision, context, warmup=2):
    params = dict(SHAPE, size="2.7B", device_kind="cuda", context=context, batch=4, precision=precision, mode=mode,
                  warmup=warmup, steps=1)
    return metrics_of(worker, "memory", params)


def compare(worker, mode, precision, context):
    recorded = worker_peaks(worker, mode, precision, context)
    unrecorded = worker_peaks(worker, mode, precision, context, warmup=3)
    peaks_equal = all(recorded["history", name] == unrecorded["memory", name] for name in ("peak_allocated", "peak_requested"))
    ours, eager = recorded["memory", "peak_allocated"], eager_peak(mode, precision, context)
    is_near = abs(ours / eager - 1) <= TOLERANCE
    print(f"{mode:10} {precision} {context:4}: worker {ours / GIB:7.3f} GiB, eager {eager / GIB:7.3f} GiB, "
          f"{ours / eager:.4f} x{'' if is_near else ', NOT near'}; recording changes "
          f"{'nothing' if peaks_equal else 'THE PEAK'}", flush=True)
    return peaks_equal and is_near


def main():
    if sys.argv[1:2] == ["--reference"]:
        run_reference(sys.argv[2], sys.argv[3], int(sys.argv[4]))
        return 0
    cases = [(mode, precision, context) for mode in MODES for precision in PRECISIONS for context in CONTEXTS]
    return 0 if all([compare(sys.argv[1], *case) for case in cases]) else 1


if __name__ == "__main__":
    sys.exit(main())
