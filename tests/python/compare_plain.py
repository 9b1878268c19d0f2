"""Compares labreport-model-worker with a plain Python script that measures the same model, in turns.

compare_plain.py WORKER [--model reference] [--device cpu] [--rounds 5]   by the Python whose torch the worker was built with
compare_plain.py build/bin/labreport-worker --model rung    the ladder's step with SDPA and fused AdamW, from C++

Both run the same steps in new processes: 5 + 10, then 10 that synchronize after each phase. Prints medians of steps,
peaks of memory, and the elapsed and CPU time of a whole process. Exits with 1 if a step or a peak differs by more than
its limit, or if a process takes a second more than the script's. On a GPU it also counts the kernels, copies and
memsets of one more step, by torch.profiler and by the worker; the counts must be equal.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "reference"))
from launches import metrics_of  # noqa: E402: the line above makes it importable

# The file, its class, and the course's names of its arguments whose names differ.
MODELS = {
    "mine": (HERE / "my_transformer.py", "TransformerLM", {}),
    "reference": (HERE.parents[1] / "src" / "python" / "labreport_transformer.py", "Transformer",
                  dict(vocab="vocab_size", context="context_length", layers="num_layers", heads="num_heads")),
}
SHAPES = {
    "tiny": (dict(d_model=64, d_ff=256, layers=2, heads=2, vocab=512), 2, 64),
    "small": (dict(d_model=768, d_ff=3072, layers=12, heads=12, vocab=10_000), 4, 512),
    "2.7B": (dict(d_model=2560, d_ff=10240, layers=32, heads=32, vocab=10_000), 4, 512),
}
# Model "rung" is the reference network, compared with this variant of kind `ladder`.
MODELS["rung"] = MODELS["reference"]
RUNG = "fused_adamw"
# Size, precision, and the allowed relative difference of the median, larger for launch-bound steps; None has no limit.
CASES = {"cuda": [("small", "fp32", 0.02), ("small", "bf16", 0.05), ("2.7B", "bf16", 0.02)],
         "cpu": [("tiny", "fp32", None), ("small", "fp32", None)]}
PEAK_LIMIT, PROCESS_LIMIT_SECONDS = 0.001, 1.0


def model_source(model):
    file, name, renamed = MODELS[model]
    return dict(implementation="", model=f"{file}:{name}", loss="torch.nn.functional:cross_entropy",
                arguments=json.dumps({own: "$" + course for own, course in renamed.items()}) if renamed else "",
                optimizer="torch.optim:AdamW")


def is_rung(case):
    return case["model"] == "rung"


def build(case):
    file, name, renamed = MODELS[case["model"]]
    sys.path.insert(0, str(file.parent))
    course = dict(vocab_size=case["vocab"], context_length=case["context"], num_layers=case["layers"],
                  num_heads=case["heads"], d_model=case["d_model"], d_ff=case["d_ff"])
    own = {course_name: own_name for own_name, course_name in renamed.items()}
    options = dict(sdpa=True) if is_rung(case) else {}
    return getattr(__import__(file.stem), name)(**{own.get(key, key): value for key, value in course.items()}, **options)


def run_script(case):
    """Runs one process of the script, which prints its samples as JSON."""
    import torch

    device = case["device_kind"]
    synchronize = torch.cuda.synchronize if device == "cuda" else lambda: None
    ids, targets = torch.randint(case["vocab"], (2, case["batch"], case["context"]), device=device)
    with torch.device(device):
        model = build(case)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01,
                                  fused=is_rung(case) or None)

    def step(after_phase):
        start = time.perf_counter_ns()
        with torch.autocast(device, torch.bfloat16, enabled=case["precision"] == "bf16"):
            logits = model(ids)
            after_phase()
            loss = torch.nn.functional.cross_entropy(logits.flatten(0, -2), targets.flatten())
            after_phase()
        loss.backward()
        after_phase()
        optimizer.step()
        synchronize()
        elapsed_ns = time.perf_counter_ns() - start
        del logits, loss
        optimizer.zero_grad(set_to_none=True)
        return elapsed_ns

    steps = [step(lambda: None) for _ in range(case["warmup"] + case["steps"])]
    if case.get("profile"):
        return print(json.dumps(count_kernels(lambda: step(lambda: None))))
    peak = torch.cuda.max_memory_allocated() if device == "cuda" else 0
    for _ in range(case["steps"]):
        step(synchronize)
    print(json.dumps(dict(step=steps[case["warmup"]:], peak=peak)))


def count_kernels(step):
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        step()
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder, "trace.json")
        profiler.export_chrome_trace(str(trace))
        return sum(event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset") for event in json.loads(trace.read_text())["traceEvents"])


def by_script(case):
    completed = subprocess.run([sys.executable, "-W", "ignore", "-B", __file__, "--plain", json.dumps(case)], check=True,
                          stdout=subprocess.PIPE)
    return json.loads(completed.stdout)


def measure(worker, implementation, case, kind):
    params = {key: value for key, value in case.items() if key not in ("model", "profile")} | dict(mode="train_step")
    if is_rung(case):
        return metrics_of(worker, "ladder", params | dict(variant=RUNG))
    return metrics_of(worker, kind, params | dict(implementation=implementation), model=model_source(case["model"]))


def by_worker(worker, implementation, case):
    values = measure(worker, implementation, case, "timing")
    return dict(step=values["step", "total"][case["warmup"]:], peak=values["memory", "peak_allocated"] or 0)


def with_process_times(run):
    """Returns the result of `run` with the elapsed and the CPU time of its process, in seconds."""
    cpu_seconds = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])  # noqa: E731
    start, before = time.monotonic(), cpu_seconds()
    result = run()
    return result | dict(process=[time.monotonic() - start], cpu_time=[cpu_seconds() - before])


def summary(side, rounds):
    """Returns the medians over all processes, and as "spread" the medians of the fastest and the slowest process."""
    steps, count = side["step"], len(side["step"]) // rounds
    process_medians = [statistics.median(steps[i * count:(i + 1) * count]) for i in range(rounds)]
    medians = {what: value if what == "peak" else statistics.median(value) for what, value in side.items()}
    return medians | dict(spread=f"{min(process_medians) / 1e6:.2f} to {max(process_medians) / 1e6:.2f} ms")


def compare(worker, implementation, case, rounds):
    sides = [lambda: by_script(case), lambda: by_worker(worker, implementation, case)]
    results = [dict(step=[], process=[], cpu_time=[], peak=0) for _ in sides]
    for round_number in range(rounds):
        for side in (0, 1) if round_number % 2 == 0 else (1, 0):
            for what, samples in with_process_times(sides[side]).items():
                results[side][what] += samples if what != "peak" else samples - results[side][what]
    return (summary(side, rounds) for side in results)


def planned_implementation(options):
    if is_rung(vars(options)):
        return None
    completed = subprocess.run([options.worker, "--describe", json.dumps(model_source(options.model))], check=True, stdout=subprocess.PIPE)
    return json.loads(completed.stdout)["implementation"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("worker", nargs="?")
    parser.add_argument("--device", choices=CASES, default="cuda")
    parser.add_argument("--model", choices=MODELS, default="mine", help="the example, src/python/labreport_transformer.py, or that with SDPA and fused AdamW")
    parser.add_argument("--sizes", help="some of them: tiny,small")
    parser.add_argument("--precisions", help="some of them: bf16")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--plain", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.plain:
        return run_script(json.loads(options.plain))
    if not options.worker:
        parser.error("name the labreport-model-worker to compare")
    os.environ["PYTHONWARNINGS"] = "ignore"
    implementation, exceeded = planned_implementation(options), False
    for size, precision, limit in CASES[options.device]:
        if size not in (options.sizes or size).split(",") or precision not in (options.precisions or precision).split(","):
            continue
        shape, batch, context = SHAPES[size]
        case = dict(model=options.model, device_kind=options.device, size=size, **shape, batch=batch, context=context,
                    precision=precision, warmup=5, steps=10)
        script, ours = compare(options.worker, implementation, case, options.rounds)
        ratio, extra_seconds = ours["step"] / script["step"], ours["process"] - script["process"]
        print(f"{size} {precision}: step {ours['step'] / 1e6:.2f} ms, script {script['step'] / 1e6:.2f} ms, ratio {ratio:.4f}; single "
              f"processes {ours['spread']}, script {script['spread']}; "
              f"peak {ours['peak']} and {script['peak']} B; process {ours['process']:.2f} and {script['process']:.2f} s, "
              f"CPU time {ours['cpu_time']:.2f} and {script['cpu_time']:.2f} s", flush=True)
        if options.device == "cuda":
            counts = by_script(case | {"profile": True}), measure(options.worker, implementation, case, "kernels")["profile", "kernels"]
            print(f"{size} {precision}: {counts[1]} kernels a step, script {counts[0]}", flush=True)
            exceeded |= counts[0] != counts[1]
        exceeded |= limit is not None and (abs(ratio - 1) > limit or extra_seconds > PROCESS_LIMIT_SECONDS
                                           or abs(ours["peak"] - script["peak"]) > PEAK_LIMIT * script["peak"])
    return int(exceeded)


if __name__ == "__main__":
    sys.exit(main())
