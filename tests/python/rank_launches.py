"""Starts the worker for models on two ranks, which are forks of this process, because loading torch takes longer than a launch."""

import json
import os
import runpy
import sys
import tempfile
import time
import unittest
from pathlib import Path

import torch  # noqa: F401

SHAPE = dict(d_model=16, d_ff=24, layers=2, heads=2, vocab=30, context=8)
OWN_STEP = dict(arguments="", loss="", optimizer="", compile=False, attention=False,
                step=dict(takes_size=True, takes_context=False, compiles=False))


def fork(function, output):
    """Runs the function in a process of its own, whose output goes to a file, and returns the process. It never returns."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    descriptor = os.open(output, os.O_WRONLY | os.O_CREAT)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
    try:
        function()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(99)


def wait_for(children):
    """Returns the exit statuses of the processes by rank. Once one has failed, the others get some seconds before they are ended."""
    statuses, deadline = {}, None
    while children and (deadline is None or time.monotonic() < deadline):
        child, status = os.waitpid(-1, os.WNOHANG)
        if child:
            statuses[children.pop(child)] = os.waitstatus_to_exitcode(status)
            deadline = deadline or (time.monotonic() + 3 if any(statuses.values()) else None)
        time.sleep(0.02)
    for child, rank in children.items():
        os.kill(child, 15)
        statuses[rank] = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return statuses


class RankTest(unittest.TestCase):
    program = None  # the path of labreport_worker.py

    def new_folder(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def fork_worker(self, arguments, output):
        def run():
            sys.argv[:] = [str(self.program), *map(str, arguments)]
            sys.path[0] = str(self.program.parent)
            runpy.run_path(str(self.program), run_name="__main__")

        return fork(run, output)

    def described(self, source):
        self.new_folder()  # of the launch that follows, too
        params = SHAPE | dict(device_kind="cpu", batch=2, ranks=2, collectives="gloo", precision="fp32")
        output = self.folder / "description"
        child = self.fork_worker(["--describe", json.dumps({"model": source, "params": params})], output)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        text = output.read_text()
        return json.loads(text) if status == 0 else text.splitlines()[-1]

    def launch(self, source, seconds=60, **more):
        """Measures the step on both ranks. Returns the results that they leave, by rank, and their exit statuses."""
        implementation = self.described(source)["implementation"]
        more = dict(scheme="own_step", precision="fp32", implementation=implementation) | more
        return self.start("data_parallel", more, seconds, source | dict(implementation=implementation))

    def start(self, kind, more, seconds=60, model=None):
        """Measures a cell on both ranks, in the folder of the test's last description."""
        params = SHAPE | dict(device_kind="cpu", size="tiny", collectives="gloo", ranks=2, batch=2, mode="train_step", warmup=1,
                              steps=3) | more
        children, named = {}, {"model": model} if model else {}
        for rank in range(2):
            rendezvous = dict(rank=rank, store=str(self.folder / "meeting"), timeout_seconds=seconds)
            request, result = self.folder / f"{rank}.request", self.folder / f"{rank}.json"
            request.write_text(json.dumps(dict(kind=kind, params=params, launch=0, seed=0, rendezvous=rendezvous) | named))
            children[self.fork_worker(["--request", request, "--result", result], self.folder / f"{rank}.output")] = rank
        statuses, results = wait_for(children), {}
        for rank in range(2):
            file = self.folder / f"{rank}.json"
            results[rank] = json.loads(file.read_text())["result"] if file.exists() else None
        return results, statuses

    def measured(self, source, **more):
        """Measures the step. See body_of."""
        return self.body_of(*self.launch(source, **more))

    def body_of(self, results, statuses):
        """Returns rank 0's result with its metrics by tag and name, and its tables by name."""
        self.assertEqual(statuses, {0: 0, 1: 0}, (self.folder / "0.output").read_text())
        body = results[0]
        self.assertEqual(body["outcome"]["status"], "ok", body["outcome"])
        body["values"] = {(m["tag"], m["name"]): m.get("value", m.get("samples")) for m in body["metrics"]}
        body["tables"] = {table["name"]: [dict(zip([column["name"] for column in table["columns"]], row))
                                          for row in table["rows"]] for table in body["tables"]}
        return body
