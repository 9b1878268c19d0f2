"""How fast labreport itself is: `make bench`. Status 1 where a figure exceeds what we hold it to.

bench.py <build folder>
With an NVIDIA GPU it goes on with tests/reference/compare_speed.py.
"""

import glob
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(ROOT, "tests", "site"))
from project import SETTLED, Project  # noqa: E402: a neighbor's, found by the line above
from shipped import measured_runs  # noqa: E402

BUILD = os.path.abspath(sys.argv[1])
ROUNDS = 21
LAUNCHES = 20


def milliseconds(command, **options):
    start = time.perf_counter_ns()
    subprocess.run(command, check=True, capture_output=True, **options)
    return (time.perf_counter_ns() - start) / 1e6


def median(command, rounds=ROUNDS, **options):
    milliseconds(command, **options)
    return statistics.median(milliseconds(command, **options) for _ in range(rounds))


def measured(scratch):
    """(what, milliseconds, at most) of each figure, on the CPU demonstration."""
    # Away from the project's .venv, so that no chart is drawn; no driver is asked either.
    program = os.path.join(scratch, "bin", "labreport")
    os.makedirs(os.path.dirname(program))
    shutil.copy(os.path.join(BUILD, "bin", "labreport"), program)
    shutil.copy(os.path.join(BUILD, "bin", "labreport-worker.json"), os.path.dirname(program))
    bare = os.path.join(scratch, "empty")
    os.mkdir(bare)
    options = {"cwd": scratch, "env": {
        "PATH": bare, "HOME": scratch, "CUDA_VISIBLE_DEVICES": "",
        "LABREPORT_WORKER": os.path.join(BUILD, "fakes", "worker")}}
    demo = ["--preset", "demo"]

    yield "labreport --help", median([program, "--help"], **options), 20
    yield "labreport list sizes", median([program, "list", "sizes"], **options), 20
    yield "labreport list cells", median([program, "list", "cells", *demo], **options), 20
    plan = median([program, "run", "--dry-run", *demo], **options)
    yield "labreport run --dry-run", plan, 20

    # The fake worker measures nothing, so the time besides its own life is the front end's.
    alone = worker_life(scratch, program, options)
    run = [program, "run", *demo, "--launches", str(LAUNCHES), "--out", "runs"]
    whole = milliseconds(run, **options)
    launches = count_launches(scratch)
    yield f"a launch, of {launches}, beyond its worker's life", (whole - plan) / launches - alone, 10

    folder = os.path.dirname(glob.glob(f"{scratch}/runs/**/run.json", recursive=True)[0])
    pages = [program, "render", folder, "--out", "public"]
    yield "labreport render, one run, no SVG", median(pages, rounds=5, **options), 100
    both = [whole_run(edition) for edition in ("2025", "2026")]
    yield "labreport diff, two whole editions", median([program, "diff", *both], **options), 50
    yield from renders_of_many(os.path.join(scratch, "many"))


def whole_run(edition):
    """The shipped run of an edition with the most to read."""
    runs = [run for run in measured_runs() if run.parent.name == edition]
    return max(runs, key=lambda run: (run / "run.json").stat().st_size)


def renders_of_many(folder, rounds=5):
    """A hundred runs: demonstrations, and a recorded one that changes."""
    os.mkdir(folder)
    project = Project(folder, os.path.join(BUILD, "bin", "labreport"), os.path.join(BUILD, "fakes"))
    project.have_chart_tool()
    project.copies(project.measure(), 98)
    changing = os.path.join(folder, "site", "runs", "recorded")
    shutil.copytree(whole_run("2025"), changing)

    def render(touched):
        if touched:
            os.utime(os.path.join(changing, "run.json"))
            time.sleep(SETTLED)
        return milliseconds([project.program, "render"], cwd=folder, env=project.environment)

    yield "labreport render, 100 runs, none before", render(False), 20000
    for what, touched, most in (("nothing", False, 200), ("one", True, 1000)):
        took = statistics.median(render(touched) for _ in range(rounds))
        yield f"labreport render, 100 runs, {what} changed", took, most


def worker_life(scratch, program, options):
    """How long the empty worker takes when it is called by hand with the same request."""
    worker = options["env"]["LABREPORT_WORKER"]
    listening = os.path.join(scratch, "listening")
    with open(listening, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\n/bin/cp "$2" {scratch}/request\nexec {worker} "$@"\n')
    os.chmod(listening, 0o755)
    subprocess.run([program, "run", "--preset", "demo", "--out", "heard"], check=True,
                   capture_output=True, cwd=options["cwd"],
                   env={**options["env"], "LABREPORT_WORKER": listening})
    return median([worker, "--request", f"{scratch}/request", "--result", f"{scratch}/result"])


def count_launches(scratch):
    with open(glob.glob(f"{scratch}/runs/**/run.json", recursive=True)[0], encoding="utf-8") as run:
        return sum(len(cell["launches"]) for cell in json.load(run)["cells"])


def main():
    slow = []
    with tempfile.TemporaryDirectory() as scratch:
        print(f"{'':46}{'ms':>9}{'at most':>9}")
        for what, took, most in measured(scratch):
            print(f"{what:46}{took:9.2f}{most:9}{'  too slow' if took > most else ''}", flush=True)
            if took > most:
                slow.append(what)
    if os.path.exists("/dev/nvidia0"):
        compare = os.path.join(ROOT, "tests", "reference", "compare_speed.py")
        python = subprocess.run([os.path.join(ROOT, "setup", "find-torch"), "--python"], check=True,
                                capture_output=True, text=True).stdout.strip()
        worker = os.path.join(BUILD, "bin", "labreport-worker")
        slow += [compare] if subprocess.run([python, compare, worker]).returncode else []
    sys.exit(bool(slow))


if __name__ == "__main__":
    main()
