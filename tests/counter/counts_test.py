"""Compares the worker's profile with a separate counter.

counts_test.py WORKER COUNTER [--device cuda]   WORKER: labreport-worker, COUNTER: the library beside this file.
On a CPU it checks names and nesting of the ranges for an external profiler. On a GPU it also checks that the profile has
as many activities as CUPTI counts, and their time within one per cent. Exits with 1 if not.
"""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "reference"))
from launches import result_of  # noqa: E402: the line above makes it importable

SHAPES = {
    "tiny": dict(d_model=16, d_ff=24, layers=2, heads=2, vocab=30, context=8, batch=2),
    "small": dict(d_model=768, d_ff=3072, layers=12, heads=12, vocab=10_000, context=512, batch=4),
    "2.7B": dict(d_model=2560, d_ff=10240, layers=32, heads=32, vocab=10_000, context=512, batch=4),
}
CASES = [("2.7B", "fp32", "train_step"), ("2.7B", "bf16", "train_step"), ("2.7B", "fp32", "inference"),
         ("small", "fp32", "train_step")]
TOLERANCE = 0.01


def run_worker(worker, shape, device, precision, mode, *flags, environment=None):
    params = dict(SHAPES[shape], size=shape, device_kind=device, precision=precision, mode=mode, warmup=5, steps=3)
    return result_of(worker, "kernels", params, *flags, environment=environment)


def counter_lines(worker, counter, folder, *case):
    """Returns the lines that the counter wrote."""
    counts_file = folder / "seen"
    environment = dict(NVTX_INJECTION64_PATH=str(Path(counter).resolve()), ACTIVITY_COUNTER=str(counts_file))
    run_worker(worker, *case, "--nvtx", environment=environment)
    return counts_file.read_text().splitlines()


def check_ranges(lines):
    ranges = [line for line in lines if not line.startswith(("=", "-"))]
    assert ranges[0] == "measured" and ranges.count("measured") == 1, ranges[:3]
    for name in ("  forward", "  loss", "  backward", "  optimizer", "    token_embeddings", "    layers.0",
                 "      layers.0.attn", "        layers.0.attn.q_proj", "        scaled dot product attention",
                 "          computing attention scores", "          computing softmax", "          final matmul",
                 "      layers.1.ffn", "        layers.1.ffn.w1", "    lm_head"):
        assert ranges.count(name) == 1 or "layers" not in name and ranges.count(name) == 2, name
    print("ranges: measured, phases, modules and the parts of attention")


def profile_sums(result):
    metrics = {(m["tag"], m["name"]): m.get("value") for m in result["metrics"]}
    tables = {table["name"]: table for table in result["tables"]}
    rows = tables["kernels"]["rows"]
    names = dict(tables["kernel_names"]["rows"])
    kernels = {}
    for *_, kernel, instances, total, _low, _middle, _high, _deviation in rows:
        count, ns = kernels.get(names[kernel], (0, 0))
        kernels[names[kernel]] = (count + instances, ns + total)
    return metrics["profile", "kernels"], sum(ns for _, ns in kernels.values())


def check_counts(case, result, lines):
    sums = [line.split() for line in lines if line.startswith("= ")]
    counter_count = sum(int(count) for _, _, count, _ in sums)
    counter_ns = sum(int(ns) for _, _, _, ns in sums)
    count, ns = profile_sums(result)
    ratio = ns / counter_ns
    alike = count == counter_count and abs(ratio - 1) <= TOLERANCE
    print(f"{' '.join(case)}: {count} activities in the profile, {counter_count} counted; time {ratio:.4f} x",
          "alike" if alike else "NOT alike")
    return alike


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("worker")
    parser.add_argument("counter")
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tiny = ("tiny", arguments.device, "fp32", "train_step")
        check_ranges(counter_lines(arguments.worker, arguments.counter, folder, *tiny))
        if arguments.device == "cpu":
            return 0
        alike = True
        for size, precision, mode in CASES:
            case = (size, arguments.device, precision, mode)
            result = run_worker(arguments.worker, *case)
            lines = counter_lines(arguments.worker, arguments.counter, folder, *case)
            alike = check_counts((size, precision, mode), result, lines) and alike
        return 0 if alike else 1


if __name__ == "__main__":
    sys.exit(main())
