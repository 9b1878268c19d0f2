"""Compares the times of labreport-worker's all-reduces with torch.distributed's, in turns.

compare_all_reduce.py WORKER [--rounds 3]   on two GPUs, by the Python whose torch the worker was built with
compare_all_reduce.py WORKER --device cpu   over Gloo, up to 10 MB

New processes of both sum FP32 tensors over two ranks: one call at a time between barriers and, over NCCL, many
enqueued calls. Prints medians over the rounds; exits with 1 if they differ by more than 5 %.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "reference"))
from launches import result_of  # noqa: E402: the line above makes it importable

RANKS = 2
LARGEST = {"cuda": 1 << 30, "cpu": 10_000_000}
SIZES = [1_000_000, 10_000_000, 100_000_000, 1_000_000_000]
WARMUP, CALLS, ENQUEUED = 5, 20, 20
LIMIT = 0.05


def sizes_on(device):
    return [size for size in SIZES if size <= LARGEST[device]]


def by_torch(device, rank, store):
    """Runs one rank of the script. Rank 0 prints medians and means in ns, by size and method, as JSON."""
    import torch
    import torch.distributed as dist

    backend = "nccl" if device == "cuda" else "gloo"
    dist.init_process_group(backend, init_method=f"file://{store}", rank=rank, world_size=RANKS)
    barrier_tensor = torch.zeros(1, device=device)

    def synchronize():
        if device == "cuda":
            torch.cuda.synchronize()

    def barrier():
        dist.all_reduce(barrier_tensor)
        synchronize()

    def ns_per_call(calls):
        barrier()
        start = time.perf_counter_ns()
        for _ in range(calls):
            dist.all_reduce(data)
        synchronize()
        return (time.perf_counter_ns() - start) / calls

    times_ns = {}
    for size in sizes_on(device):
        data = torch.zeros(size // 4, device=device)
        times_ns[f"{size} synced"] = statistics.median([ns_per_call(1) for _ in range(WARMUP + CALLS)][WARMUP:])
        if device == "cuda":
            times_ns[f"{size} in_place"] = ns_per_call(ENQUEUED)
    if rank == 0:
        print(json.dumps(times_ns), flush=True)
    barrier()
    dist.destroy_process_group()


def environment_of(device, rank):
    """Returns the variables that the front end sets: the rank's own GPU comes first."""
    return {"CUDA_VISIBLE_DEVICES": ",".join(str((rank + i) % RANKS) for i in range(RANKS))} if device == "cuda" else {}


def by_script(device):
    with tempfile.TemporaryDirectory() as folder:
        ranks = [subprocess.Popen([sys.executable, "-B", __file__, "--device", device, "--script", str(rank), folder + "/store"],
                                  stdout=subprocess.PIPE, env=os.environ | environment_of(device, rank)) for rank in range(RANKS)]
        outputs = [rank.communicate()[0] for rank in ranks]
    if any(rank.returncode for rank in ranks):
        sys.exit("the script failed")
    return json.loads(outputs[0])


def by_worker(worker, device):
    params = dict(device_kind=device, ranks=RANKS, collectives="nccl" if device == "cuda" else "gloo",
                  largest_bytes=LARGEST[device], warmup=WARMUP, steps=CALLS)

    def rank_result(rank, store):
        return result_of(worker, "all_reduce", params, environment=environment_of(device, rank),
                         rendezvous=dict(rank=rank, store=store, timeout_seconds=60))

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(RANKS) as pool:
        rank_0 = list(pool.map(lambda rank: rank_result(rank, folder + "/store"), range(RANKS)))[0]
    table = next(table for table in rank_0["tables"] if table["name"] == "all_reduce")
    names = [column["name"] for column in table["columns"]]
    rows = [dict(zip(names, row)) for row in table["rows"]]
    return {f"{row['bytes']} {row['method']}": row["median_ns"] or row["mean_ns"] for row in rows if row["rank"] == 0}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("worker", nargs="?")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--script", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.script:
        return by_torch(options.device, int(options.script[0]), options.script[1])
    sides = [lambda: by_script(options.device), lambda: by_worker(options.worker, options.device)]
    results = [[], []]
    for round_number in range(options.rounds):
        for side in (0, 1) if round_number % 2 == 0 else (1, 0):
            results[side].append(sides[side]())
    exceeded = False
    for name in results[0][0]:
        script, ours = (statistics.median(result[name] for result in side) for side in results)
        exceeded |= abs(ours / script - 1) > LIMIT
        print(f"{name}: {ours / 1e3:.1f} us, torch.distributed {script / 1e3:.1f} us, ratio {ours / script:.3f}", flush=True)
    return int(exceeded)


if __name__ == "__main__":
    sys.exit(main())
