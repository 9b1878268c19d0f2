"""Compares the latencies of labreport-worker's attention sweeps with triton.testing.do_bench, in turns.

compare_attention.py WORKER [--rounds 3]   on a GPU, by a Python with torch and Triton

New processes of both time the same causal attentions, batch 1, one head: forward, backward, and both together. Prints
medians over the rounds; exits with 1 if they differ by more than 3 %, or by more than 5 % below 0.1 ms.
"""

import argparse
import json
import math
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "reference"))
from launches import result_of  # noqa: E402: the line above makes it importable

CASES = [("flash", "bf16", 64, [1024, 4096, 16384]), ("efficient", "fp32", 64, [1024, 4096]), ("eager", "fp32", 64, [1024, 4096])]
PASSES = ["forward", "backward", "end_to_end"]
LIMIT, SHORT_LIMIT, SHORT_MS = 0.03, 0.05, 0.1


def eager(q, k, v, mask):
    import torch

    scores = torch.where(mask, q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), float("-inf"))
    exponentials = torch.exp(scores - torch.max(scores, dim=-1, keepdim=True).values)
    return exponentials / torch.sum(exponentials, dim=-1, keepdim=True) @ v


def by_do_bench(backend, precision, head_dim, lengths):
    """Runs one process of the script, which prints medians in ms, [length][pass], as JSON."""
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from triton.testing import do_bench

    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    medians = []
    for length in lengths:
        shape = (1, length, head_dim) if backend == "eager" else (1, 1, length, head_dim)
        q, k, v = inputs = [torch.randn(shape, device="cuda", dtype=dtype, requires_grad=True) for _ in range(3)]
        upstream = torch.randn(shape, device="cuda", dtype=dtype)
        positions = torch.arange(length, device="cuda")
        mask = positions[:, None] >= positions

        def attend():
            if backend == "eager":
                return eager(q, k, v, mask)
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)

        sdpa_backend = {"flash": SDPBackend.FLASH_ATTENTION, "efficient": SDPBackend.EFFICIENT_ATTENTION}.get(backend, SDPBackend.MATH)
        with sdpa_kernel(sdpa_backend):
            output = attend()
            passes = [attend, lambda: output.backward(upstream, retain_graph=True), lambda: attend().backward(upstream)]
            medians.append([do_bench(timed_pass, grad_to_none=inputs, return_mode="median") for timed_pass in passes])
    print(json.dumps(medians))


def by_script(case):
    completed = subprocess.run([sys.executable, "-B", __file__, "--script", json.dumps(case)], check=True, stdout=subprocess.PIPE)
    return json.loads(completed.stdout)


def by_worker(worker, backend, precision, head_dim, lengths):
    params = dict(device_kind="cuda", batch=1, precision=precision, method="do_bench", backend=backend, head_dim=head_dim, heads=1,
                  lengths=lengths)
    report = result_of(worker, "attention", params)
    table = next(table for table in report["tables"] if table["name"] == "attention")
    names = [column["name"] for column in table["columns"]]
    rows = [dict(zip(names, row)) for row in table["rows"]]
    return [[row[f"{name}_median_ns"] / 1e6 for name in PASSES] for row in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("worker", nargs="?")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--script", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.script:
        return by_do_bench(*json.loads(options.script))
    exceeded = False
    for case in CASES:
        sides = [lambda: by_script(case), lambda: by_worker(options.worker, *case)]
        results = [[], []]
        for round_number in range(options.rounds):
            for side in (0, 1) if round_number % 2 == 0 else (1, 0):
                results[side].append(sides[side]())
        for row, length in enumerate(case[3]):
            for column, name in enumerate(PASSES):
                script, ours = (statistics.median(result[row][column] for result in side) for side in results)
                limit = SHORT_LIMIT if script < SHORT_MS else LIMIT
                exceeded |= abs(ours / script - 1) > limit
                print(f"{case[0]} {case[1]} d {case[2]} length {length} {name}: {ours:.4f} ms, do_bench {script:.4f} ms, "
                      f"ratio {ours / script:.3f}", flush=True)
    return int(exceeded)


if __name__ == "__main__":
    sys.exit(main())
