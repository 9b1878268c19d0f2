"""Compares labreport-worker with the reference in eager Python, on a GPU, in turns: time and peak of memory.

compare_speed.py WORKER [--json FILE]     needs a python3 with torch; takes about six minutes with 80 GiB.
Prints a table of medians, also of linear layers written as einsum. Exits with 1 if a row exceeds its limit. Rows whose
speed depends on the host have no limit.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

from launches import metrics_of

sys.path.insert(0, str(Path(__file__).parents[2] / "src" / "python"))

SIZES = {
    "small": dict(d_model=768, d_ff=3072, layers=12, heads=12, vocab=10_000),
    "2.7B": dict(d_model=2560, d_ff=10240, layers=32, heads=32, vocab=10_000),
}
STEP, FIRST, PEAK = "step", "first kernel", "peak"
STEP_LIMIT, PEAK_LIMIT = 1.02, 1.01
# Size, precision, mode, warm-up steps, timed steps, rounds, and for each compared quantity the name by which the report
# cites it and the largest allowed ratio to Python's value.
CASES = [
    ("small", "bf16", "forward_backward", 5, 20, 3, {STEP: ("small_backward", None), FIRST: ("start_up", None)}),
    ("small", "bf16", "train_step", 5, 20, 3, {STEP: ("small_step", None), PEAK: ("small_memory", PEAK_LIMIT)}),
    ("2.7B", "fp32", "forward_backward", 2, 5, 2, {STEP: ("large_backward", STEP_LIMIT)}),
    ("2.7B", "fp32", "train_step", 2, 5, 2, {STEP: ("large_step", STEP_LIMIT), PEAK: ("large_memory", PEAK_LIMIT)}),
    ("2.7B", "bf16", "train_step", 2, 5, 2, {STEP: ("large_bf16_step", STEP_LIMIT), PEAK: ("large_bf16_memory", PEAK_LIMIT)}),
]
UNITS = {STEP: ("ms", 1e6), FIRST: ("ms", 1e6), PEAK: ("gib", 2**30)}


def process_age_ns():
    """Returns the nanoseconds since exec, precise to the kernel's clock tick, as the worker does."""
    import os

    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    start = int(fields[19]) * (1_000_000_000 // os.sysconf("SC_CLK_TCK"))
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) - start


def reference_process(case):
    """Runs one process of the reference, which prints its samples as JSON."""
    import torch
    from labreport_transformer import AdamW, Transformer, cross_entropy

    torch.backends.cuda.matmul.allow_tf32 = False
    ids, targets = torch.randint(case["vocab"], (2, case["batch"], case["context"]), device="cuda")
    shape = {name: case[name] for name in ("d_model", "d_ff", "layers", "heads", "vocab")}
    model = Transformer(**shape, context=case["context"], device="cuda")
    optimizer = AdamW(model.parameters())
    first_kernel_ns = []
    hook = model.token_embeddings.register_forward_hook(lambda *_: first_kernel_ns.append(process_age_ns()))
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    samples = []
    for _ in range(case["warmup"] + case["steps"]):
        start = time.perf_counter_ns()
        with torch.autocast("cuda", torch.bfloat16, enabled=case["precision"] == "bf16"):
            logits = model(ids)
            loss = cross_entropy(logits, targets)
        loss.backward()
        if case["mode"] == "train_step":
            optimizer.step()
        torch.cuda.synchronize()
        samples.append(time.perf_counter_ns() - start)
        hook.remove()
        del logits, loss
        optimizer.zero_grad(set_to_none=True)
    print(json.dumps({STEP: samples[case["warmup"] :], FIRST: first_kernel_ns[:1], PEAK: [torch.cuda.max_memory_allocated()]}))


def run_reference(case):
    command = [sys.executable, __file__, "--reference", json.dumps(case)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def run_worker(worker, case):
    metrics = metrics_of(worker, "timing", {"device_kind": "cuda", **case})
    return {STEP: metrics["step", "total"][case["warmup"] :], FIRST: [metrics["start-up", "first_kernel"]],
            PEAK: [metrics["memory", "peak_allocated"]]}


def compare(worker, size, precision, mode, warmup, steps, rounds, limits):
    case = dict(size=size, **SIZES[size], context=512, batch=4, precision=precision, mode=mode)
    case.update(warmup=warmup, steps=steps)
    ours, theirs = ({what: [] for what in UNITS} for _ in range(2))
    turns = [(theirs, lambda: run_reference(case)), (ours, lambda: run_worker(worker, case))]
    for round_number in range(rounds):
        for results, run in turns if round_number % 2 == 0 else reversed(turns):
            for what, samples in run().items():
                results[what] += samples
    labels = {STEP: f"{size} {precision} {mode}", FIRST: "process start to first kernel",
              PEAK: f"peak of {size} {precision} {mode}"}
    for what, (cited, limit) in limits.items():
        unit, scale = UNITS[what]
        mine, python = (statistics.median(results[what]) / scale for results in (ours, theirs))
        yield {"name": cited, "what": labels[what], f"worker_{unit}": mine, f"python_{unit}": python,
               "ratio": mine / python, "limit": limit}


def exceeds(row):
    """Returns whether a limit is exceeded. A step may be faster than Python's, but a peak may not be lower either."""
    if row["limit"] is None:
        return False
    return row["ratio"] > row["limit"] or ("worker_gib" in row and row["ratio"] < 2 - row["limit"])


def einsum_rows():
    script = Path(__file__).with_name("compare_einsum.py")
    completed = subprocess.run([sys.executable, "-W", "ignore", script], check=True, stdout=subprocess.PIPE)
    return json.loads(completed.stdout)


def show(row):
    times = [(row[key], key.rsplit("_", 1)[1]) for key in row if key.endswith(("_ms", "_gib"))][:2]
    cells = "".join(f"{value:>11.2f} {unit:<3}" for value, unit in times)
    limit = f"{row['limit']:.2f}" if row["limit"] else ""
    print(f"{row['what']:58}{cells}{row['ratio']:>8.3f}{limit:>8}{'  EXCEEDED' if exceeds(row) else ''}", flush=True)


def load_files_once(worker):
    """Runs both sides once, so that no timed process reads libraries from disk."""
    size, precision, mode, *_ = CASES[0]
    list(compare(worker, size, precision, mode, 0, 1, 1, {}))


def record(rows):
    """Returns the record that the report cites, as in experiments/overview/comparison.json."""
    import torch

    return dict(
        device=torch.cuda.get_device_name(),
        date=time.strftime("%Y-%m-%d", time.gmtime()),
        libtorch=torch.__version__,
        command="python3 tests/reference/compare_speed.py build/bin/labreport-worker",
        ratios={row["name"]: row["ratio"] for row in rows},
        rows=rows,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("worker", nargs="?")
    parser.add_argument("--json", type=Path, help="also write the rows to this file")
    parser.add_argument("--reference", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.reference:
        return reference_process(json.loads(options.reference))
    if not options.worker:
        parser.error("name the labreport-worker to compare")
    load_files_once(options.worker)
    print(f"{'':58}{'worker':>15}{'Python':>15}{'ratio':>8}{'limit':>8}")
    rows = []
    for case in CASES:
        for row in compare(options.worker, *case):
            rows.append(row)
            show(row)
    for row in einsum_rows():
        rows.append(row)
        show(row)
    if options.json:
        options.json.write_text(json.dumps(record(rows), indent=2) + "\n")
    return int(any(exceeds(row) for row in rows))


if __name__ == "__main__":
    sys.exit(main())
